// The functions that are only counted, and their arguments: the lines of counted.def as data. No MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace switchyard::shim {

// In the order of counted.def. The log contains the names, not the numbers.
enum class Counted : std::uint8_t {
#define SWITCHYARD_COUNTED(name, ...) name,
#define SWITCHYARD_PERSISTENT(name, ...) name##_init, name##_start,
#include "counted.def"
};

struct CountedTraits {
    enum class Sent : std::uint8_t { nothing, one, each, array, root_one, root_each, root_array };
    static constexpr std::size_t none = std::string_view::npos;

    std::string_view name;     // `allreduce`
    std::string_view function; // `MPI_Allreduce`; of a start the one that made the request
    std::size_t words;
    std::string_view arguments; // a letter for each, see counted.def
    Sent sent;
    bool makes_request = false; // for `started_as`, which is significant then
    Counted started_as{};

    // Places among the arguments, found at compile time. Counts and type of what a rank sends, and of what it
    // receives: reductions have one of each for both sides.
    std::size_t communicator = arguments.find('c');
    std::size_t root = arguments.find('p');
    std::size_t send_buffer = arguments.find_first_of("sb");
    std::size_t send_counts = arguments.find_first_of("nN");
    std::size_t send_types = arguments.find_first_of("tT");
    std::size_t receive_counts = arguments.find_last_of("nN");
    std::size_t receive_types = arguments.find_last_of("tT");
    bool reduces = arguments.find('o') != none;
    bool is_of_neighbours = name.find("neighbor") != none;
    bool root_sends_alone = sent == Sent::root_one || sent == Sent::root_each || sent == Sent::root_array;
};

inline constexpr std::array all_counted = {
#define SWITCHYARD_TRAITS(name_, function_, words_, arguments_, sent_, ...)                                  \
    CountedTraits{.name = name_,                                                                             \
                  .function = "MPI_" function_,                                                              \
                  .words = words_,                                                                           \
                  .arguments = arguments_,                                                                   \
                  .sent = CountedTraits::Sent::sent_ __VA_OPT__(, ) __VA_ARGS__},
#define SWITCHYARD_COUNTED(name, function, words, arguments, sent)                                           \
    SWITCHYARD_TRAITS(#name, #function, words, arguments, sent)
#define SWITCHYARD_PERSISTENT(name, function, words, arguments, sent)                                        \
    SWITCHYARD_TRAITS(#name "_init", #function "_init", words, arguments, nothing, .makes_request = true,    \
                      .started_as = Counted::name##_start)                                                   \
    SWITCHYARD_TRAITS(#name "_start", #function "_init", words, arguments, sent)
#include "counted.def"
#undef SWITCHYARD_TRAITS
};
inline constexpr std::size_t counted_functions = all_counted.size();

#define SWITCHYARD_COUNTED(name, function, words, arguments, sent)                                           \
    static_assert(sizeof(arguments) - 1 == (words), "counted.def: the words of " #name);
#define SWITCHYARD_PERSISTENT(...) SWITCHYARD_COUNTED(__VA_ARGS__)
#include "counted.def"

constexpr const CountedTraits& traits_of(Counted counted) {
    return all_counted[static_cast<std::size_t>(counted)];
}

} // namespace switchyard::shim
