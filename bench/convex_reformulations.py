#!/usr/bin/python3
"""Why the convex problem is not solved as a standard cone program or as a smooth nonlinear program (seed 000 §6, (ii) and (iii)).

    bench/convex_reformulations.py [--largest 160] [--nlp-largest 20] [--tol 1e-9]

Random problems with nc contacts in space, 4 nc degrees of freedom, s = 0, in the reactions r:

  (i)    min ½ rᵀWr + qᵀr over cones, as it is                            cvxopt.solvers.coneqp
  (ii)   min ½ t + qᵀr, ‖(√2 Lᵀr, t − ½)‖ ≤ t + ½ (that is rᵀWr ≤ t), W = L Lᵀ       cvxopt.solvers.conelp: linear objective, one big cone
  (iii)  the same in velocities, (µ‖u_T‖)² ≤ u_N², u_N ≥ 0 as smooth constraints       scipy SLSQP and trust-constr

The same implementation solves (i) and (ii), so their ratio is that of the formulations. Needs python3-cvxopt and python3-scipy."""
import argparse
import time
import warnings

import numpy as np
from cvxopt import matrix, solvers, spmatrix
from scipy.optimize import NonlinearConstraint, minimize

solvers.options.update(show_progress=False)
D = 3


def problem(nc, seed):
    rng = np.random.default_rng(seed)
    n = 4 * nc
    B = rng.normal(size=(n, n))
    M = B @ B.T / n + np.eye(n)
    H = rng.normal(size=(n, D * nc)) * (rng.random((n, D * nc)) < 0.3)
    f = rng.normal(size=n)
    w = np.zeros(D * nc)
    w[::D] = rng.normal(size=nc)
    A = np.linalg.solve(M, H)
    return M, H, f, w, H.T @ A, A.T @ f + w, rng.uniform(0.2, 1, nc)


def cone_rows(mu):
    diagonal = np.ones(D * len(mu))
    diagonal[::D] = mu
    m = len(diagonal)
    return spmatrix((-diagonal).tolist(), range(m), range(m))


def direct(W, q, mu):
    start = time.perf_counter()
    out = solvers.coneqp(matrix(W), matrix(q), cone_rows(mu), matrix(0.0, (len(q), 1)), {"l": 0, "q": [D] * len(mu), "s": []})
    return out["status"], out["iterations"], time.perf_counter() - start, np.array(out["x"]).ravel()


def standard(W, q, mu):
    m = len(q)
    start = time.perf_counter()
    L = np.linalg.cholesky(W + 1e-14 * np.trace(W) / m * np.eye(m))
    G = np.zeros((2 * m + 2, m + 1))
    G[:m, :m] = np.array(matrix(cone_rows(mu)))
    h = np.zeros(2 * m + 2)
    G[m, m], h[m] = -1, 0.5
    G[m + 1:2 * m + 1, :m] = -np.sqrt(2) * L.T
    G[2 * m + 1, m], h[2 * m + 1] = -1, -0.5
    c = np.concatenate([q, [0.5]])
    try:
        out = solvers.conelp(matrix(c), matrix(G), matrix(h), {"l": 0, "q": [D] * len(mu) + [m + 2], "s": []})
    except (ValueError, ArithmeticError):  # the scaling of the big cone broke down
        return "breakdown", np.nan, np.nan, np.full(m, np.nan)
    seconds = time.perf_counter() - start
    r = np.array(out["x"]).ravel()[:m] if out["x"] is not None else np.full(m, np.nan)
    return out["status"], out["iterations"], seconds, r


def smooth(method, M, H, f, w, mu):
    """In velocities: min ½ vᵀMv − fᵀv, u = Hᵀv + w, u_N ≥ 0, u_N² − µ²‖u_T‖² ≥ 0."""
    def u(v):
        return H.T @ v + w

    def value(v):
        x = u(v).reshape(-1, D)
        return np.concatenate([x[:, 0], x[:, 0]**2 - mu**2 * np.sum(x[:, 1:]**2, axis=1)])

    def jacobian(v):
        x = u(v).reshape(-1, D)
        rows = H.T.reshape(len(mu), D, -1)
        second = 2 * x[:, :1] * rows[:, 0] - 2 * (mu**2)[:, None] * np.einsum("ai,ain->an", x[:, 1:], rows[:, 1:])
        return np.vstack([rows[:, 0], second])

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        common = dict(jac=lambda v: M @ v - f)
        if method == "SLSQP":
            out = minimize(lambda v: 0.5 * v @ M @ v - f @ v, np.linalg.solve(M, f), method=method, options=dict(maxiter=1000, ftol=1e-12),
                           constraints={"type": "ineq", "fun": value, "jac": jacobian}, **common)
        else:
            out = minimize(lambda v: 0.5 * v @ M @ v - f @ v, np.linalg.solve(M, f), method=method, hess=lambda v: M,
                           options=dict(maxiter=2000, gtol=1e-9, xtol=1e-12),
                           constraints=NonlinearConstraint(value, 0, np.inf, jac=jacobian, hess="2-point"), **common)
    return out.nit, time.perf_counter() - start, out.x, value(out.x).min()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=160)
    parser.add_argument("--nlp-largest", type=int, default=20)
    parser.add_argument("--tol", type=float, help="tolerances of cvxopt; its own are 1e-7")
    a = parser.parse_args()
    if a.tol:
        solvers.options.update(abstol=a.tol, reltol=a.tol, feastol=a.tol)
    print("(i) against (ii), same implementation; mean of 3 problems each; 'error': relative difference of the objective")
    print(f"{'contacts':>8} {'(i) unknowns/rows':>18} {'iter':>5} {'ms':>9} {'(ii) unknowns/rows':>19} {'iter':>5} {'ms':>9} {'ratio':>6} {'error':>8} (i) ended / (ii) ended")
    nc = 10
    while nc <= a.largest:
        rows = []
        for seed in range(3):
            M, H, f, w, W, q, mu = problem(nc, seed)
            s1, i1, t1, r1 = direct(W, q, mu)
            s2, i2, t2, r2 = standard(W, q, mu)
            objective = lambda r: 0.5 * r @ W @ r + q @ r  # noqa: E731
            rows.append((i1, t1, i2, t2, abs(objective(r1) - objective(r2)) / (1 + abs(objective(r1))), s1, s2))
        finished = [row for row in rows if row[6] != "breakdown"]
        i1, t1 = (np.mean([row[k] for row in rows]) for k in range(2))
        i2, t2, e = (np.mean([row[k] for row in finished]) if finished else np.nan for k in range(2, 5))
        m = D * nc
        print(f"{nc:>8} {f'{m} / {m}':>18} {i1:>5.1f} {1e3 * t1:>9.1f} {f'{m + 1} / {2 * m + 2}':>19} {i2:>5.1f} {1e3 * t2:>9.1f} {t2 / t1:>6.1f} "
              f"{e:>8.0e} {', '.join(row[5] for row in rows)} / {', '.join(row[6] for row in rows)}")
        nc *= 2
    print("\n(iii) smooth constraints; 'right': objective within 1e-5 of (i) and constraints within 1e-6, of 10 problems")
    print(f"{'contacts':>8} {'(i) ms':>8} {'SLSQP ms':>9} {'iter':>6} {'right':>6} {'trust-constr ms':>16} {'iter':>6} {'right':>6}")
    for nc in (2, 5, 10, 20, 40):
        if nc > a.nlp_largest:
            break
        t_direct, columns = [], {}
        for seed in range(10):
            M, H, f, w, W, q, mu = problem(nc, 100 + seed)
            _, _, t, r = direct(W, q, mu)
            t_direct.append(t)
            v_right = np.linalg.solve(M, H @ r + f)
            best = 0.5 * v_right @ M @ v_right - f @ v_right
            for method in ("SLSQP", "trust-constr"):
                iterations, seconds, v, slack = smooth(method, M, H, f, w, mu)
                right = abs(0.5 * v @ M @ v - f @ v - best) <= 1e-5 * (1 + abs(best)) and slack >= -1e-6
                columns.setdefault(method, []).append((seconds, iterations, right))
        text = f"{nc:>8} {1e3 * np.mean(t_direct):>8.1f}"
        for method, wide in (("SLSQP", 9), ("trust-constr", 16)):
            seconds, iterations, right = (np.array(c) for c in zip(*columns[method]))
            text += f" {1e3 * seconds.mean():>{wide}.1f} {iterations.mean():>6.0f} {right.sum():>6}"
        print(text, flush=True)


if __name__ == "__main__":
    main()
