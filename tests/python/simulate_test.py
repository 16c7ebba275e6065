"""Simulations from Python: callbacks, states, problems of single steps."""
import numpy as np
import pytest

import cornet

BALL = {"name": "ball", "dt": 0.01, "duration": 0.3, "mu": 0.5,
        "bodies": [{"name": "ground", "kind": "fixed", "shape": {"kind": "plane"}},
                   {"name": "ball", "shape": {"kind": "sphere", "radius": 0.5}, "position": [0, 0, 0.6], "mass": 2}]}


def test_a_ball_falls():
    seen = []
    simulation = cornet.simulate(BALL, callback=lambda s, report: seen.append((s.steps, report["contacts"], s.bodies["position"][1, 2])))
    assert simulation.outcome == "done" and simulation.steps == 30 == len(simulation.reports) and simulation.time == pytest.approx(0.3)
    assert [entry[0] for entry in seen] == list(range(1, 31)) and seen[0][1] == 0 and seen[-1][1] == 1
    assert seen[-1][2] == pytest.approx(0.5, abs=2e-3), "it rests on the ground"
    assert simulation.bodies["name"] == ["ground", "ball"] and simulation.bodies["mass"][1] == 2
    contact = simulation.contacts
    assert contact["point"].shape == (1, 3) and contact["reaction"][0, 2] == pytest.approx(2 * 9.81 * 0.01, rel=1e-6)
    assert contact["mu"].tolist() == [0.5] and contact["status"] == ["stick"]
    assert simulation.scene["bodies"][1]["mass"] == 2 and simulation.dim == 3
    assert simulation.energy["potential"] == pytest.approx(2 * 9.81 * 0.5, rel=1e-2)


def test_the_problem_of_a_step():
    simulation = cornet.simulate("arch", steps=3)
    for name in ("problem", "answer"):
        with pytest.raises(cornet.Error, match=f"{name}: found no step"):
            getattr(cornet.Simulation("arch"), name)
    p, x = simulation.problem, simulation.answer
    assert p.form == "global" and cornet.certify(p, x).error <= 1e-8
    assert p.contacts == len(simulation.contacts["a"]) == simulation.reports[-1]["contacts"]


def test_the_callback_stops():
    simulation = cornet.simulate("arch", steps=50, callback=lambda s, report: s.steps < 4)
    assert simulation.steps == 4 and simulation.outcome == "stopped by the callback"
    assert simulation.run(steps=6).steps == 6, "and it goes on"
    def fail(s, report):
        raise LookupError("here")
    with pytest.raises(LookupError, match="here"):
        cornet.simulate("arch", steps=50, callback=fail)


def test_settings():
    simulation = cornet.simulate("arch", time=0.02, dt=0.005, solver="nsgs-ac", tol=1e-4, check_every=2, mu=0.7)
    assert simulation.steps == 4 and simulation.scene["dt"] == 0.005
    assert [bool(r["verdict"]) for r in simulation.reports] == [True, False, True, False]
    assert all(r["solver"] == "nsgs-ac" for r in simulation.reports) and (simulation.contacts["mu"] == 0.7).all()


def test_files(tmp_path):
    simulation = cornet.simulate("arch", steps=2, record=tmp_path / "a.rec", vtk=tmp_path / "vtk")
    assert (tmp_path / "a.rec").stat().st_size > 0 and list((tmp_path / "vtk").glob("*.vtp"))
    import json
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(simulation.scene))
    again = cornet.simulate(scene, steps=2)
    assert np.array_equal(again.bodies["position"], simulation.bodies["position"])


def test_steps_without_contacts():
    simulation = cornet.simulate(BALL, steps=1)
    assert simulation.problem.contacts == 0 and simulation.answer["r"].shape == (0,) and simulation.contacts["point"].shape == (0, 3)
    assert cornet.solve(simulation.problem).solved
