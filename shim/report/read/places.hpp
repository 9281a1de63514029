// Numbers keys in the order of their first appearance. Searching a list of all keys instead would make the
// time of a report grow with the square of the kinds of calls.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace switchyard::shim::report {

template <typename Key>
class Places {
  public:
    // The place of the key, and whether the key is new.
    std::pair<std::size_t, bool> add(Key key) {
        const auto [found, is_new] = places_.try_emplace(std::move(key), places_.size());
        return {found->second, is_new};
    }
    // The place of a key that was added.
    std::size_t of(const Key& key) const { return places_.at(key); }

  private:
    std::map<Key, std::size_t> places_;
};

} // namespace switchyard::shim::report
