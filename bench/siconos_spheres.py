#!/usr/bin/python3
"""Balls in a box in Siconos's own mechanics (python3-siconos), from a record of cornet: same bodies, start, walls, step length, θ, law.

    siconos_spheres.py RECORD --steps K --tol T [--seconds S]

Prints one JSON object: steps done, contacts, sweeps and CPU seconds of each. Ends early when S seconds of CPU time are over. Its options are those
that Siconos's examples use: Gauss–Seidel with the cheap error and a full one at the end, one Newton iteration per step (the scheme is linear
in the velocities), no output. Only the steps are timed, not the reading of the scene. Contacts are activated as in cornet, by the gap predicted
for the end of the step up to g h² (γ = 1): with its usual γ = ½ bodies overlap by half a step of their motion and stay in contact longer.

Its error is ‖F‖/max(‖q‖, ‖r‖, ‖u‖), ours ‖F‖/‖q‖: at the same number Siconos may stop earlier, by ‖r‖/‖q‖, which is 20 to 50 in a pile.
"""
import argparse
import json
import math
import os
import struct
import sys
import tempfile
import time


def scene_of(path):
    data = open(path, "rb").read()
    assert data[:8] == b"CORNETR1" and data[8:12] == b"SCEN"
    size, = struct.unpack("<Q", data[12:20])
    return json.loads(data[20:20 + size])


class Enough(Exception):
    pass


def write_scene(scene):
    from siconos.io.mechanics_run import MechanicsHdf5Runner
    from siconos.mechanics.collision.tools import Contactor
    walls = {b["name"]: b.get("position", [0, 0, 0]) for b in scene["bodies"] if b["shape"].get("kind") == "plane"}
    turn = math.sqrt(0.5)
    places = {"ground": ([0, 0, -0.5], [1, 0, 0, 0]), "west": ([walls["west"][0] - 0.5, 0, 0], [turn, 0, turn, 0]),
              "east": ([walls["east"][0] + 0.5, 0, 0], [turn, 0, turn, 0]), "south": ([0, walls["south"][1] - 0.5, 0], [turn, turn, 0, 0]),
              "north": ([0, walls["north"][1] + 0.5, 0], [turn, turn, 0, 0])}
    with MechanicsHdf5Runner(mode="w", io_filename="balls.hdf5") as io:
        io.add_Newton_impact_friction_nsl("contact", mu=scene.get("mu", 0.5), e=scene.get("restitution", 0.0))
        io.add_primitive_shape("wall", "Box", (100.0, 100.0, 1.0))
        for name, (position, orientation) in places.items():
            io.add_object(name, [Contactor("wall")], translation=position, orientation=orientation)
        for b in scene["bodies"]:
            if b["shape"].get("kind", "sphere") != "sphere":
                continue
            r = b["shape"]["radius"]
            io.add_primitive_shape("shape " + b["name"], "Sphere", (r,))
            mass = b.get("density", 1000) * 4 / 3 * math.pi * r ** 3
            io.add_object(b["name"], [Contactor("shape " + b["name"])], translation=b["position"],
                          velocity=[*b.get("velocity", [0, 0, 0]), 0, 0, 0], mass=mass, inertia=[0.4 * mass * r * r] * 3)


def run(scene, steps, tolerance, seconds):
    import siconos.kernel as sk
    import siconos.numerics as sn
    from siconos.io.mechanics_run import MechanicsHdf5Runner
    from siconos.mechanics.collision.bullet import SiconosBulletOptions
    write_scene(scene)
    options = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100000
    options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    bullet = SiconosBulletOptions()
    bullet.worldScale = 1.0
    bullet.perturbationIterations = bullet.minimumPointsPerturbationThreshold = 0  # one point for two balls, not several
    h = scene["dt"]
    out = {"contacts": [], "sweeps": [], "residual": [], "cpu": []}
    begin = last = 0.0

    def after_step(io):
        nonlocal last
        problem = io._simulation.oneStepNSProblem(0)
        solver = problem.numericsSolverOptions()
        now = time.process_time()
        out["contacts"].append(int(problem.getSizeOutput() // 3))
        out["sweeps"].append(int(solver.iparam[sn.SICONOS_IPARAM_ITER_DONE]))
        out["residual"].append(float(solver.dparam[sn.SICONOS_DPARAM_RESIDU]))
        out["cpu"].append(now - last)
        last = now
        if len(out["cpu"]) >= steps or now - begin > seconds:
            raise Enough

    with MechanicsHdf5Runner(mode="r+", io_filename="balls.hdf5") as io:
        def before_step(_):
            nonlocal begin, last
            if not out["cpu"]:
                io._osi.setUseGamma(True)
                io._osi.setGamma(1.0)
                begin = last = time.process_time()
        try:
            io.run(t0=0, T=(steps + 0.5) * h, h=h, theta=scene.get("theta", 0.5), Newton_options=sk.SICONOS_TS_LINEAR, Newton_max_iter=1,
                   solver_options=options, bullet_options=bullet, output_frequency=10 ** 9, numerics_verbose=False, verbose=False,
                   verbose_progress=False, constraint_activation_threshold=9.81 * h * h, start_run_iteration_hook=before_step, end_run_iteration_hook=after_step)
        except Enough:
            pass
    out["steps"] = len(out["cpu"])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--seconds", type=float, default=300)
    args = parser.parse_args()
    scene = scene_of(args.record)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        real = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Siconos prints much
        result = run(scene, args.steps, args.tol, args.seconds)
        sys.stdout.flush()
        os.dup2(real, 1)
    print(json.dumps(result))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
