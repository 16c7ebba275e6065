// The three ways in which Siconos prints a matrix as text (docs/formats.md).
#pragma once

#include <string>

#include "cornet/problem.h"
#include "io/text_scanner.h"

namespace cornet::io {

struct TextMatrix {
  SparseMatrix matrix;  ///< compressed columns, or triplet when the file has triplets
  bool dense = false;   ///< the file lists every entry
  int digits = 0;       ///< the most significant digits of any entry
};

/// `name` is for messages.
TextMatrix read_siconos_matrix(TextScanner& scanner, const std::string& name);

/// max |A − Aᵀ| / max |A| of a square matrix, 0 for a zero matrix. Duplicates add.
double relative_asymmetry(const SparseMatrix& a);

}  // namespace cornet::io
