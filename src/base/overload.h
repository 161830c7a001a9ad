// Several lambdas as one function object, for std::visit: Overload{[](int) {...}, [](bool) {...}}.
#pragma once

namespace spml {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
// Compilers before C++20's deduction for aggregates (clang 14) need it.
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

}  // namespace spml
