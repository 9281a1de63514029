// A list of elements that know the next one. It takes no memory: thread sanitizer would see one thread take
// it, and another free it.
#pragma once

namespace switchyard::tests::threads {

template <typename Element>
class Queue {
  public:
    void push_back(Element& element) {
        Element** place = &first_;
        while (*place != nullptr) place = &(*place)->next;
        element.next = nullptr;
        *place = &element;
    }

    // The first that is right; null: none is.
    template <typename IsRight>
    Element* find(const IsRight& is_right) const {
        Element* element = first_;
        while (element != nullptr && !is_right(*element)) element = element->next;
        return element;
    }
    template <typename IsRight>
    Element* take(const IsRight& is_right) {
        Element** place = &first_;
        while (*place != nullptr && !is_right(**place)) place = &(*place)->next;
        Element* const taken = *place;
        if (taken != nullptr) *place = taken->next;
        return taken;
    }

  private:
    Element* first_ = nullptr;
};

} // namespace switchyard::tests::threads
