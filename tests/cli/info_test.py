"""cornet info."""
import numpy as np
import pytest
from support import both_file, global_file, local_file, one_contact, run, run_json, write_global, write_guesses, write_local, write_point

TYPES = {
    "file": str, "form": str, "dimension": int, "number_of_contacts": int, "name": str, "forms": list, "size": int,
    "degrees_of_freedom": (int, type(None)), "density": (float, type(None)), "mu": dict, "asymmetry": float,
    "asymmetry_M": (float, type(None)), "symmetric": bool, "rank": (int, type(None)), "condition": (float, type(None)),
    "largest_singular_value": (float, type(None)), "smallest_singular_value": (float, type(None)), "method": str, "norm_q": float,
    "blocks": dict, "matrices": dict, "bilateral_constraints": int, "guesses": int, "solution": (dict, type(None)), "title": str,
    "description": str, "math_info": str, "attributes": dict, "warnings": list,
}


def check(out):
    assert set(out) == set(TYPES), set(out) ^ set(TYPES)
    for key, kind in TYPES.items():
        value = float(out[key]) if kind in (float, (float, type(None))) and type(out[key]) is int else out[key]
        assert isinstance(value, kind), (key, value)


def test_local(tmp_path):
    W = np.diag([4.0, 2, 1, 1, 1, 0])
    W[0, 3] = W[3, 0] = 0.1
    path = write_local(tmp_path / "p.hdf5", W, [3, 0, 0, 4, 0, 0], [0.2, 0.8], title="two blocks")
    out = run_json("info", path)
    check(out)
    assert out["form"] == "local" and out["forms"] == ["local"] and out["dimension"] == 3 and out["number_of_contacts"] == 2
    assert out["size"] == 6 and out["degrees_of_freedom"] is None and out["density"] is None
    assert out["mu"] == {"min": 0.2, "max": 0.8, "zero": 0, "infinite": 0}
    assert out["rank"] == 5 and out["symmetric"] and out["asymmetry"] == 0
    values = np.linalg.svd(W, compute_uv=False)
    assert out["largest_singular_value"] == pytest.approx(values[0]) and out["condition"] == pytest.approx(values[0] / values[4])
    assert out["blocks"] == {"count": 4, "per_row": 2, "percent": 100}
    assert out["norm_q"] == pytest.approx(5)
    assert out["matrices"]["W"] == {"rows": 6, "columns": 6, "entries": 7, "storage": "csc"}
    assert out["title"] == "two blocks" and out["description"] == "made by a test"
    assert out["guesses"] == 0 and out["solution"] is None and out["warnings"] == []


def test_asymmetry(tmp_path):
    W = np.diag([4.0, 2, 1, 1, 1, 0])
    W[0, 5] = 0.1
    out = run_json("info", write_local(tmp_path / "p.hdf5", W, np.ones(6), [0.2, 0.8]))
    assert out["asymmetry"] == pytest.approx(np.linalg.norm(W - W.T) / np.linalg.norm(W)) and not out["symmetric"]
    assert out["rank"] == 5 and 1 < out["condition"] < 40, "an estimate"
    assert out["blocks"] == {"count": 3, "per_row": 1.5, "percent": 75}
    assert "not symmetric" in run("info", tmp_path / "p.hdf5").stdout


def test_global_with_constraints(tmp_path):
    unit = np.eye(6)
    path = write_global(tmp_path / "g.hdf5", 2 * unit, unit[:, :3], -np.ones(6), np.zeros(3), [np.inf], G=unit[:, 5:], b=[0.0])
    out = run_json("info", path)
    check(out)
    assert out["form"] == "global" and out["degrees_of_freedom"] == 6 and out["density"] == 0.5
    assert out["bilateral_constraints"] == 1 and out["rank"] == 3 and out["condition"] == pytest.approx(1) and out["symmetric"]
    assert out["mu"] == {"min": None, "max": None, "zero": 0, "infinite": 1}
    text = run("info", path).stdout
    assert "1 constraint" in text and "∞" in text


def test_both_forms_are_told(tmp_path):
    path = both_file(tmp_path / "p.hdf5")
    out = run_json("info", path)
    assert out["forms"] == ["local", "global"] and out["form"] == "global"
    local = run_json("info", path, "--form", "local")
    assert local["form"] == "local" and local["degrees_of_freedom"] == 12
    assert local["rank"] == out["rank"] == 12 and local["density"] == pytest.approx(1.5)
    assert "--form local" in run("info", path).stdout


def test_stored_points(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    write_point(path, r=[1, -0.1, 0], u=[0, 0, 0])
    write_guesses(path, {"r": [0, 0, 0], "u": [0, 0, 0]}, {"r": [1, 0, 0], "u": [0, 0, 0]})
    out = run_json("info", path)
    assert out["guesses"] == 2
    assert out["solution"]["error"] < 1e-15 and out["solution"]["fields"] == "r, u" and out["solution"]["contacts"]["stick"] == 1
    text = run("info", path).stdout
    assert "verified error" in text and "2 stored guesses" in text


def test_text_fits_and_is_plain(tmp_path):
    path = global_file(tmp_path / "p.hdf5")
    done = run("info", path, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "" and "\033" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if path not in line)
    for word in ("kind", "nc = 6", "n = 12", "m/n = 1.5", "symmetry", "rank", "conditioning", "blocks", "µ = ", "none stored"):
        assert word in done.stdout, word


def test_form_that_is_absent(tmp_path):
    path = local_file(tmp_path / "p.hdf5")
    done = run("info", path, "--form", "global")
    assert done.returncode == 3 and done.stderr.startswith(f"cornet: {path}: ") and "global" in done.stderr


def test_title_that_is_not_utf8(tmp_path):
    path = write_local(tmp_path / "p.hdf5", np.eye(3), [-1, 0, 0], [0.5], title=b"f\xfcr alle")
    out = run_json("info", path)
    assert out["title"].startswith("f") and out["title"].endswith("r alle")


def test_quiet_only_checks(tmp_path):
    done = run("info", local_file(tmp_path / "p.hdf5"), "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
