#include "findings.hpp"

#include <algorithm>

namespace switchyard::policy {

void Findings::add(const Place& place, std::string message, Spoils spoils) {
    found_.emplace_back(place.order,
                        Problem{place.pointer, std::move(message), spoils, place.line, place.column});
}

std::vector<Problem> Findings::in_document_order() && {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& left, const auto& right) { return left.first < right.first; });
    std::vector<Problem> problems;
    problems.reserve(found_.size());
    for (auto& [order, problem] : found_) problems.push_back(std::move(problem));
    return problems;
}

} // namespace switchyard::policy
