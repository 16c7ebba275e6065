// Exceptions of the places where outside data enters. Numerical outcomes are never exceptions: see Status in result.h.
#pragma once

#include <stdexcept>
#include <string>

namespace cornet {

/// Base of all exceptions thrown on purpose. `what()` is one line: where, what was found, what was expected.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The data of a problem contradict each other or the definition in problem.h.
class InvalidProblem : public Error {
  using Error::Error;
};

/// An unknown solver id, an unknown option, or a value out of its range.
class InvalidOption : public Error {
  using Error::Error;
};

/// A file cannot be read, is not what its name says, or cannot be written.
class IoError : public Error {
  using Error::Error;
};

/// The data are legal but this build or version cannot handle them (rolling friction, for example).
class MissingFeature : public Error {
  using Error::Error;
};

}  // namespace cornet
