// The options of an application. CLI11 reads them, in a file of its own, since its header takes the compiler
// longer than a whole application does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace apps {

class CommandLine {
  public:
    explicit CommandLine(const char* about);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    // `type`: what help calls the value; null: by the type.
    struct Limits {
        int least, most;
        const char* type = nullptr;
    };
    void number(const char* name, int& value, Limits limits, const char* meaning);
    void number(const char* name, std::uint32_t& value, Limits limits, const char* meaning);
    void numbers(const char* name, std::span<int, 3> values, Limits limits, const char* meaning);
    void seed(const char* name, std::uint64_t& value, const char* meaning);
    // `take` gets one of `words`.
    void word(const char* name, std::vector<std::string> words, std::function<void(const std::string&)> take,
              const char* meaning);

    // Nothing: the application runs. Else its exit code: the words are wrong, or ask for
    // help. One rank prints that.
    std::optional<int> parse(int argc, char** argv, bool prints);

  private:
    struct App;
    std::unique_ptr<App> app_;
};

} // namespace apps
