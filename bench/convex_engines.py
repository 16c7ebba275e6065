#!/usr/bin/python3
"""Every convex engine on FCLIB files, s = 0 over cones: iterations and time to a relative gap.

    bench/convex_engines.py CORNET FILE.hdf5 … [--tol 1e-6] [--time-limit 20]"""
import argparse
import json
import pathlib
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cornet")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tol", default="1e-6")
    parser.add_argument("--time-limit", default="20")
    a = parser.parse_args()
    ids = [e["id"] for e in json.loads(subprocess.check_output([a.cornet, "convex", "--list", "--json"]))]
    print("| problem | contacts | " + " | ".join(ids) + " |")
    print("|" + "---|" * (len(ids) + 2))
    for path in a.files:
        cells, contacts = [], 0
        for engine in ids:
            command = [a.cornet, "convex", path, "--engine", engine, "--tol", a.tol, "--time-limit", a.time_limit, "--json"]
            out = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
            contacts = out["number_of_contacts"]
            done = out["status"] == "optimal"
            cells.append(f"{out['iterations']} it, {1e3 * out['time']:.3g} ms" if done else f"{out['status']}, gap {out['certificate'].get('gap', 0):.0e}")
        print(f"| {pathlib.Path(path).stem} | {contacts} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
