// Reads a problem file, says whether a solution must exist, solves with progress on standard error, certifies once more and stores the
// answer.
// Usage: solve_file IN.hdf5 OUT.hdf5 [SOLVER]
#include <cornet/error.h>
#include <cornet/io.h>
#include <cornet/result.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: solve_file IN.hdf5 OUT.hdf5 [SOLVER]\n");
    return 2;
  }
  try {
    const cornet::Problem problem = cornet::read(argv[1]);
    std::printf("%s form, %d contacts in %dD\n", form_name(problem), contacts(problem), dimension(problem));

    const cornet::Existence existence = cornet::check_existence(problem);
    std::printf("existence: %s\n", existence.sentence.c_str());

    cornet::RunOptions options;
    if (argc > 3) options.solver = argv[3];
    options.tolerance = 1e-9;
    options.callback = [](const cornet::HistoryEntry& entry) {
      if (entry.iteration % 100 == 0) std::fprintf(stderr, "iteration %ld, residual %.1e\n", entry.iteration, entry.own_residual);
      return true;  // false stops the solve
    };
    const cornet::Result result = cornet::solve(problem, options);
    std::printf("%s in %.2g s by %s\n", result.message.c_str(), result.time, result.solver.c_str());

    const cornet::Certificate proof = cornet::certify(problem, result.x);  // needs nothing but the reactions
    std::printf("error %.1e; %d take off, %d stick, %d slide\n", proof.error, proof.take_off, proof.stick, proof.slide);
    cornet::write(argv[2], problem, result.x);
    return result.solved() ? 0 : 1;
  } catch (const cornet::Error& error) {  // what is wrong with the file, the problem or an option
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
