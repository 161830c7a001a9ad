// Everything that the files with SIMD formulas have in common. The compiler reads such a file once
// for every instruction set. It looks like this:
//
//   #define HWY_TARGET_INCLUDE "loss/this_file.cc"
//   #include "loss/simd-inl.h"
//
//   ...  other includes
//
//   #if SPML_FIRST_READING
//   ...  plain C++: settings, declarations of the kernels, the table entry
//   #endif
//
//   SPML_SIMD_BEGIN();
//   ...  double name_kernel(const LossCall&, const Settings&): the formula
//   SPML_SIMD_END();
//   SPML_DISPATCH(name_kernel, Settings);
//
// SPML_DISPATCH defines the kernel declared in the plain part: it calls the one of the best
// instruction set that the processor has. No include guard: each reading sets the macros anew.
#include <hwy/foreach_target.h>  // reads HWY_TARGET_INCLUDE for all instruction sets but the last
#include <hwy/highway.h>

#include "loss/kernel.h"

#undef SPML_FIRST_READING
#ifdef SPML_WAS_READ
#define SPML_FIRST_READING 0
#else
#define SPML_FIRST_READING 1
#define SPML_WAS_READ
#endif

// The expansions end in a static_assert so that the semicolon after the macro belongs to something.
#undef SPML_SIMD_BEGIN
#define SPML_SIMD_BEGIN()         \
  HWY_BEFORE_NAMESPACE();         \
  namespace spml::HWY_NAMESPACE { \
  namespace {                     \
  static_assert(true, "")

#undef SPML_SIMD_END
#define SPML_SIMD_END() \
  }                     \
  }                     \
  HWY_AFTER_NAMESPACE()

#undef SPML_DISPATCH
#if HWY_ONCE  // the last reading: all instruction sets are there
#define SPML_DISPATCH(kernel, Settings)                           \
  namespace spml {                                                \
  namespace {                                                     \
  HWY_EXPORT(kernel);                                             \
  double kernel(const LossCall& call, const Settings& settings) { \
    return HWY_DYNAMIC_DISPATCH(kernel)(call, settings);          \
  }                                                               \
  }                                                               \
  }                                                               \
  static_assert(true, "")
#else
#define SPML_DISPATCH(kernel, Settings) static_assert(true, "")
#endif
