#include "core/delassus.h"

#include <algorithm>
#include <cmath>

#include "core/local_system.h"
#include "linalg/stop.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cornet {
namespace {

// p = M⁻¹ p of a body with unsymmetric M.
template <int D>
void push(const Bodies<D>& bodies, int body, double* p) {
  if (bodies.unsymmetric[body] < 0) return;
  Eigen::Map<Eigen::Matrix<double, Bodies<D>::kRows, 1>> force(p);
  force = (bodies.inverse[bodies.unsymmetric[body]] * force).eval();
}

// u += Σ_bodies (L⁻¹H)ᵀ (L⁻¹H) r. The sums over the contacts are kept apart per component of r and joined once per body: no horizontal
// sums inside, and the same order of operations as below.
template <int D>
void product(const Bodies<D>& bodies, const double* r, double* u) {
  constexpr int R = Bodies<D>::kRows;
  for (int body = 0; body < bodies.size(); ++body) {
    const int begin = bodies.start[body], end = bodies.start[body + 1];
    const double* h = bodies.h.data() + static_cast<std::size_t>(begin) * Bodies<D>::kBlock;
    double sums[R * D] = {}, p[R];
    for (int k = begin; k < end; ++k) {
      const double *r_k = r + static_cast<std::size_t>(bodies.contact[k]) * D, *h_k = h + (k - begin) * Bodies<D>::kBlock;
      for (int i = 0; i < R; ++i)
        for (int j = 0; j < D; ++j) sums[i * D + j] += h_k[i * D + j] * r_k[j];
    }
    for (int i = 0; i < R; ++i) {
      p[i] = sums[i * D];
      for (int j = 1; j < D; ++j) p[i] += sums[i * D + j];
    }
    push(bodies, body, p);
    for (int k = begin; k < end; ++k) {
      double* u_k = u + static_cast<std::size_t>(bodies.contact[k]) * D;
      const double* h_k = h + (k - begin) * Bodies<D>::kBlock;
      for (int j = 0; j < D; ++j) {
        double sum = h_k[j] * p[0];
        for (int i = 1; i < R; ++i) sum += h_k[i * D + j] * p[i];
        u_k[j] += sum;
      }
    }
  }
}

#if defined(__x86_64__)
// Rows of a block as unaligned loads of four numbers; the fourth belongs to the next row and its sum is dropped.
__attribute__((target("avx"))) void product_avx(const Bodies<3>& bodies, const double* r, double* u) {
  for (int body = 0; body < bodies.size(); ++body) {
    const int begin = bodies.start[body], end = bodies.start[body + 1];
    const double* h = bodies.h.data() + static_cast<std::size_t>(begin) * 18;
    __m256d sums[6];
    for (auto& s : sums) s = _mm256_setzero_pd();
    const double* h_k = h;
    for (int k = begin; k < end; ++k, h_k += 18) {
      const double* r_k = r + static_cast<std::size_t>(bodies.contact[k]) * 3;
      const __m256d x = _mm256_set_pd(0, r_k[2], r_k[1], r_k[0]);
      for (int i = 0; i < 6; ++i) sums[i] = _mm256_add_pd(sums[i], _mm256_mul_pd(_mm256_loadu_pd(h_k + 3 * i), x));
    }
    double p[6];
    for (int i = 0; i < 6; ++i) {
      alignas(32) double s[4];
      _mm256_store_pd(s, sums[i]);
      p[i] = s[0] + s[1] + s[2];
    }
    push(bodies, body, p);
    h_k = h;
    for (int k = begin; k < end; ++k, h_k += 18) {
      double* u_k = u + static_cast<std::size_t>(bodies.contact[k]) * 3;
      __m256d sum = _mm256_mul_pd(_mm256_loadu_pd(h_k), _mm256_set1_pd(p[0]));
      for (int i = 1; i < 6; ++i) sum = _mm256_add_pd(sum, _mm256_mul_pd(_mm256_loadu_pd(h_k + 3 * i), _mm256_set1_pd(p[i])));
      _mm_storeu_pd(u_k, _mm_add_pd(_mm_loadu_pd(u_k), _mm256_castpd256_pd128(sum)));
      _mm_store_sd(u_k + 2, _mm_add_sd(_mm_load_sd(u_k + 2), _mm256_extractf128_pd(sum, 1)));
    }
  }
}
#endif

}  // namespace

template <int D>
typename GlobalOperator<D>::Product GlobalOperator<D>::fastest_product() {
#if defined(__x86_64__)
  if constexpr (D == 3) {
    static const bool avx = __builtin_cpu_supports("avx");
    if (avx) return product_avx;
  }
#endif
  return product<D>;
}

template <int D>
GlobalOperator<D>::GlobalOperator(const GlobalProblem& problem) : components_(problem), bodies_(components_), mu_(problem.mu) {
  poll_before(0);
  Eigen::VectorXd v, lambda;
  components_.solve(components_.f, v, lambda);
  q_ = to_std(components_.H.transpose() * v + components_.w);
  norm_q_ = error_unit(q_);

  diagonal_.assign(mu_.size(), Mat<D>::Zero());
  using Rows = Eigen::Matrix<double, Bodies<D>::kRows, D, Eigen::RowMajor>;
  for (int body = 0; body < bodies_.size(); ++body)
    for (int k = bodies_.start[body]; k < bodies_.start[body + 1]; ++k) {
      const Rows h = Eigen::Map<const Rows>(bodies_.h.data() + static_cast<std::size_t>(k) * Bodies<D>::kBlock);
      const int index = bodies_.unsymmetric[body];
      diagonal_[bodies_.contact[k]] += index < 0 ? Mat<D>(h.transpose() * h) : Mat<D>(h.transpose() * (bodies_.inverse[index] * h));
    }
  Eigen::Index largest = 0, widest = 0;
  for (std::size_t k = 0; k < bodies_.parts.size(); ++k) {
    Part part{bodies_.parts[k], bodies_.lists[k], {}, {}};
    const Component& c = components_.parts[part.component];
    part.h = components_.contact_columns(part.component, part.contacts);
    const double m = static_cast<double>(part.h.cols());
    if (m * m <= c.cost() + 2.0 * static_cast<double>(part.h.nonZeros())) part.block = c.congruence(part.h);
    Eigen::VectorXd x(c.size());
    for (std::size_t a = 0; a < part.contacts.size(); ++a)
      for (int j = 0; j < D; ++j) {
        const int column = static_cast<int>(a) * D + j;
        if (part.block.size() > 0) {
          diagonal_[part.contacts[a]].col(j) += part.block.template block<D, 1>(static_cast<int>(a) * D, column);
        } else {
          x = part.h.col(column);
          c.solve(x.data());
          for (int i = 0; i < D; ++i) diagonal_[part.contacts[a]](i, j) += part.h.col(static_cast<int>(a) * D + i).dot(x);
        }
      }
    largest = std::max<Eigen::Index>(largest, c.size());
    widest = std::max<Eigen::Index>(widest, part.h.cols());
    parts_.push_back(std::move(part));
  }
  force_.resize(largest);
  reaction_.resize(widest);
  velocity_.resize(widest);
}

template <int D>
void GlobalOperator<D>::exact_velocities(const double* r, std::vector<long double>& u) const {
  constexpr int R = Bodies<D>::kRows;
  u.assign(q_.begin(), q_.end());
  for (int body = 0; body < bodies_.size(); ++body) {
    const double* h = bodies_.h.data() + static_cast<std::size_t>(bodies_.start[body]) * Bodies<D>::kBlock;
    const int count = bodies_.start[body + 1] - bodies_.start[body];
    const auto at = [&](int k) { return static_cast<std::size_t>(bodies_.contact[bodies_.start[body] + k]) * D; };
    long double p[R] = {};
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < R; ++i)
        for (int j = 0; j < D; ++j) p[i] += static_cast<long double>(h[k * Bodies<D>::kBlock + i * D + j]) * r[at(k) + j];
    if (const int index = bodies_.unsymmetric[body]; index >= 0) {
      long double moved[R] = {};
      for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j) moved[i] += bodies_.inverse[index](i, j) * p[j];
      std::copy(moved, moved + R, p);
    }
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < R; ++i)
        for (int j = 0; j < D; ++j) u[at(k) + j] += h[k * Bodies<D>::kBlock + i * D + j] * p[i];
  }
}

template <int D>
void GlobalOperator<D>::sizes(const double* r, std::vector<double>& out) const {
  using Rows = Eigen::Matrix<double, Bodies<D>::kRows, D, Eigen::RowMajor>;
  using Force = Eigen::Matrix<double, Bodies<D>::kRows, 1>;
  out.resize(q_.size());
  for (std::size_t k = 0; k < q_.size(); ++k) out[k] = std::abs(q_[k]);
  const auto h = [&](int k) {
    return Rows(Eigen::Map<const Rows>(bodies_.h.data() + static_cast<std::size_t>(k) * Bodies<D>::kBlock).cwiseAbs());
  };
  const auto at = [&](int k) { return static_cast<std::size_t>(bodies_.contact[k]) * D; };
  for (int body = 0; body < bodies_.size(); ++body) {
    Force p = Force::Zero();
    for (int k = bodies_.start[body]; k < bodies_.start[body + 1]; ++k) p += h(k) * Eigen::Map<const Vec<D>>(r + at(k)).cwiseAbs();
    if (bodies_.unsymmetric[body] >= 0) p = (bodies_.inverse[bodies_.unsymmetric[body]].cwiseAbs() * p).eval();
    for (int k = bodies_.start[body]; k < bodies_.start[body + 1]; ++k) Eigen::Map<Vec<D>>(out.data() + at(k)) += h(k).transpose() * p;
  }
}

template <int D>
void GlobalOperator<D>::velocities(const double* r, double* u) const {
  std::copy(q_.begin(), q_.end(), u);
  product_(bodies_, r, u);
  for (const Part& part : parts_) {
    const Eigen::Index m = part.h.cols();
    auto reaction = reaction_.head(m), velocity = velocity_.head(m);
    for (std::size_t a = 0; a < part.contacts.size(); ++a)
      reaction.template segment<D>(static_cast<Eigen::Index>(a) * D) =
          Eigen::Map<const Vec<D>>(r + static_cast<std::size_t>(part.contacts[a]) * D);
    if (part.block.size() > 0) {
      velocity.noalias() = part.block * reaction;
    } else {
      auto force = force_.head(part.h.rows());
      force.setZero();
      for (int j = 0; j < part.h.cols(); ++j)
        for (SparseColumns::InnerIterator it(part.h, j); it; ++it) force[it.row()] += it.value() * reaction[j];
      components_.parts[part.component].solve(force_.data());
      for (int j = 0; j < part.h.cols(); ++j) {
        double sum = 0;
        for (SparseColumns::InnerIterator it(part.h, j); it; ++it) sum += it.value() * force[it.row()];
        velocity[j] = sum;
      }
    }
    for (std::size_t a = 0; a < part.contacts.size(); ++a)
      Eigen::Map<Vec<D>>(u + static_cast<std::size_t>(part.contacts[a]) * D) +=
          velocity.template segment<D>(static_cast<Eigen::Index>(a) * D);
  }
}

// ‖W^αβ‖ ≤ √(‖W^αα‖ ‖W^ββ‖) body by body for a semidefinite W; the skew part of an unsymmetric M is covered by the factor 2.
template <int D>
double GlobalOperator<D>::norm_bound() const {
  std::vector<double> sum(mu_.size(), 0.0);
  const auto add = [&](const int* begin, const int* end) {
    double total = 0;
    for (const int* a = begin; a != end; ++a) total += std::sqrt(diagonal_[*a].norm());
    for (const int* a = begin; a != end; ++a) sum[*a] += total * std::sqrt(diagonal_[*a].norm());
  };
  for (int body = 0; body < bodies_.size(); ++body)
    add(bodies_.contact.data() + bodies_.start[body], bodies_.contact.data() + bodies_.start[body + 1]);
  for (const Part& part : parts_) add(part.contacts.data(), part.contacts.data() + part.contacts.size());
  double largest = 0;
  for (double s : sum) largest = std::max(largest, s);
  return bodies_.inverse.empty() ? largest : 2 * largest;
}

template class GlobalOperator<2>;
template class GlobalOperator<3>;

}  // namespace cornet
