// The result of a function that may fail: a value, or what to tell people about the failure.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace switchyard::text {

// `Error`: a sentence, or a type of the function's own. It must differ from `T`.
template <typename T, typename Error = std::string>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    explicit operator bool() const { return std::holds_alternative<T>(state_); }
    // Throws std::bad_variant_access if there is no value.
    const T& value() const& { return std::get<T>(state_); }
    T& value() & { return std::get<T>(state_); }
    T&& value() && { return std::get<T>(std::move(state_)); }
    // Null if there is a value.
    const Error* error() const { return std::get_if<Error>(&state_); }
    Error* error() { return std::get_if<Error>(&state_); }

  private:
    std::variant<T, Error> state_;
};

} // namespace switchyard::text
