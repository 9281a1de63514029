// Problems are found in any order, and handed out in the order of the document.
#pragma once

#include "parse.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace switchyard::policy {

struct Place {
    std::string pointer;    // JSON pointer
    std::size_t order = 0;  // counts the values of the document in the order they are written
    std::size_t line = 0;   // as in Problem
    std::size_t column = 0; // as in Problem
};

class Findings {
  public:
    void add(const Place& place, std::string message, Spoils spoils = Spoils::policy);
    std::size_t count() const { return found_.size(); }
    std::vector<Problem> in_document_order() &&;

  private:
    std::vector<std::pair<std::size_t, Problem>> found_;
};

// The value with its problems; only the problems if one of them spoils the whole value.
template <typename T>
Reading<T> reading_of(T value, Findings findings) {
    Reading<T> reading{std::move(value), std::move(findings).in_document_order()};
    for (const Problem& problem : reading.problems)
        if (problem.spoils == Spoils::policy) reading.value.reset();
    return reading;
}

} // namespace switchyard::policy
