#!/usr/bin/python3
"""Speed and memory of the simulator on balls that settle in a box, in CPU seconds, so that a busy machine does little harm.

    sim_bench.py CORNET versus [--counts 300 1000] [--steps 150] [--tol 1e-4] [--seconds 300]     beside Siconos's mechanics
    sim_bench.py CORNET growth [--counts 300 1000 3000 10000] [--share 1] [--tol 1e-4]            cost and memory against size
    sim_bench.py CORNET settle [--count 10000] [--tol 1e-4]                                       until the pile is at rest
    sim_bench.py CORNET solvers [--steps 100]                                                     the default beside single solvers

versus: Siconos runs first, for `steps` steps or `seconds` of CPU time, whichever ends first; cornet then makes the same number of steps from the
same start. The comparison counts only when both see the same number of contacts to 10 %.
growth: a box of n balls is (n/300)^⅓ times as high, so that it takes (n/300)^⅙ times as long to collapse; the number of steps follows.
share < 1 ends every run earlier, at the same stage of the collapse. The memory is the peak of the process without that of an empty run.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS_300 = 200  # until 300 balls have come down


def simulate(cornet, scene, *arguments):
    """The report of a run with its CPU seconds and its peak memory in kB."""
    with tempfile.NamedTemporaryFile() as usage:
        command = [cornet, "simulate", scene, *map(str, arguments), "--json", "--quiet"]
        helper = ("import resource, subprocess, sys\n"
                  "done = subprocess.run(sys.argv[2:])\n"
                  "r = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
                  "open(sys.argv[1], 'w').write(f'{r.ru_utime + r.ru_stime} {r.ru_maxrss}')\n")
        done = subprocess.run([sys.executable, "-c", helper, usage.name, *command], capture_output=True, text=True)
        if not done.stdout:
            sys.exit(done.stderr)
        out = json.loads(done.stdout)
        out["cpu"], out["memory"] = map(float, open(usage.name).read().split())
    return out


def balls(count, tol):
    return ["--set", f"count={count}", "--tol", tol]


def versus(args):
    print(f"{'balls':>6} {'steps':>6} {'contacts':>9} {'Siconos':>9} {'steps/s':>9} {'Siconos':>9} {'ratio':>7}")
    for count in args.counts:
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "start.rec")
            simulate(args.cornet, "spheres-in-box", *balls(count, args.tol), "--steps", 1, "--record", record)
            theirs = json.loads(subprocess.run(
                [sys.executable, os.path.join(HERE, "siconos_spheres.py"), record, "--steps", str(args.steps), "--tol", str(args.tol),
                 "--seconds", str(args.seconds)], capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}).stdout)
            steps = theirs["steps"]
            ours = simulate(args.cornet, "spheres-in-box", *balls(count, args.tol), "--steps", steps)
        contacts, their_contacts = ours["contacts"]["mean"], sum(theirs["contacts"]) / steps
        rate, their_rate = steps / ours["cpu"], steps / sum(theirs["cpu"])
        print(f"{count:6} {steps:6} {contacts:9.0f} {their_contacts:9.0f} {rate:9.2f} {their_rate:9.3f} {rate / their_rate:7.1f}", end="")
        if abs(their_contacts / contacts - 1) > 0.1:
            print("   contacts differ by more than 10 %: not a comparison", end="")
        if ours["unsolved"]:
            print(f"   {ours['unsolved']} steps not solved", end="")
        late = sum(x > args.tol for x in theirs["residual"])
        print(f"   Siconos: {late} steps above the tolerance by its own measure" if late else "", flush=True)


def slope(points):
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def growth(args):
    empty = simulate(args.cornet, "resting-cube", "--steps", 1)["memory"]
    points = []
    print(f"{'balls':>6} {'steps':>6} {'contacts':>9} {'most':>7} {'s/step':>9} {'in solver':>9} {'kB':>9} {'allowed':>9} {'unsolved':>9}")
    for count in args.counts:
        steps = max(1, round(args.share * STEPS_300 * (count / 300) ** (1 / 6)))
        out = simulate(args.cornet, "spheres-in-box", *balls(count, args.tol), "--steps", steps)
        contacts, most = out["contacts"]["mean"], out["contacts"]["most"]
        points.append((contacts, out["cpu"] / steps))
        print(f"{count:6} {steps:6} {contacts:9.0f} {most:7} {out['cpu'] / steps:9.4f} {out['solve_time'] / out['wall_time']:9.0%} "
              f"{out['memory'] - empty:9.0f} {4 * most + 2 * count:9} {out['unsolved']:9}", flush=True)
    if len(points) > 1:
        print(f"cost per step grows like contacts^{slope(points):.2f}")


def settle(args):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "run.csv")
        out = simulate(args.cornet, "spheres-in-box", *balls(args.count, args.tol), "--stats", stats, "--time", args.time)
        rows = list(csv.DictReader(open(stats)))
    print(f"{args.count} balls, {out['steps']} steps to {out['time']} s: {out['wall_time']:.0f} s of wall time, {out['cpu']:.0f} s of CPU time, "
          f"{out['unsolved']} steps not solved, {out['memory'] / 1024:.0f} MB")
    for k in range(0, len(rows), max(1, len(rows) // 10)):
        r = rows[k]
        print(f"  step {r['step']:>5}  contacts {r['contacts']:>6}  kinetic {float(r['kinetic']):10.4g} J  iterations {r['iterations']:>7}  "
              f"{float(r['step_time']):8.3f} s")


def solvers(args):
    print(f"{'scene':14} {'tolerance':>9} " + "".join(f"{s or 'default':>15}" for s in args.solvers) + "   steps/s, − not all solved")
    for scene, settings, tol in [("arch", [], 1e-8), ("card-house", [], 1e-8), ("boxes-stack", [], 1e-8), ("brick-wall", [], 1e-4),
                                 ("spheres-in-box", ["count=300"], 1e-4), ("spheres-in-box", ["count=300"], 1e-8)]:
        print(f"{scene:14} {tol:9.0e} ", end="", flush=True)
        for solver in args.solvers:
            out = simulate(args.cornet, scene, *[x for s in settings for x in ("--set", s)], "--tol", tol, "--steps", args.steps,
                           *(["--solver", solver] if solver else []))
            print(f"{args.steps / out['cpu']:14.1f}{'−' if out['unsolved'] else ' '}", end="", flush=True)
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cornet", type=os.path.abspath)
    parts = parser.add_subparsers(dest="part", required=True)
    for name, counts in (("versus", [300, 1000]), ("growth", [300, 1000, 3000, 10000])):
        part = parts.add_parser(name)
        part.add_argument("--counts", type=int, nargs="+", default=counts)
        part.add_argument("--tol", type=float, default=1e-4)
        part.add_argument("--steps", type=int, default=150)
        part.add_argument("--seconds", type=float, default=300)
        part.add_argument("--share", type=float, default=1)
    part = parts.add_parser("settle")
    part.add_argument("--count", type=int, default=10000)
    part.add_argument("--tol", type=float, default=1e-4)
    part.add_argument("--time", type=float, default=2)
    part = parts.add_parser("solvers")
    part.add_argument("--steps", type=int, default=100)
    part.add_argument("--solvers", nargs="+", default=["", "auto", "ppa-nsn-ac-gp", "nsgs-ac", "spg"])
    args = parser.parse_args()
    {"versus": versus, "growth": growth, "settle": settle, "solvers": solvers}[args.part](args)


if __name__ == "__main__":
    main()
