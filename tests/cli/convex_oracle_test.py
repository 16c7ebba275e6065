"""The conic engine against an independent one: 200 random problems over cones, half-lines, disks and cylinders, full and deficient rank, friction
from 0 up, in local and global form; objective and velocities must agree with those of cvxopt."""
import numpy as np
import pytest

import support

cvxopt = pytest.importorskip("cvxopt")
from cvxopt import matrix, solvers  # noqa: E402

solvers.options.update(show_progress=False, abstol=1e-9, reltol=1e-9, feastol=1e-9, maxiters=200)
COUNT = 200


def reference(W, p, kind, mu, radius, normal, d):
    """min ½ rᵀWr + rᵀp over the set, by cvxopt.solvers.coneqp: r and the objective."""
    m, nc = len(p), len(mu)
    linear, cones, equal, value = [], [], [], []
    for a in range(nc):
        n = d * a
        unit = np.eye(m)
        width = mu[a] if kind == "cone" else 0.0 if kind == "half_line" else radius[a]
        if kind == "disk":
            equal.append(unit[n])
            value.append(normal[a])
        elif kind != "cone" or width == 0:
            linear.append((-unit[n], 0.0))
        if width == 0:
            for i in range(1, d):
                equal.append(unit[n + i])
                value.append(0.0)
        else:
            G = np.zeros((d, m))
            h = np.zeros(d)
            if kind == "cone":
                G[0, n] = -width
            else:
                h[0] = width
            for i in range(1, d):
                G[i, n + i] = -1
            cones.append((G, h))
    G = np.vstack([g for g, _ in linear] + [g for g, _ in cones])
    h = np.concatenate([[b] for _, b in linear] + [b for _, b in cones])
    dims = {"l": len(linear), "q": [d] * len(cones), "s": []}
    A, b = (matrix(np.array(equal)), matrix(np.array(value, float))) if equal else (None, None)
    out = solvers.coneqp(matrix(W), matrix(p), matrix(G), matrix(h), dims, A, b)
    assert out["status"] == "optimal", out["status"]
    r = np.array(out["x"]).ravel()
    return r, 0.5 * r @ W @ r + r @ p


def problem(seed):
    rng = np.random.default_rng(seed)
    d = 2 + seed % 2
    nc = int(rng.integers(2, 13))
    m = d * nc
    dofs = int(rng.integers(max(2, m // 2), m + 6))
    B = rng.normal(size=(dofs, dofs))
    M = B @ B.T / dofs + np.eye(dofs)
    H = rng.normal(size=(dofs, m))
    f = rng.normal(size=dofs)
    w = np.zeros(m)
    w[::d] = rng.uniform(0, 1, nc)  # v = 0 is strictly feasible: the optimum is attained
    mu = rng.uniform(0.1, 2, nc)
    if seed % 5 == 0:
        mu[::3] = 0
    return rng, d, M, H, f, w, mu


def test_agrees_with_cvxopt_on_200_problems(tmp_path):
    worst_objective = worst_velocity = 0.0
    for seed in range(COUNT):
        rng, d, M, H, f, w, mu = problem(seed)
        nc = len(mu)
        kind = ("cone", "cone", "half_line", "cylinder", "disk")[seed % 5 if seed % 2 else (seed // 2) % 5]
        s, normal = rng.uniform(0, 1, nc), rng.uniform(0, 1, nc)
        radius = rng.uniform(0, 0.5, nc) * (rng.random(nc) > 0.2)
        A = np.linalg.solve(M, H)
        W, q = H.T @ A, A.T @ f + w
        path = str(tmp_path / f"{seed}.hdf5")
        if seed % 3:
            support.write_local(path, W, q, mu, d)
        else:
            support.write_global(path, M, H, f, w, mu, d)
        text = lambda values: ",".join(repr(float(x)) for x in values)  # noqa: E731
        found = support.run_json("convex", path, "--s", text(s), "--over", kind, "--radius", text(radius), "--normal", text(normal), "--tol",
                                 "1e-10", "--verbose")
        assert found["status"] == "optimal"
        p = q.copy()
        p[::d] += mu * s
        r, objective = reference(0.5 * (W + W.T), p, kind, mu, radius, normal, d)
        scale = max(abs(objective), p @ p / np.linalg.norm(W, 2))
        difference = abs(found["certificate"]["dual_objective"] + objective) / scale
        velocity = np.linalg.norm(np.array(found["u"]) - (W @ r + q)) / np.linalg.norm(p)
        worst_objective, worst_velocity = max(worst_objective, difference), max(worst_velocity, velocity)
        assert difference <= 1e-7, (seed, kind, difference)
        assert velocity <= 1e-4, (seed, kind, velocity)  # the root of the gap
    print("largest differences: objective", worst_objective, "velocities", worst_velocity)


def test_infeasible_for_both(tmp_path):
    """Reactions in balance that do negative work: cvxopt finds the dual unbounded, cornet proves it."""
    for seed in range(10):
        rng = np.random.default_rng(1000 + seed)
        nc, d = 4, 3
        ray = np.zeros(d * nc)
        ray[::d] = rng.uniform(0.5, 1, nc)
        H = rng.normal(size=(d * nc - 2, d * nc))
        H -= np.outer(H @ ray, ray) / (ray @ ray)
        q = rng.normal(size=d * nc)
        q -= ray * (q @ ray + 0.5) / (ray @ ray)
        path = support.write_local(tmp_path / f"{seed}.hdf5", H.T @ H, q, np.full(nc, 0.5), d)
        found = support.run_json("convex", path, code=4)
        assert found["status"] == "infeasible"
        r = np.array(found["certificate"]["ray"])
        assert np.linalg.norm(H @ r) < 1e-6 and r @ q < 0
        assert all(np.linalg.norm(r[k + 1:k + 3]) <= 0.5 * r[k] + 1e-12 for k in range(0, d * nc, d))
