"""cornet solve --quality."""
import numpy as np
from support import one_contact, one_error, run, run_json, write_guesses, write_local


def test_json_of_a_unique_answer(tmp_path):
    path = one_contact(tmp_path / "p.hdf5", mu=0.5, q=(-1.0, 0.1, 0.0))
    out = run_json("solve", path, "--quality")
    q = out["quality"]
    assert set(q) == {"degenerate", "unknowns", "rank", "reactions_unique", "velocities_unique", "attainable_error", "contacts"}
    assert (q["degenerate"], q["unknowns"], q["rank"]) == (0, 3, 3)
    assert q["reactions_unique"] is True and q["velocities_unique"] is True
    assert 0 < q["attainable_error"] < 1e-14
    assert [c["status"] for c in q["contacts"]] == ["stick"]
    assert 0 < q["contacts"][0]["margin"] <= 1
    assert "quality" not in run_json("solve", path)


def test_two_walls_squeeze(tmp_path):
    # A body between two walls: the normal reactions have a common part that moves nothing.
    H = np.array([[1.0, 0, -1, 0], [0, 1, 0, 1]])
    path = tmp_path / "p.hdf5"
    write_local(path, H.T @ H, H.T @ np.array([-1.0, -0.1]), np.array([0.3, 0.3]), dim=2)
    write_guesses(path, {"r": np.array([10.99, 0.05, 10.0, 0.049]), "u": np.zeros(4)})
    how = ("solve", path, "--quality", "--solver", "nsn-polish", "--guess", "stored")
    q = run_json(*how)["quality"]
    assert (q["unknowns"], q["rank"], q["reactions_unique"], q["velocities_unique"]) == (4, 2, False, True)
    text = run(*how).stdout
    assert "reactions not unique" in text
    for word in ("statuses", "uniqueness", "attainable", "Smallest margins"):
        assert word in text


def test_not_with_explore(tmp_path):
    path = one_contact(tmp_path / "p.hdf5")
    one_error(run("solve", path, "--quality", "--explore", "3"), 2)
