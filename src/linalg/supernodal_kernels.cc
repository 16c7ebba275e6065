#include "linalg/supernodal_kernels.h"

#include <limits>

#include "linalg/stop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cornet {
namespace {

namespace portable {
#define CORNET_TARGET
struct Pack {
  double v[4];
};
inline Pack load(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
inline Pack load_part(const double* p, int count) {
  Pack a{};
  for (int i = 0; i < (count < 4 ? count : 4); ++i) a.v[i] = p[i];
  return a;
}
inline void store(double* p, const Pack& a) {
  for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
inline void store_part(double* p, const Pack& a, int count) {
  for (int i = 0; i < (count < 4 ? count : 4); ++i) p[i] = a.v[i];
}
inline Pack broadcast(double x) { return {{x, x, x, x}}; }
inline Pack zero() { return {}; }
inline Pack multiply(Pack a, const Pack& b) {
  for (int i = 0; i < 4; ++i) a.v[i] *= b.v[i];
  return a;
}
inline Pack add(Pack a, const Pack& b) {
  for (int i = 0; i < 4; ++i) a.v[i] += b.v[i];
  return a;
}
inline Pack subtract(Pack a, const Pack& b) {
  for (int i = 0; i < 4; ++i) a.v[i] -= b.v[i];
  return a;
}
inline Pack multiply_add(const Pack& a, const Pack& b, Pack c) {
  for (int i = 0; i < 4; ++i) c.v[i] += a.v[i] * b.v[i];
  return c;
}
inline Pack multiply_subtract(const Pack& a, const Pack& b, Pack c) {
  for (int i = 0; i < 4; ++i) c.v[i] -= a.v[i] * b.v[i];
  return c;
}
inline double sum(const Pack& a) { return (a.v[0] + a.v[1]) + (a.v[2] + a.v[3]); }
#include "linalg/supernodal_kernels.inc"
#undef CORNET_TARGET
}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {
#define CORNET_TARGET __attribute__((target("avx2,fma")))
using Pack = __m256d;
alignas(32) constexpr long long kMasks[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
CORNET_TARGET inline __m256i mask(int count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMasks + 4 - (count < 4 ? count : 4)));
}
CORNET_TARGET inline Pack load(const double* p) { return _mm256_loadu_pd(p); }
CORNET_TARGET inline Pack load_part(const double* p, int count) { return _mm256_maskload_pd(p, mask(count)); }
CORNET_TARGET inline void store(double* p, Pack a) { _mm256_storeu_pd(p, a); }
CORNET_TARGET inline void store_part(double* p, Pack a, int count) { _mm256_maskstore_pd(p, mask(count), a); }
CORNET_TARGET inline Pack broadcast(double x) { return _mm256_set1_pd(x); }
CORNET_TARGET inline Pack zero() { return _mm256_setzero_pd(); }
CORNET_TARGET inline Pack multiply(Pack a, Pack b) { return _mm256_mul_pd(a, b); }
CORNET_TARGET inline Pack add(Pack a, Pack b) { return _mm256_add_pd(a, b); }
CORNET_TARGET inline Pack subtract(Pack a, Pack b) { return _mm256_sub_pd(a, b); }
CORNET_TARGET inline Pack multiply_add(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
CORNET_TARGET inline Pack multiply_subtract(Pack a, Pack b, Pack c) { return _mm256_fnmadd_pd(a, b, c); }
CORNET_TARGET inline double sum(Pack a) {
  const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}
#include "linalg/supernodal_kernels.inc"
#undef CORNET_TARGET
}  // namespace avx2
#endif

}  // namespace

const DenseKernels& portable_kernels() { return portable::kKernels; }

const DenseKernels* avx2_kernels() {
#if defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (supported) return &avx2::kKernels;
#endif
  return nullptr;
}

const DenseKernels& dense_kernels() {
  static const DenseKernels& fastest = avx2_kernels() ? *avx2_kernels() : portable_kernels();
  return fastest;
}

}  // namespace cornet
