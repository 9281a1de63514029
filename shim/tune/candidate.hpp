// A candidate of a tuning: an algorithm with values of its parameters.
#pragma once

#include "point.hpp"

#include "policy/table.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace switchyard::shim::tune {

// A parameter without a value has its preset. The benchmark has other contenders, too, which are no algorithm
// of a policy: `agreement`, `preloaded`, and `native` where no rule fires.
class Candidate {
  public:
    explicit Candidate(const algorithms::Traits& algorithm);
    explicit Candidate(std::string_view contender) : text_(contender) {}
    Candidate() : Candidate(std::string_view("native")) {}
    // The agreement by itself. Its time is part of the time of each candidate that needs it.
    static Candidate agreement() { return Candidate(std::string_view("agreement")); }
    // From its text(). Nothing: this version has no such candidate.
    static std::optional<Candidate> read(policy::Collective collective, const std::string& text);

    // As the benchmark and SWITCHYARD_FORCE take it: `tuna:radix=4`.
    const std::string& text() const { return text_; }
    std::string words() const; // for people: `tuna radix=4`
    const policy::Use& use() const { return use_; }
    const std::string& algorithm() const { return use_.algorithm; }

    bool takes(algorithms::Parameter parameter) const;
    bool gives(algorithms::Parameter parameter) const { return value_of(parameter).has_value(); }
    bool gives_any() const { return text_ != use_.algorithm; }
    Candidate with(algorithms::Parameter parameter, std::int64_t value) const;
    Candidate without(algorithms::Parameter parameter) const;

    // With the presets for communicators of that shape.
    algorithms::Parameters resolved(const Shape& shape) const;
    // The radix there. 0: the algorithm takes none, or it has a list.
    std::int64_t radix(const Shape& shape) const;
    // Whether the shim makes an allreduce before each call, since the algorithm needs the largest block of all
    // ranks.
    bool needs_agreement() const;
    // "", or why it cannot run there.
    std::string why_not_admissible(const Shape& shape) const;

    auto operator<=>(const Candidate& other) const { return text_ <=> other.text_; }
    bool operator==(const Candidate& other) const { return text_ == other.text_; }
    bool operator==(std::string_view text) const { return text_ == text; }

  private:
    const std::optional<std::int64_t>& value_of(algorithms::Parameter parameter) const {
        return use_.parameters[static_cast<std::size_t>(parameter)];
    }
    Candidate with(policy::Use use) const;

    const algorithms::Traits* traits_ = nullptr; // null: a contender
    policy::Use use_;
    std::string text_;
};

} // namespace switchyard::shim::tune
