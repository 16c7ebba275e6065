# %% [markdown]
# The story of "A formulation of the linear discrete Coulomb friction problem via convex optimization" (Acary, Cadoux,
# Lemaréchal, Malick 2011), cell by cell: a friction problem is a convex problem with a parameter, plus a fixed point; from
# that follows when a solution exists.
#
# Run it as a program, `story_000.py [FOLDER FOR FIGURES]`, or cell by cell in an editor that knows `# %%`.

# %%
import sys

import numpy as np

import cornet

FIGURES = sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None


def slip(problem, u):
    """‖u_T‖ of every contact."""
    return np.linalg.norm(u.reshape(-1, problem.dim)[:, 1:], axis=1)


# %% [markdown]
# ## 1. The friction problem hides a convex one (§3)
#
# Coulomb's law is no minimisation: the normal velocity and the slip are tied together. But if the slip s = ‖u_T‖ were known, the rest
# would be one convex problem, with the cones of friction as constraints and μ s added to the normal velocity:
#
#     min ½ rᵀWr + rᵀ(q + μ s e_N),  r ∈ K
#
# Its answer has a slip of its own, F(s). A solution of the friction problem is a fixed point, s = F(s).

# %%
problem = cornet.LocalProblem(np.array([[2.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]]), [-1.0, 3.0, 0.0], [0.5])


def F(problem, s):
    return slip(problem, cornet.solve_convex(problem, s, tol=1e-12).u)


s = np.zeros(1)
print("successive approximations s ← F(s):")
for k in range(12):
    print(f"  {k:2}  s = {s[0]:.10f}")
    s = F(problem, s)
exact = slip(problem, cornet.solve(problem, tol=1e-12).u)
print(f"  the friction problem itself: {exact[0]:.10f}")
assert np.allclose(s, exact, atol=1e-4)

# %% [markdown]
# ## 2. A problem without solution (§2.2, §5.2)
#
# Painlevé's rod: its upper end is moved along the ceiling with velocity u0, its lower end touches the floor. One degree of freedom, one
# contact:
#
#     v = sin θ r_N + cos θ r_T + g sin θ,   u_N = sin θ v,   u_T = cos θ v + u0
#
# With gravity downwards there is a solution iff u0 ≤ 0 or tan θ > μ: otherwise friction pushes the rod into the floor. The criterion of
# the paper, "there is v with Hᵀv + w ∈ K*", says exactly that. `enumerate_solutions` tries every case and proves it.


# %%
def rod(angle, mu, u0, g):
    return cornet.GlobalProblem([[1.0]], [[np.sin(angle), np.cos(angle)]], [g * np.sin(angle)], [0.0, u0], [mu], dim=2)


print("  θ     u0   criterion          margin   solutions")
for angle in (0.4, 0.7, 1.0):
    for u0 in (-1.0, 0.0, 1.0):
        p = rod(angle, 0.8, u0, -1.0)
        verdict = cornet.check_existence(p)
        every = cornet.enumerate_solutions(p)
        exists = u0 <= 0 or np.tan(angle) > 0.8
        print(f"  {angle}  {u0:4.1f}   {verdict.verdict:<18} {verdict.margin:6.2f}   {len(every['solutions'])}")
        assert every["complete"] and verdict.verdict.startswith("guaranteed") == exists == (len(every["solutions"]) > 0)

# %% [markdown]
# Where it fails, the proof is a reaction r ∈ K with H r = 0 and wᵀr < 0, easy to check by hand:

# %%
lost = rod(0.4, 0.8, 1.0, -1.0)
proof = cornet.check_existence(lost).certificate
print("r =", proof.r, "  H r =", lost.H @ proof.r, "  wᵀr =", lost.w @ proof.r)
assert abs(proof.r[1]) <= 0.8 * proof.r[0] + 1e-7 and abs((lost.H @ proof.r)[0]) < 1e-6 and lost.w @ proof.r < 0

# %% [markdown]
# ## 3. Sufficient, not necessary; and not unique (§5.3, §5.4)
#
# Turn gravity around. H and w are the same, so the criterion still fails, but now there are solutions, even two: the rod takes off, or
# it stays and slides, held down by friction.

# %%
reversed_gravity = rod(np.pi / 4, 2.0, 1.0, 1.0)
found = cornet.enumerate_solutions(reversed_gravity)
print(cornet.check_existence(reversed_gravity).verdict, "– and yet:")
for solution in found["solutions"]:
    print(f"  {solution['certificate'].statuses[0]:<9} r = {solution['r']}, v = {solution['v']}")
assert found["complete"] and len(found["solutions"]) == 2

# %% [markdown]
# Forces may differ even when the motion does not: a square on the ground can be held by many sets of friction forces.

# %%
corners = np.array([[-1.0, -1.0], [1.0, -1.0]])  # relative to the centre
H = np.zeros((3, 4))
for k, (x, y) in enumerate(corners):
    H[:, 2 * k] = [0, 1, x]  # normal: up, and its moment
    H[:, 2 * k + 1] = [1, 0, -y]  # tangent
square = cornet.GlobalProblem(np.diag([1.0, 1.0, 2.0 / 3]), H, [0.0, -1.0, 0.0], np.zeros(4), [0.5, 0.5], dim=2)
answer = cornet.solve(square, quality=True)
plain, pressed = np.array([0.5, 0.0, 0.5, 0.0]), np.array([0.5, 0.2, 0.5, -0.2])  # the feet may press inwards as well
errors = [cornet.certify(square, r).error for r in (answer.r, plain, pressed)]
print("three sets of forces:", answer.r, plain, pressed, " errors:", errors)
assert answer.quality.reactions_unique is False and max(errors) < 1e-8

# %% [markdown]
# ## 4. Beads fall into a box (§6)
#
# A time loop solves one such problem per step. The criterion holds at every step that is looked at. Solving by s ← F(s), stopped by the
# test (6.1) of the paper, 1/nc ‖F(s) − s‖/(‖s‖ + 1) ≤ ε, takes more convex problems the larger μ is.

# %%
beads = cornet.simulate("beads", time=1.0, check_every=10, count=60)
verdicts = [report["verdict"] for report in beads.reports if report["verdict"]]
print(f"{beads.steps} steps, at most {max(r['contacts'] for r in beads.reports)} contacts, verdicts: {sorted(set(verdicts))}")
assert verdicts and all(verdict.startswith("guaranteed") for verdict in verdicts)

step = cornet.reduce(beads.problem)
counts = {}
for mu in (0.1, 0.3, 0.5, 0.7, 0.9):
    p = cornet.LocalProblem(step.W, step.q, mu)
    s, change, counts[mu] = np.zeros(p.contacts), 1.0, 0
    while change > 1e-4 and counts[mu] < 100:
        new = F(p, s)
        change = np.linalg.norm(new - s) / (np.linalg.norm(s) + 1) / p.contacts
        s, counts[mu] = new, counts[mu] + 1
print(f"{step.contacts} contacts; convex problems until (6.1) with ε = 1e-4:", counts)
assert counts[0.1] < counts[0.9] < 100

# %%
if FIGURES:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.2))
    cornet.plot.phi_landscape(problem, np.linspace(0, 4, 81), ax=axes[0])
    axes[0].set_title("½ (s − F(s))² of section 1")
    cornet.plot.contact_forces(beads, ax=axes[1])
    axes[2].plot(list(counts), list(counts.values()), "o-")
    axes[2].set_xlabel("μ")
    axes[2].set_ylabel("convex problems until s = F(s)")
    figure.tight_layout()
    figure.savefig(f"{FIGURES}/story_000.png", dpi=100)
