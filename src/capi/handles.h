// What the handles of the C interface hold, and how exceptions become error codes.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cornet/cornet_c.h"
#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/result.h"

struct cornet_problem {
  cornet::Problem problem;
  std::set<std::string> unset;  ///< letters that must be set before the problem can be used
  int base = 0;                 ///< of indices that are set
};

struct cornet_options {
  cornet::RunOptions run;
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);
};

struct cornet_session {
  cornet::Session session;
  std::shared_ptr<std::atomic<bool>> stop;  ///< shared with the options, so that these may be freed first
};

struct cornet_result {
  int status = -1;
  std::map<std::string, double> reals;
  std::map<std::string, std::int64_t> integers;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<double>> vectors;
  std::map<std::string, std::vector<std::int32_t>> integer_vectors;
  std::set<std::string> names;  ///< of all the above
};

namespace cornet::capi {

/// An argument of a call is wrong: becomes CORNET_INVALID_ARGUMENT.
class InvalidArgument : public Error {
  using Error::Error;
};

/// Keeps the text for cornet_last_error and returns the code of the exception being handled.
int keep_error(const char* function) noexcept;

/// Runs the body of an interface function; no exception leaves it.
template <class Body>
int guarded(const char* function, Body&& body) noexcept {
  try {
    body();
    return CORNET_OK;
  } catch (...) {
    return keep_error(function);
  }
}

[[noreturn]] void refuse(const std::string& argument, const std::string& found, const std::string& expected);

template <class Pointer>
Pointer* not_null(Pointer* pointer, const char* argument) {
  if (!pointer) refuse(argument, "NULL", "a pointer");
  return pointer;
}

/// A size within int, for which `least` ≤ value; returns it as int.
int checked_size(std::int64_t value, const std::string& argument, std::int64_t least = 0);

/// A name among the known ones.
std::string known_name(const char* name, const std::set<std::string>& known, const char* owner);

/// The problem of a handle, complete and valid.
const Problem& usable(const cornet_problem* problem);

/// m = dim · contacts of a problem.
std::int64_t reactions(const Problem& problem);

}  // namespace cornet::capi
