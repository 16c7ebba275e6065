// What solve() costs in C++, one solve per line read: solve_wall FILE [SOLVER]. bench/python_overhead.py drives it, so that solves from C++
// and from Python take turns on the same machine. Each line of the answer: seconds by the clock, seconds of the processor, iterations.
#include <chrono>
#include <ctime>
#include <iostream>
#include <string>

#include "cornet/io.h"
#include "cornet/result.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "solve_wall FILE [SOLVER]\n";
    return 2;
  }
  const cornet::Problem problem = cornet::read(argv[1]);
  cornet::RunOptions options;
  if (argc > 2) options.solver = argv[2];
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor = std::clock();
    const cornet::Result result = cornet::solve(problem, options);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double used = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
    std::cout << wall.count() << ' ' << used << ' ' << result.iterations << std::endl;
  }
}
