"""A problem of your own from SciPy matrices: a block of 2 kg on a slope, pushed sideways, one time step.

    M v = H r + f,   u = Hᵀ v,   and Coulomb's law at the contact
"""
import numpy as np
import scipy.sparse as sp

import cornet

mass, gravity, h, mu = 2.0, 9.81, 0.01, 0.5
slope = np.radians(20)
normal = np.array([-np.sin(slope), 0, np.cos(slope)])
downhill = np.array([np.cos(slope), 0, np.sin(slope)]) * -1
sideways = np.cross(normal, downhill)

M = mass * sp.identity(3, format="csc")
H = np.column_stack([normal, downhill, sideways])  # (3, 3): one contact, the normal first
v = 0.1 * sideways  # present velocity
f = M @ v + h * mass * np.array([0, 0, -gravity])

problem = cornet.GlobalProblem(M, H, f, np.zeros(3), mu, name="block on a slope")
answer = cornet.solve(problem)
print(problem)
print(answer)
print("contact:  ", answer.certificate.statuses[0])
print("reaction: ", answer.r / h, "N (normal, downhill, sideways)")
print("velocity: ", H.T @ answer.v, "m/s in the same directions")

assert answer.solved
assert np.isclose(np.linalg.norm(answer.r[1:]), mu * answer.r[0]), "it slides: friction is at its limit"

# The same with W and q: what many codes have at hand.
W, q = H.T @ H / mass, H.T @ f / mass
again = cornet.solve(cornet.LocalProblem(np.ascontiguousarray(W), q, [mu]))
assert np.allclose(again.r, answer.r)
