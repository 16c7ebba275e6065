// Reduction of a global problem to its contacts and the way back.
//
//   W = Σ_c H_cᵀ A_c⁻¹ H_c,      v_c = A_c⁻¹ (H_c r + f_c, −b_c)          c: the components of M and G (components.h)
//
// so rigid bodies cost 6×6 factorisations and W gets its contact-graph sparsity without any symbolic work. W is assembled block by block:
// first the contacts that share a component, column by column, then the D×D products of each body, added where they belong. Each
// off-diagonal block and its mirror image are sums of the same numbers in the same order: W is symmetric to the last bit when M is and there
// are no joints.
#include "cornet/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/components.h"
#include "cornet/error.h"
#include "linalg/small.h"
#include "linalg/stop.h"

namespace cornet {
namespace {

/// W in block columns while it is assembled; block k of a column stands at values[k·D²], column by column.
template <int D>
struct BlockAssembly {
  std::vector<long> start;
  std::vector<int> row;
  std::vector<double> values;

  /// The pattern: all pairs of contacts of one list; lists are sorted.
  BlockAssembly(int contacts, const Bodies<D>& bodies) {
    std::vector<int> count(contacts + 1, 0);
    const int lists = bodies.size() + static_cast<int>(bodies.lists.size());
    const auto list = [&](int k) {
      const int* begin = k < bodies.size() ? bodies.contact.data() + bodies.start[k] : bodies.lists[k - bodies.size()].data();
      const int* end = k < bodies.size() ? bodies.contact.data() + bodies.start[k + 1] : begin + bodies.lists[k - bodies.size()].size();
      return std::pair(begin, end);
    };
    for (int k = 0; k < lists; ++k)
      for (auto [p, end] = list(k); p != end; ++p) ++count[*p + 1];
    for (int a = 0; a < contacts; ++a) count[a + 1] += count[a];
    std::vector<int> of(count[contacts]), next(count.begin(), count.end() - 1);  // the lists of every contact
    for (int k = 0; k < lists; ++k)
      for (auto [p, end] = list(k); p != end; ++p) of[next[*p]++] = k;
    start.assign(contacts + 1, 0);
    check_entries(contacts, count, of, list);
    std::vector<int> merged;
    for (int a = 0; a < contacts; ++a) {
      const auto before = static_cast<std::ptrdiff_t>(row.size());
      for (int l = count[a]; l < count[a + 1]; ++l) {
        const auto [begin, end] = list(of[l]);
        if (l == count[a]) {
          row.insert(row.end(), begin, end);
        } else {
          merged.clear();
          std::set_union(row.begin() + before, row.end(), begin, end, std::back_inserter(merged));
          row.resize(static_cast<std::size_t>(before));
          row.insert(row.end(), merged.begin(), merged.end());
        }
      }
      start[a + 1] = static_cast<long>(row.size());
    }
    values.assign(row.size() * D * D, 0.0);
  }

  // The indices of W are int. Lists may overlap: where the sum of their squares is too large, the blocks are counted one by one.
  template <class List>
  static void check_entries(int contacts, const std::vector<int>& first, const std::vector<int>& of, List&& list) {
    constexpr double kMost = std::numeric_limits<int>::max();
    double bound = 0;
    for (int l : of) bound += static_cast<double>(list(l).second - list(l).first);
    if (bound * D * D <= kMost) return;
    std::vector<int> seen(contacts, -1);
    double blocks = 0;
    for (int a = 0; a < contacts; ++a) {
      for (int l = first[a]; l < first[a + 1]; ++l)
        for (auto [p, end] = list(of[l]); p != end; ++p)
          if (std::exchange(seen[*p], a) != a) ++blocks;
      poll(1e4);
      if (blocks * D * D > kMost)
        throw MissingFeature(fmt::format(
            "W: found more than {} entries in the reduction to {} contacts, expected fewer (indices of 32 bits); newton-ipm, spg, "
            "apgd and admm take the global form as it is",
            std::numeric_limits<int>::max(), contacts));
    }
  }

  /// Calls add(i, block) for the blocks of column `contact` that belong to the sorted rows [begin, end), i counting them.
  template <class Add>
  void each(int column, const int* begin, const int* end, Add&& add) {
    long k = start[column];
    for (const int* p = begin; p != end; ++p) {
      while (row[k] != *p) ++k;
      add(static_cast<int>(p - begin), values.data() + k * D * D);
    }
  }

  SparseMatrix to_columns() const {
    const int contacts = static_cast<int>(start.size()) - 1;
    SparseMatrix W;
    W.rows = W.cols = contacts * D;
    W.storage = Storage::csc;
    W.p.resize(static_cast<std::size_t>(contacts) * D + 1);
    W.i.resize(values.size());
    W.x.resize(values.size());
    W.p[0] = 0;
    std::size_t next = 0;
    for (int a = 0; a < contacts; ++a)
      for (int j = 0; j < D; ++j) {
        for (long k = start[a]; k < start[a + 1]; ++k)
          for (int i = 0; i < D; ++i, ++next) {
            W.i[next] = row[k] * D + i;
            W.x[next] = values[static_cast<std::size_t>(k) * D * D + j * D + i];
          }
        W.p[static_cast<std::size_t>(a) * D + j + 1] = static_cast<int>(next);
      }
    return W;
  }
};

// W(:, β) += h_aᵀ h_β for all contacts of one body with M = L Lᵀ, rows of h being L⁻¹H. The mirror image of a block sums the same products.
template <int D>
void add_body(const Bodies<D>& bodies, int body, BlockAssembly<D>& W) {
  constexpr int R = Bodies<D>::kRows;
  const int *begin = bodies.contact.data() + bodies.start[body], *end = bodies.contact.data() + bodies.start[body + 1];
  const double* h = bodies.h.data() + static_cast<std::size_t>(bodies.start[body]) * Bodies<D>::kBlock;
  double pushed[R * D];  // M⁻¹ h_β for an unsymmetric M
  for (const int* column = begin; column != end; ++column) {
    const double* h_column = h + (column - begin) * Bodies<D>::kBlock;
    if (bodies.unsymmetric[body] >= 0) {
      using Rows = Eigen::Matrix<double, R, D, Eigen::RowMajor>;
      Eigen::Map<Rows>(pushed).noalias() = bodies.inverse[bodies.unsymmetric[body]] * Eigen::Map<const Rows>(h_column);
      h_column = pushed;
    }
    W.each(*column, begin, end, [&](int a, double* block) {
      const double* h_a = h + a * Bodies<D>::kBlock;
      for (int j = 0; j < D; ++j)
        for (int i = 0; i < D; ++i) {
          double sum = h_a[i] * h_column[j];
          for (int k = 1; k < R; ++k) sum += h_a[k * D + i] * h_column[k * D + j];
          block[j * D + i] += sum;
        }
    });
  }
}

template <int D>
BlockAssembly<D> assemble_w(const Components& components) {
  const Bodies<D> bodies(components);
  BlockAssembly<D> W(static_cast<int>(components.H.cols()) / D, bodies);
  for (int body = 0; body < bodies.size(); ++body) {
    const double contacts = bodies.start[body + 1] - bodies.start[body];
    poll(2.0 * contacts * contacts * D * D * Bodies<D>::kRows);
    add_body(bodies, body, W);
  }
  for (std::size_t k = 0; k < bodies.parts.size(); ++k) {
    const auto& list = bodies.lists[k];
    const Eigen::MatrixXd block = components.parts[bodies.parts[k]].congruence(components.contact_columns(bodies.parts[k], list));
    for (std::size_t b = 0; b < list.size(); ++b)
      W.each(list[b], list.data(), list.data() + list.size(),
             [&](int a, double* target) { Eigen::Map<Mat<D>>{target} += block.block<D, D>(a * D, static_cast<Eigen::Index>(b) * D); });
  }
  return W;
}

}  // namespace

SparseMatrix delassus_matrix(const Components& components) {
  return with_dimension(components.dim, [&]<int D>() { return assemble_w<D>(components).to_columns(); });
}

namespace {

// All of the local problem but W.
LocalProblem without_w(const GlobalProblem& problem, const Components& components) {
  LocalProblem local;
  local.dim = problem.dim;
  local.mu = problem.mu;
  local.name = problem.name;
  local.info = problem.info;
  Eigen::VectorXd v, lambda;
  components.solve(components.f, v, lambda);
  local.q = to_std(components.H.transpose() * v + components.w);
  return local;
}

}  // namespace

LocalProblem local_problem(const GlobalProblem& problem, const Components& components) {
  LocalProblem local = without_w(problem, components);
  local.W = delassus_matrix(components);
  return local;
}

Iterate expanded(const Components& c, const std::vector<double>& r) {
  Eigen::VectorXd v, lambda;
  c.solve(c.H * as_vector(r) + c.f, v, lambda);
  return {r, to_std(c.H.transpose() * v + c.w), to_std(v), to_std(lambda)};
}

struct Reduction::Impl {
  explicit Impl(const GlobalProblem& problem) : components(problem), local(without_w(problem, components)) {}
  Components components;
  LocalProblem local;
};

Reduction::Reduction(const GlobalProblem& problem) {
  validate(problem);
  impl_ = std::make_unique<Impl>(problem);
}

Reduction::~Reduction() = default;
Reduction::Reduction(Reduction&&) noexcept = default;
Reduction& Reduction::operator=(Reduction&&) noexcept = default;

const LocalProblem& Reduction::local() const {
  if (impl_->local.W.p.empty()) impl_->local.W = delassus_matrix(impl_->components);
  return impl_->local;
}

Iterate Reduction::expand(const Iterate& local) const { return expanded(impl_->components, local.r); }

}  // namespace cornet
