// How much longer a program with a sanitizer may take. The promises about time are for the program without.
#pragma once

namespace cornet::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kSlower = 20;
#else
inline constexpr double kSlower = 1;
#endif

}  // namespace cornet::test
