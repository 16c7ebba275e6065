"""Python and the command line give the same answers under the same names."""
import csv
import json

import numpy as np
import pytest

import cornet
from support import run, run_json

CLOCK = {"time", "statistics"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in CLOCK}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


def told(*words):
    return json.loads(run(*words, "--json").stdout)


@pytest.mark.parametrize("solver", ["auto", "nsgs-ac", "nsn-ac"])
@pytest.mark.parametrize("name", list(cornet.samples()))
def test_solve(name, solver, tmp_path):
    path = tmp_path / "p.hdf5"
    cornet.write(path, cornet.samples()[name])
    there = told("solve", path, "--check", "--quality", "--verbose", "--history", "--solver", solver, "--max-iterations", "200")
    x = cornet.solve(cornet.read(path), solver, check=True, quality=True, history=True, max_iterations=200)
    here = x.to_dict()
    assert set(here["statistics"]) == set(there["statistics"])
    for vector in ("v", "r", "lambda"):  # the program leaves them out here
        here["existence"]["certificate"].pop(vector, None)
    problem = {"file": str(path), "form": x.v is not None and "global" or "local", "dimension": cornet.read(path).dim,
               "number_of_contacts": len(x.certificate.statuses)}
    assert without_times({**problem, **here}) == without_times(there)


@pytest.mark.parametrize("name", ["incline-2d-stick", "box-stack-8", "random-3d-unsymmetric", "jointed-cubes"])
def test_check(name, tmp_path):
    path = tmp_path / "p.hdf5"
    cornet.write(path, cornet.samples()[name])
    there = told("check", path)
    here = cornet.check_existence(cornet.read(path)).to_dict()
    assert without_times(here) == without_times({key: there[key] for key in here})


def test_explore(tmp_path):
    path = tmp_path / "p.hdf5"
    cornet.write(path, cornet.samples()["random-2d-30"])
    there = told("solve", path, "--explore", "5")
    here = cornet.explore(cornet.read(path), 5)
    assert [s["found"] for s in here["solutions"]] == [s["found"] for s in there["solutions"]] and here["outcomes"] == there["outcomes"]
    assert all(np.array_equal(a["r"], b["r"]) for a, b in zip(here["solutions"], there["solutions"]))


def test_tables():
    def finite(rows):
        return json.loads(json.dumps(rows).replace("Infinity", "null"))
    assert finite(cornet.solvers()) == run_json("solvers")
    assert finite([cornet.solvers("nsgs-ac")]) == run_json("solvers", "nsgs-ac")
    assert cornet.scenes() == run_json("scenes")
    assert finite(cornet.engines()) == [{key: row[key] for key in cornet.engines()[0]} for row in run_json("convex", "--list")]
    assert cornet.__version__ == run_json("--version")["version"]


def test_simulate(tmp_path):
    run("simulate", "arch", "--steps", "12", "--set", "mu=0.4", "--stats", tmp_path / "s.csv", "--record", tmp_path / "a.rec", cwd=tmp_path)
    with open(tmp_path / "s.csv") as file:
        rows = list(csv.DictReader(file))
    simulation = cornet.simulate("arch", 12, mu=0.4, record=tmp_path / "b.rec")
    assert len(simulation.reports) == 12
    for row, report in zip(rows, simulation.reports):
        assert set(row) <= set(report)
        for key in ("step", "contacts", "take_off", "stick", "slide", "status", "solver", "iterations", "verdict"):
            assert row[key] == str(report[key]), key
        for key in ("time", "kinetic", "potential", "friction"):
            assert float(row[key]) == pytest.approx(report[key], rel=1e-9, abs=1e-20), key
    assert (tmp_path / "a.rec").read_bytes() == (tmp_path / "b.rec").read_bytes(), "the same motion, bit by bit"


def test_records_and_profiles(tmp_path):
    for name, problem in cornet.samples().items():
        cornet.write(tmp_path / f"{name}.hdf5", problem)
    path = tmp_path / "r.jsonl"
    done = run("bench", "run", "--problems", tmp_path / "*.hdf5", "--solvers", "nsgs-ac,nsn-ac,psor-ac", "--tol", "1e-4,1e-6",
               "--time-limit", "5", "--records", path)
    assert done.returncode == 0, done.stderr
    records = cornet.read_records(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(records) == len(lines) == 96 and records == lines
    flat = cornet.read_records(path, path, flat=True)
    assert not any(isinstance(value, dict) for record in flat for value in record.values()) and "contacts.slide" in flat[0]
    with open(path, "a") as file:
        file.write('{"torn')
    with pytest.warns(UserWarning):
        assert len(cornet.read_records(path)) >= 96
    pytest.importorskip("matplotlib")
    for by in ("time", "iterations"):
        there = {curve["solver"]: curve for curve in run_json("bench", "profile", path, "--by", by)["curves"]}
        here = cornet.plot.profile_curves(records, by)
        assert {curve["solver"] for curve in here} == set(there)
        for curve in here:
            assert np.allclose(curve["tau"], there[curve["solver"]]["tau"]) and np.allclose(curve["rho"], there[curve["solver"]]["rho"])
