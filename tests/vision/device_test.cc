#include "vision/device.h"

#include "testing.h"

namespace spml {
namespace {

bool yes() { return true; }
bool no() { return false; }
bool never_asked() {
  ADD_FAILURE() << "LibTorch need not be loaded for this";
  return false;
}

TEST(Device, AutoIsACardOnlyWhereLibTorchCanUseIt) {
  EXPECT_FALSE(means_processor("auto", yes, yes));
  EXPECT_TRUE(means_processor("auto", yes, no));
  EXPECT_TRUE(means_processor("auto", no, never_asked));
}

TEST(Device, ANamedDeviceIsTaken) {
  EXPECT_TRUE(means_processor("cpu", yes, never_asked));
  EXPECT_FALSE(means_processor("cuda", no, never_asked));
  EXPECT_FALSE(means_processor("cuda:0", no, never_asked));
  EXPECT_FALSE(means_processor("cuda:12", no, never_asked));
}

TEST(Device, OtherNamesAreUsageErrors) {
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:1234", "cuda:-1", "CPU"}) {
    EXPECT_SPML_ERROR(means_processor(name, no, never_asked),
                      testing::HasSubstr("expected auto, cpu, cuda or cuda:N"));
  }
}

}  // namespace
}  // namespace spml
