"""Several solvers on one problem, and how they converge: compare_solvers.py [PROBLEM.hdf5 [FIGURE.png]]"""
import sys

import cornet

problem = cornet.read(sys.argv[1]) if len(sys.argv) > 1 else cornet.samples()["sphere-lattice-5x5x3"]
ids = ["auto", "nsgs-ac", "nsn-ac-gp", "spg", "newton-ipm"]

print(f"{'solver':<12} {'status':<16} {'error':>8} {'iterations':>10} {'time in ms':>10}")
results = {}
for id in ids:
    info = cornet.solvers(id)
    if problem.dim not in info["dimensions"]:
        continue
    x = cornet.solve(problem, solver=id, tol=1e-8, time_limit=20, history=True, check=None)
    print(f"{id:<12} {x.status:<16} {x.error:8.1e} {x.iterations:10} {1000 * x.time:10.2f}")
    if x.iterations:
        results[id] = x

if len(sys.argv) > 2:
    import matplotlib.pyplot as plt

    ax = cornet.plot.convergence(results, against="time")
    ax.set_xscale("log")
    plt.savefig(sys.argv[2], dpi=120)

assert results["auto"].solved
