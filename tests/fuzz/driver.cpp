// Runs a target without libFuzzer: on every input of the folders, and on mutations of them that
// are the same in every run.
//
//   switchyard-fuzz-TARGET MUTATIONS FOLDER...
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<std::string> inputs_in(const std::vector<std::string>& folders) {
    std::vector<fs::path> files;
    for (const auto& folder : folders)
        if (fs::is_directory(folder))
            for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<std::string> inputs;
    for (const auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
}

// Changes texts a little. A distribution of the standard library could differ from one library to the next.
class Mutator {
  public:
    explicit Mutator(const std::vector<std::string>& inputs) : inputs_(inputs) {}

    std::string next() {
        auto text = inputs_[below(inputs_.size())];
        for (auto left = 1 + below(4); left > 0; --left) change(text);
        return text;
    }

  private:
    std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

    void change(std::string& text) {
        const auto place = below(text.size() + 1),
                   length = below(std::min<std::size_t>(64, text.size() - place + 1));
        const auto& other = inputs_[below(inputs_.size())];
        switch (below(7)) {
        case 0:
            if (place < text.size()) text[place] = static_cast<char>(text[place] ^ (1 << below(8)));
            break;
        case 1:
            if (place < text.size()) text[place] = static_cast<char>(below(256));
            break;
        case 2: text.erase(place, length); break;
        case 3: text.insert(place, text.substr(place, length)); break;
        case 4: text.insert(place, other.substr(below(other.size() + 1), length)); break;
        case 5: text.insert(place, std::string(words[below(words.size())])); break;
        case 6: text.resize(place); break;
        default: break;
        }
    }

    static constexpr std::array<std::string_view, 16> words = {
        "0",    "-1",      "1e308", "18446744073709551615",
        "null", "true",    "[",     "{",
        "\"",   "\\ud800", "\xff",  "\n",
        ":",    ",",       ";",     std::string_view("\xff\xff\xff\xff", 4)};
    const std::vector<std::string>& inputs_;
    std::mt19937_64 random_{20'261'122};
};

void run(const std::string& input) {
    // A copy that ends where the input ends, so that a sanitizer sees one byte too many.
    const std::vector<unsigned char> bytes(input.begin(), input.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "usage: %s MUTATIONS FOLDER...\n", argv[0]), 2;
    const auto mutations = std::strtoul(argv[1], nullptr, 10);
    const auto inputs = inputs_in({argv + 2, argv + argc});
    if (inputs.empty()) return std::fprintf(stderr, "%s: no inputs\n", argv[0]), 2;
    for (const auto& input : inputs) run(input);
    Mutator mutator(inputs);
    for (auto left = mutations; left > 0; --left) run(mutator.next());
    std::printf("%zu inputs, %lu mutations\n", inputs.size(), mutations);
    return 0;
}
