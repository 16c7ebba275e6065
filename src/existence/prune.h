// Contacts that decide nothing: contact α is free when the degrees of freedom that no other contact uses can give it any relative velocity,
//
//   B_α = ( P_α  Q_α ),   P_α: columns with entries in the rows of α only,   rank P_α = d.
//
// Whatever the other contacts need, u^α = |w| e_N can be had afterwards, so α leaves the problem; its columns leave with it and may make
// neighbours free: a body with one contact, a node of a finite element mesh, a chain of beads from its end. In a certificate r^α = 0.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <vector>

#include "convex/conic_qp.h"

namespace cornet {

class Pruning {
 public:
  /// `fixed[j]`: column j also occurs in a bilateral constraint and belongs to nobody.
  Pruning(const SparseRows& B, int dim, const std::vector<bool>& fixed) : dim_(dim) {
    const int nc = static_cast<int>(B.rows()) / dim, n = static_cast<int>(B.cols());
    std::vector<int> users(n, 0);      // contacts that still use a column
    std::vector<long> user_sum(n, 0);  // sum of their numbers: with one user left, its number
    std::vector<std::vector<int>> columns(nc);
    for (int a = 0; a < nc; ++a) {
      auto& own = columns[a];
      for (int i = 0; i < dim; ++i)
        for (SparseRows::InnerIterator e(B, a * dim + i); e; ++e)
          if (e.value() != 0) own.push_back(static_cast<int>(e.col()));
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      for (int j : own) {
        ++users[j];
        user_sum[j] += a;
      }
    }
    for (int j = 0; j < n; ++j)
      if (fixed[j]) users[j] = nc + 1;
    std::vector<char> gone(nc, 0), waiting(nc, 1);
    std::vector<int> queue(nc);
    std::iota(queue.begin(), queue.end(), 0);
    while (!queue.empty()) {
      const int a = queue.back();
      queue.pop_back();
      waiting[a] = 0;
      if (gone[a]) continue;
      std::vector<int> own;
      for (int j : columns[a])
        if (users[j] == 1) own.push_back(j);
      if (static_cast<int>(own.size()) < dim || !spans(B, a, own)) continue;
      gone[a] = 1;
      removed_.push_back({a, own});
      for (int j : columns[a]) {
        --users[j];
        user_sum[j] -= a;
        if (users[j] != 1) continue;
        const int other = static_cast<int>(user_sum[j]);
        if (!gone[other] && !waiting[other]) {
          waiting[other] = 1;
          queue.push_back(other);
        }
      }
    }
    column_of_.assign(n, -1);
    for (int a = 0; a < nc; ++a) {
      if (gone[a]) continue;
      kept_.push_back(a);
      for (int j : columns[a]) column_of_[j] = 0;
    }
    for (int j = 0; j < n; ++j)
      if (fixed[j]) column_of_[j] = 0;
    for (int& j : column_of_)
      if (j == 0) j = kept_columns_++;
  }

  const std::vector<int>& kept() const { return kept_; }
  bool nothing() const { return removed_.empty(); }
  int kept_columns() const { return kept_columns_; }
  int column_of(int j) const { return column_of_[j]; }  ///< −1: gone

  /// v of the kept columns → v of all, with u^α = target e_N at the contacts that went.
  Eigen::VectorXd lift(const SparseRows& B, const Eigen::VectorXd& w, const Eigen::VectorXd& kept, double target) const {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(B.cols());
    for (std::size_t j = 0; j < column_of_.size(); ++j)
      if (column_of_[j] >= 0) v[static_cast<Eigen::Index>(j)] = kept[column_of_[j]];
    for (auto it = removed_.rbegin(); it != removed_.rend(); ++it) {
      const Eigen::MatrixXd P = own_part(B, it->contact, it->columns);
      for (int pass = 0; pass < 2; ++pass) {
        Eigen::VectorXd rest = Eigen::VectorXd::Zero(dim_);
        rest[0] = target;
        for (int i = 0; i < dim_; ++i) {
          rest[i] -= w[it->contact * dim_ + i];
          for (SparseRows::InnerIterator e(B, it->contact * dim_ + i); e; ++e) rest[i] -= e.value() * v[e.col()];
        }
        const Eigen::VectorXd step = P.transpose() * (P * P.transpose()).partialPivLu().solve(rest);
        for (std::size_t k = 0; k < it->columns.size(); ++k) v[it->columns[k]] += step[static_cast<Eigen::Index>(k)];
      }
    }
    return v;
  }

 private:
  struct Removed {
    int contact;
    std::vector<int> columns;
  };

  Eigen::MatrixXd own_part(const SparseRows& B, int a, const std::vector<int>& own) const {
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(dim_, static_cast<Eigen::Index>(own.size()));
    for (int i = 0; i < dim_; ++i)
      for (SparseRows::InnerIterator e(B, a * dim_ + i); e; ++e) {
        const auto at = std::lower_bound(own.begin(), own.end(), static_cast<int>(e.col()));
        if (at != own.end() && *at == e.col()) P(i, at - own.begin()) += e.value();
      }
    return P;
  }

  // Full row rank by a wide margin, measured against all of B_α: σ_min² > 1e-8 ‖B_α‖².
  bool spans(const SparseRows& B, int a, const std::vector<int>& own) const {
    const Eigen::MatrixXd P = own_part(B, a, own);
    double size = 0;
    for (int i = 0; i < dim_; ++i)
      for (SparseRows::InnerIterator e(B, a * dim_ + i); e; ++e) size += e.value() * e.value();
    const Eigen::MatrixXd gram = P * P.transpose();
    // Smallest eigenvalue ≥ det / trace^(d−1).
    return gram.determinant() > 1e-8 * size * std::pow(gram.trace(), dim_ - 1);
  }

  int dim_;
  int kept_columns_ = 0;
  std::vector<int> kept_, column_of_;
  std::vector<Removed> removed_;
};

}  // namespace cornet
