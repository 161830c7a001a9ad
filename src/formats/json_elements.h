// Large JSON files piece by piece. A file whose root is an object of long arrays is cut into the
// arrays' elements by counting brackets, and only one element at a time is given to a parser, so
// that memory does not grow with the file.
#pragma once

#include <functional>
#include <string_view>

namespace spml {

// Calls visit(key, element) with the text of every element of every array that is a member of the
// root object; other members are passed over. Error naming `where` and the line for text that is
// not an object, is cut short or whose brackets do not match; what is inside an element is for the
// caller's parser to check.
void for_each_element(
    std::string_view json, std::string_view where,
    const std::function<void(std::string_view key, std::string_view element)>& visit);

}  // namespace spml
