"""A stone arch under its own weight until friction is too low: a scene of the library, a step callback, and a picture of the forces."""
import sys

import cornet


def watch(simulation, report):
    """After every step; False would stop."""
    if report["step"] % 10 == 0:
        print(f"t = {report['time']:.2f} s  {report['contacts']:3} contacts, {report['slide']:3} slide, error {report['error']:.0e}, "
              f"kinetic energy {report['kinetic']:.2e} J")
    return report["kinetic"] < 1000  # it has fallen: enough


for mu in (0.6, 0.1):
    print(f"µ = {mu}")
    simulation = cornet.simulate("arch", time=0.3, mu=mu, callback=watch)
    stands = simulation.energy["kinetic"] < 1e-6
    print("  the arch", "stands" if stands else "falls", "–", simulation.outcome)
    if mu == 0.6:
        assert stands
        if len(sys.argv) > 1:  # simulate.py FIGURE.png
            import matplotlib.pyplot as plt

            cornet.plot.contact_forces(simulation, plane="xz")
            plt.savefig(sys.argv[1], dpi=120)
            print("  forces:", sys.argv[1])
    else:
        assert not stands

# The contact problem of the last step is a problem like any other.
problem = simulation.problem
print(problem, "→", cornet.solve(problem, solver="nsgs-ac", tol=1e-4).status)
