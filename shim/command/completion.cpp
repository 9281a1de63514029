#include "completion.hpp"
#include "manual.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <string_view>

namespace switchyard::shim::command {

namespace {

std::map<const CLI::Option*, std::vector<std::string>>& offered() {
    static std::map<const CLI::Option*, std::vector<std::string>> words;
    return words;
}

// What bash completes besides words: files, directories or commands, as compgen names them. "": nothing.
std::string_view places_for(const CLI::Option& option) {
    const auto type = option.get_type_name(); // CLI11 appends a colon and the check
    const auto name = type.substr(0, type.find(':'));
    if (name == "FILE" || name == "PLATFORM") return "-f";
    if (name == "DIR" || name == "LOG" || name == "LOGDIR") return "-d";
    if (name == "COMMAND" || name == "PROGRAM") return "-c -f";
    return "";
}

std::string names_of(const CLI::Option& option) {
    std::string names;
    for (const auto& name : option.get_lnames()) names += (names.empty() ? "--" : " --") + name;
    for (const auto& name : option.get_snames()) names += (names.empty() ? "-" : " -") + name;
    return names;
}

// `run --detail) words="calls ranks summary" ;;`
void write_value(const CLI::App& sub, const CLI::Option& option, std::ostream& out) {
    if (option.get_positional() || !takes_value(option)) return;
    const auto words = offered().find(&option);
    std::string patterns;
    for (const auto& name : option.get_lnames()) patterns += "\"" + sub.get_name() + " --" + name + "\" | ";
    for (const auto& name : option.get_snames()) patterns += "\"" + sub.get_name() + " -" + name + "\" | ";
    patterns.resize(patterns.size() - 3);
    out << "    " << patterns << ") words=\"";
    if (words != offered().end())
        for (const auto& word : words->second) out << (&word == &words->second.front() ? "" : " ") << word;
    out << "\" places=\"" << places_for(option) << "\" ;;\n";
}

// Sets words and places; false: the option takes no value.
void write_values(const CLI::App& app, std::ostream& out) {
    out << "_switchyard_value() { # command, option\n    case \"$1 $2\" in\n";
    for (const auto* sub : subcommands_of(app))
        for (const auto* option : sub->get_options()) write_value(*sub, *option, out);
    out << "    *) return 1 ;;\n    esac\n}\n";
}

void write_commands(const CLI::App& app, std::ostream& out) {
    out << "_switchyard_command() { # sets options, and places for what is no option\n    case $1 in\n";
    for (const auto* sub : subcommands_of(app)) {
        out << "    " << sub->get_name() << ") options=\"";
        std::string_view places;
        for (const auto* option : sub->get_options()) {
            if (!option->get_positional())
                out << names_of(*option) << ' ';
            else if (places.empty())
                places = places_for(*option);
        }
        out << "\" places=\"" << places << "\" ;;\n";
    }
    out << "    esac\n}\n";
}

// Joins the words that bash splits at colons and equal signs: `--force alltoallv:tuna`, `--format=json`. In a
// list with commas it completes the last word.
constexpr std::string_view rest =
    R"(_switchyard_reply() { # words, places, what was typed of the value, the word of it that bash replaces
    local head=${3%"$4"} list=$1
    [[ -n $1 && $3 == *,* ]] && list=${3%,*},${1// / ${3%,*},}
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$3"; [ -z "$2" ] || compgen $2 -- "$4")
    COMPREPLY=("${COMPREPLY[@]#"$head"}")
    [ -z "$2" ] || compopt -o filenames 2>/dev/null
    return 0
}
_switchyard() {
    local word=${COMP_WORDS[COMP_CWORD]} options= words= places= typed last i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _switchyard_reply "$commands" "" "$word" "$word"
        return
    fi
    for ((i = 2; i < COMP_CWORD; ++i)); do # a program's command line follows --
        if [ "${COMP_WORDS[i]}" = -- ]; then
            _switchyard_reply "" "-c -f" "$word" "$word"
            return
        fi
    done
    last=$((COMP_CWORD - 1)) typed=$word
    if [[ $word == [:=] ]]; then
        last=$COMP_CWORD typed= word=
    fi
    while ((last > 2)) && [ "${COMP_WORDS[last]}" = : ]; do
        typed=${COMP_WORDS[last - 1]}:$typed last=$((last - 2))
    done
    ((last > 2)) && [ "${COMP_WORDS[last]}" = = ] && last=$((last - 1))
    if _switchyard_value "${COMP_WORDS[1]}" "${COMP_WORDS[last]}"; then
        _switchyard_reply "$words" "$places" "$typed" "$word"
        return
    fi
    _switchyard_command "${COMP_WORDS[1]}"
    case $word in
    -*) _switchyard_reply "$options" "" "$word" "$word" ;;
    *) _switchyard_reply "" "$places" "$word" "$word" ;;
    esac
}
# mpirun -n 8 switchyard run ...: the words from switchyard on are ours.
_switchyard_behind_launcher() {
    local i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ ${COMP_WORDS[i]} == switchyard || ${COMP_WORDS[i]} == */switchyard ]] || continue
        local words=("${COMP_WORDS[@]:i}") place=$((COMP_CWORD - i))
        local COMP_WORDS=("${words[@]}") COMP_CWORD=$place
        _switchyard
        return
    done
    COMPREPLY=()
}
complete -F _switchyard switchyard
for launcher in mpirun mpiexec; do # unless they have a completion of their own
    complete -p "$launcher" >/dev/null 2>&1 ||
        complete -o bashdefault -o default -F _switchyard_behind_launcher "$launcher"
done
unset launcher
)";

} // namespace

CLI::Option* offer(CLI::Option* option, std::vector<std::string> words) {
    offered()[option] = std::move(words);
    return option;
}

void write_completion(const CLI::App& app, std::ostream& out) {
    out << "# bash completion for switchyard, written by the command itself. Behind mpirun and mpiexec, too, "
           "once this file "
           "is\n# read: source it in ~/.bashrc.\n";
    write_values(app, out);
    write_commands(app, out);
    std::string commands;
    for (const auto* sub : subcommands_of(app)) commands += sub->get_name() + ' ';
    std::string text(rest);
    text.replace(text.find("$commands"), std::string_view("$commands").size(), commands + "--help --version");
    out << text;
}

} // namespace switchyard::shim::command
