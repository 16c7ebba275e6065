// Exceptions of the places where outside data enters. Numerical outcomes are never exceptions: see Status in result.h.
#pragma once

#include <stdexcept>
#include <string>

#include "cornet/export.h"

namespace cornet {

/// Base of all exceptions thrown on purpose. `what()` is one line: where, what was found, what was expected.
class CORNET_API Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The data of a problem contradict each other or the definition in problem.h.
class CORNET_API InvalidProblem : public Error {
  using Error::Error;
};

/// An unknown solver id, an unknown option, or a value out of its range.
class CORNET_API InvalidOption : public Error {
  using Error::Error;
};

/// A file cannot be read, is not what its name says, or cannot be written.
class CORNET_API IoError : public Error {
  using Error::Error;
};

/// The data are legal but this build or version cannot handle them (rolling friction, for example).
class CORNET_API MissingFeature : public Error {
  using Error::Error;
};

/// More memory is needed than the caller allows (RunOptions::memory_limit). Nothing was computed; `what()` has the estimate and the limit.
class CORNET_API MemoryLimit : public Error {
  using Error::Error;
};

}  // namespace cornet
