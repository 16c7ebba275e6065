"""What Python adds: cornet.solve() beside solve() in C++, and `import cornet`.

    PYTHONPATH=BUILD/python bench/python_overhead.py BUILD/bench/solve_wall [--rounds N]

Two processes, both fresh for each problem, one in Python and one in C++, take turns, eight solves each. (Fresh, because the heap that
earlier work has left behind changes the times of either by 10 %.) The least of all rounds is compared, by the clock and by the time of the
processor, which other programs on the machine disturb less. Exit code 1 when a solve of about 300 contacts costs more than 5 % more by the
processor's time, or an import takes 0.3 s.
"""
import argparse
import statistics
import subprocess
import sys
import tempfile
import time

import cornet
import numpy as np

# The counterpart of bench/solve_wall.cc.
PYTHON = """
import sys, time
import cornet
problem = cornet.read(sys.argv[1])
for line in sys.stdin:
    start, processor = time.perf_counter(), time.process_time()
    x = cornet.solve(problem, sys.argv[2], check=None)
    used = time.process_time() - processor
    print(time.perf_counter() - start, used, x.iterations, flush=True)
"""


class Side:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1)
        self.times, self.iterations = [], set()

    def solve(self):
        self.process.stdin.write("\n")
        wall, used, iterations = self.process.stdout.readline().split()
        self.times.append((float(wall), float(used)))
        self.iterations.add(int(iterations))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def build(problem):
    if problem.form == "local":
        return cornet.LocalProblem(problem.W, problem.q, problem.mu, problem.dim)
    return cornet.GlobalProblem(problem.M, problem.H, problem.f, problem.w, problem.mu, problem.dim, problem.G, problem.b)


def measure(program, folder, name, problem, solver, rounds):
    path = f"{folder}/{name}-{problem.form}.hdf5"
    cornet.write(path, problem)
    python, cpp, built = Side(sys.executable, "-c", PYTHON, path, solver), Side(program, path, solver), []
    for _ in range(rounds):
        for side in (python, cpp):
            for _ in range(8):
                side.solve()
        start = time.perf_counter()
        build(problem)
        built.append(time.perf_counter() - start)
    for side in (python, cpp):
        side.close()
    assert python.iterations == cpp.iterations, "the same solve"
    (wall_python, used_python), (wall_cpp, used_cpp) = np.min(python.times, axis=0), np.min(cpp.times, axis=0)
    print(f"| {name} | {problem.form} | {problem.contacts} | {solver} | {1e3 * wall_cpp:.3f} | {1e3 * wall_python:.3f} "
          f"| {100 * (wall_python / wall_cpp - 1):+.1f} % | {100 * (used_python / used_cpp - 1):+.1f} % | {1e3 * min(built):.2f} |",
          flush=True)
    return used_python / used_cpp


def import_times(module):
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return [float(subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8").stdout) for _ in range(9)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    samples = cornet.samples()
    beads = cornet.simulate("beads", time=0.8, count=200).problem
    print("| problem | form | contacts | solver | C++, ms | Python, ms | clock | processor | problem from SciPy, ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, problem, solvers in (("sphere-lattice-5x5x3", samples["sphere-lattice-5x5x3"], ("auto", "nsgs-ac")),
                                       ("brick-wall-4x3", samples["brick-wall-4x3"], ("auto",)), ("beads", beads, ("auto",))):
            for solver in solvers:
                for form in (problem, cornet.reduce(problem)):
                    worst = max(worst, measure(arguments.program, folder, name, form, solver, arguments.rounds))
        tiny = cornet.LocalProblem(np.eye(3), [-1.0, 3.0, 0.0], [0.5])
        measure(arguments.program, folder, "one contact", tiny, "auto", 10 * arguments.rounds)
    ours, numpy = import_times("cornet"), import_times("numpy")
    print(f"\nimport cornet: {1e3 * min(ours):.0f} ms at least, {1e3 * statistics.median(ours):.0f} ms median; numpy alone: "
          f"{1e3 * min(numpy):.0f} and {1e3 * statistics.median(numpy):.0f} ms")
    return 1 if worst > 1.05 or statistics.median(ours) > 0.3 else 0


if __name__ == "__main__":
    sys.exit(main())
