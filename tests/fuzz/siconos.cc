// Siconos text. What is read must survive FCLIB: written and read again, the problem is the same.
#include "cornet/io.h"
#include "fuzz/target.h"

namespace cornet::fuzz {

bool run_siconos(std::string_view bytes) {
  if (bytes.starts_with("\x89HDF")) return false;  // that is fclib.cc
  const MemoryFile file(bytes);
  return accepts(file.path() + ": ", [&] {
    const ProblemFile read = read_file(file.path());
    require(read.local.has_value() != read.global.has_value(), "a text file with both forms or none");
    const Problem problem = take_problem(read);
    validate(problem);
    require(dimension(problem) * contacts(problem) <= static_cast<int>(bytes.size()), "more contacts than the file has numbers");
  });
}

}  // namespace cornet::fuzz
