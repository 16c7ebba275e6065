#!/usr/bin/python3
"""Which solver solves which problem of a folder of FCLIB files?

    bench/reference_set.py CORNET DATA_FOLDER [--tol 1e-4] [--time-limit 20] [--solvers a,b] [--max-contacts 600] [--jobs 1] [--out FILE.csv]

Runs `cornet solve` for every file and solver, re-checks nothing by itself (the program certifies) and prints, per solver and for the union,
how many problems were solved, then the problems that nobody solved. The campaign tool will replace this script."""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys


def run(cornet, path, solver, tol, limit):
    command = [cornet, "solve", str(path), "--solver", solver, "--tol", tol, "--time-limit", str(limit), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"status": "crash", "error": None, "time": None, "iterations": None, "message": done.stderr.strip()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cornet")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tol", default="1e-4")
    parser.add_argument("--time-limit", type=float, default=20)
    parser.add_argument("--solvers", default="")
    parser.add_argument("--max-contacts", type=int, default=10**9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--first", action="store_true", help="stop at the first solver that solves a problem (for the union only)")
    a = parser.parse_args()
    ids = a.solvers.split(",") if a.solvers else [s["id"] for s in json.loads(subprocess.check_output([a.cornet, "solvers", "--json"]))]
    files = sorted(a.folder.rglob("*.hdf5"))
    rows, unsolved, counted = [], [], 0

    def one(path):
        out = []
        for solver in ids:
            result = run(a.cornet, path, solver, a.tol, a.time_limit)
            if (result.get("number_of_contacts") or 0) > a.max_contacts:
                return None
            out.append((path, solver, result))
            if a.first and result["status"] == "solved":
                break
        return out

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for out in pool.map(one, files):
            if out is None:
                continue
            counted += 1
            rows += out
            if not any(r["status"] == "solved" for _, _, r in out):
                unsolved.append((out[0][0], [(s, r["status"], r.get("error")) for _, s, r in out]))
    for solver in ids:
        mine = [r for _, s, r in rows if s == solver]
        solved = [r for r in mine if r["status"] == "solved"]
        print(f"{solver:18s} solved {len(solved):4d} of {len(mine):4d}   time of the solved {sum(r['time'] for r in solved):9.3f} s")
    print(f"{'union':18s} solved {counted - len(unsolved):4d} of {counted:4d}")
    for path, results in unsolved:
        print("unsolved:", path.relative_to(a.folder), results)
    if a.out:
        with a.out.open("w", newline="") as f:
            writer = csv.writer(f)
            writer.writerow(["file", "solver", "tolerance", "status", "error", "time", "iterations"])
            for path, solver, r in rows:
                writer.writerow([path.relative_to(a.folder), solver, a.tol, r["status"], r.get("error"), r.get("time"), r.get("iterations")])
    return 0


if __name__ == "__main__":
    sys.exit(main())
