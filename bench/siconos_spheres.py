#!/usr/bin/python3
"""Steps per second of cornet's simulator and of Siconos's mechanics (python3-siconos) on the same balls in a box, in one run.

    siconos_spheres.py CORNET [--count N] [--steps K] [--tol T] [--solver ID]

The start positions come from cornet's record, so both codes see the same scene, step length and nominal tolerance. Siconos divides its error
by max(|q|, |r|, |u|), which is never stricter than ours. Its time is that of its own run loop without output; ours is the sum of the steps.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time


def scene_of(path):
    data = open(path, "rb").read()
    assert data[:8] == b"CORNETR1" and data[8:12] == b"SCEN"
    size, = struct.unpack("<Q", data[12:20])
    return json.loads(data[20:20 + size])


def run_cornet(args, record):
    command = [args.cornet, "simulate", "spheres-in-box", "--set", f"count={args.count}", "--steps", str(args.steps), "--tol", str(args.tol),
               "--record", record, "--json"]
    if args.solver:
        command += ["--solver", args.solver]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)


def run_siconos(scene, args):
    import siconos.kernel as sk
    import siconos.numerics as sn
    from siconos.io.mechanics_run import MechanicsHdf5Runner
    from siconos.mechanics.collision.bullet import SiconosBulletOptions

    balls = [b for b in scene["bodies"] if b["shape"].get("kind", "sphere") == "sphere"]
    walls = {b["name"]: b.get("position", [0, 0, 0]) for b in scene["bodies"] if b["shape"].get("kind") == "plane"}
    wide = 40.0
    with MechanicsHdf5Runner(mode="w", io_filename="balls.hdf5") as io:
        io.add_Newton_impact_friction_nsl("contact", mu=scene.get("mu", 0.5), e=0.0)
        io.add_primitive_shape("wall", "Box", (wide, wide, 1.0))
        turn = 2 ** -0.5
        places = {"ground": ([0, 0, -0.5], [1, 0, 0, 0]), "west": ([walls["west"][0] - 0.5, 0, 0], [turn, 0, turn, 0]),
                  "east": ([walls["east"][0] + 0.5, 0, 0], [turn, 0, turn, 0]), "south": ([0, walls["south"][1] - 0.5, 0], [turn, turn, 0, 0]),
                  "north": ([0, walls["north"][1] + 0.5, 0], [turn, turn, 0, 0])}
        from siconos.mechanics.collision.tools import Contactor
        for name, (position, orientation) in places.items():
            io.add_object(name, [Contactor("wall")], translation=position, orientation=orientation)
        for b in balls:
            r = b["shape"]["radius"]
            io.add_primitive_shape("shape " + b["name"], "Sphere", (r,))
            mass = 1000 * 4 / 3 * 3.141592653589793 * r ** 3
            io.add_object(b["name"], [Contactor("shape " + b["name"])], translation=b["position"], velocity=[*b.get("velocity", [0, 0, 0]), 0, 0, 0],
                          mass=mass, inertia=[0.4 * mass * r * r] * 3)
    options = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100000
    options.dparam[sn.SICONOS_DPARAM_TOL] = args.tol
    bullet = SiconosBulletOptions()
    bullet.worldScale = 1.0
    h = scene["dt"]
    with MechanicsHdf5Runner(mode="r+", io_filename="balls.hdf5") as io:
        start = time.perf_counter()
        io.run(t0=0, T=(args.steps - 0.5) * h, h=h, theta=1.0, Newton_max_iter=1, solver_options=options, bullet_options=bullet, set_external_forces=None,
               output_frequency=10 ** 6, numerics_verbose=False, verbose=False)
        return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cornet")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--solver", default="")
    args = parser.parse_args()
    args.cornet = os.path.abspath(args.cornet)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ours = run_cornet(args, "balls.rec")
        scene = scene_of("balls.rec")
        out, devnull = os.dup(1), os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, 1)  # Siconos prints much
        theirs = run_siconos(scene, args)
        sys.stdout.flush()
        os.dup2(out, 1)
    print(f"{args.count} balls, {args.steps} steps, tolerance {args.tol:g}, {ours['contacts']['mean']:.0f} contacts per step")
    print(f"cornet   {args.steps / ours['wall_time']:9.1f} steps/s   (solver {ours['solve_time']:.2f} s, collision {ours['collide_time']:.2f} s, unsolved {ours['unsolved']})")
    print(f"siconos  {args.steps / theirs:9.1f} steps/s")
    print(f"ratio    {theirs / ours['wall_time']:9.1f}")


if __name__ == "__main__":
    main()
