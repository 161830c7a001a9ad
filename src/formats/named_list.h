// Values by name, in the order in which they were added: what a JSON object is to a reader.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spml {

// Few names: looking one up is a walk along the list.
template <class T>
class NamedList {
 public:
  // The value of that name, added when there is none.
  T& operator[](std::string_view name) {
    if (T* value = find(name)) return *value;
    return items_.emplace_back(std::string(name), T{}).second;
  }
  // Null when there is none.
  T* find(std::string_view name) {
    const auto found = std::ranges::find(items_, name, &std::pair<std::string, T>::first);
    return found == items_.end() ? nullptr : &found->second;
  }
  const T* find(std::string_view name) const { return const_cast<NamedList*>(this)->find(name); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  bool operator==(const NamedList&) const = default;

 private:
  std::vector<std::pair<std::string, T>> items_;
};

}  // namespace spml
