"""A time loop of your own around the solver: a tower of cubes on a table that shakes. One Session keeps the workspace of the solver, each
step starts from the reactions of the one before."""
import numpy as np
import scipy.sparse as sp

import cornet

levels, mass, gravity, h, mu = 5, 1.0, 9.81, 0.005, 0.3

# Cubes that do not turn: three velocities each, one contact below each (normal z, tangents x and y).
M = mass * sp.identity(3 * levels, format="csc")
up = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])  # columns: normal, two tangents
H = sp.lil_matrix((3 * levels, 3 * levels))
for k in range(levels):
    H[3 * k:3 * k + 3, 3 * k:3 * k + 3] = up
    if k > 0:
        H[3 * k - 3:3 * k, 3 * k:3 * k + 3] = -up
H = H.tocsc()
weight = np.tile([0, 0, -mass * gravity], levels)

session = cornet.Session(tol=1e-10)
v = np.zeros(3 * levels)
offset = np.zeros(levels)
guess, iterations, slides = None, 0, 0
for step in range(400):
    table = 0.15 * np.cos(2 * np.pi * 4 * step * h)  # velocity along x, m/s
    w = np.zeros(3 * levels)
    w[1] = -table  # the lowest contact moves with the table
    x = session.solve(cornet.GlobalProblem(M, H, M @ v + h * weight, w, mu), guess=guess)
    if not x.solved:
        raise SystemExit(f"step {step}: {x.message}")
    v, guess = x.v, x.r
    iterations += x.iterations
    slides += x.contacts["slide"]
    offset += h * x.u[1::3]  # how far each cube has slid on what is below it

print(f"400 steps, {iterations / 400:.1f} iterations per step, {slides} sliding contacts in all")
print("slid by", np.round(1000 * offset, 2), "mm")
assert slides > 0 and abs(offset[0]) < 0.05 and np.all(np.abs(v[2::3]) < 1e-9), "nothing leaves the table"
