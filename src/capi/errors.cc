// Errors of the C interface: a code for the program, one line for people, kept for each thread by itself.
#include <limits>
#include <new>

#include "capi/handles.h"

namespace cornet::capi {
namespace {

std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

int keep(const char* function, const char* what, int code) noexcept {
  try {
    last_error() = fmt::format("{}: {}", function, what);
  } catch (...) {
    last_error().clear();  // no memory for the words; the code still tells
  }
  return code;
}

}  // namespace

int keep_error(const char* function) noexcept {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return keep(function, error.what(), CORNET_INVALID_ARGUMENT);
  } catch (const InvalidProblem& error) {
    return keep(function, error.what(), CORNET_INVALID_PROBLEM);
  } catch (const InvalidOption& error) {
    return keep(function, error.what(), CORNET_INVALID_OPTION);
  } catch (const IoError& error) {
    return keep(function, error.what(), CORNET_IO_ERROR);
  } catch (const MissingFeature& error) {
    return keep(function, error.what(), CORNET_MISSING_FEATURE);
  } catch (const MemoryLimit& error) {
    return keep(function, error.what(), CORNET_OUT_OF_MEMORY);
  } catch (const Error& error) {
    return keep(function, error.what(), CORNET_UNDECIDED);
  } catch (const std::bad_alloc&) {
    return keep(function, "out of memory", CORNET_OUT_OF_MEMORY);
  } catch (const std::exception& error) {
    return keep(function, error.what(), CORNET_INTERNAL_ERROR);
  } catch (...) {
    return keep(function, "an exception of an unknown kind", CORNET_INTERNAL_ERROR);
  }
}

void refuse(const std::string& argument, const std::string& found, const std::string& expected) {
  throw InvalidArgument(fmt::format("{}: found {}, expected {}", argument, found, expected));
}

int checked_size(std::int64_t value, const std::string& argument, std::int64_t least) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (value < least || value > kMost) refuse(argument, std::to_string(value), fmt::format("a number from {} to {}", least, kMost));
  return static_cast<int>(value);
}

std::string known_name(const char* name, const std::set<std::string>& known, const char* owner) {
  std::string text = not_null(name, "name");
  if (!known.count(text)) refuse("name", fmt::format("'{}'", text), fmt::format("one of {} ({})", fmt::join(known, ", "), owner));
  return text;
}

const Problem& usable(const cornet_problem* problem) {
  not_null(problem, "problem");
  if (!problem->unset.empty())
    throw InvalidProblem(fmt::format("problem: found {} not set, expected all of {}", fmt::join(problem->unset, ", "),
                                     problem->problem.index() == 0 ? "W, mu, q" : "H, M, f, mu, w"));
  validate(problem->problem);
  return problem->problem;
}

std::int64_t reactions(const Problem& problem) { return std::int64_t{dimension(problem)} * contacts(problem); }

}  // namespace cornet::capi

extern "C" {

const char* cornet_last_error(void) { return cornet::capi::last_error().c_str(); }

const char* cornet_version(void) { return cornet::version(); }

}  // extern "C"
