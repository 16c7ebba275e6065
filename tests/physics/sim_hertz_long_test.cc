// Hertz on a mesh of 15 000 degrees of freedom: the error falls below 3 %.
#include "support/hertz.h"

namespace cornet::sim {
namespace {

TEST(Hertz, FineMesh) {
  const double coarse = hertz_error(2), fine = hertz_error(3);
  EXPECT_LT(fine, 0.03);
  EXPECT_LT(fine, 0.75 * coarse);
}

}  // namespace
}  // namespace cornet::sim
