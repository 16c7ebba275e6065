"""Pinocchio and Drake store the normal last, (t1, t2, n). Here a contact problem as such a code has it goes to cornet and back."""
import numpy as np

import cornet
from cornet import convert

# What a robotics code has after collision detection: mass matrix, Jacobian in frames (t1, t2, n), velocity without contacts.
rng = np.random.default_rng(4)
n, contacts = 12, 6
A = rng.normal(size=(n, n))
M = A @ A.T + n * np.eye(n)
J = rng.normal(size=(3 * contacts, n))
v_free = rng.normal(size=n)
mu = np.full(contacts, 0.7)

# Drake's way: M (v − v_free) = Jᵀ γ
x = cornet.solve(convert.from_drake(M, J, v_free, mu), tol=1e-10)
gamma = convert.normal_last(x.r)
assert x.solved and np.allclose(M @ (x.v - v_free), J.T @ gamma)

# Pinocchio's way: Delassus matrix G = J M⁻¹ Jᵀ and free contact velocity g
G = J @ np.linalg.solve(M, J.T)
y = cornet.solve(convert.from_pinocchio(G, J @ v_free, mu), tol=1e-10)
v = v_free + np.linalg.solve(M, J.T @ convert.normal_last(y.r))
assert y.solved and np.allclose(J @ v, convert.normal_last(y.u))

print("impulses in frames (t1, t2, n):")
for status, row in zip(x.certificate.statuses, gamma.reshape(-1, 3)):
    print(f"  {status:<9}", np.array2string(row, precision=4, suppress_small=True))
normal, tangent = gamma[2::3], np.linalg.norm(gamma.reshape(-1, 3)[:, :2], axis=1)
assert np.all(normal >= -1e-12) and np.all(tangent <= mu * normal + 1e-9)
