"""Campaigns as a user meets them: runs, limits, records, resume, shards, peers, profiles, bad input."""
import json
import math
import os
import random
import signal
import stat
import subprocess
import time

import pytest
from support import CORNET, endless_file, error, local_file, not_sanitized, one_error, run, run_json

SOLVERS = "nsgs-ac,nsn-ac,psor-ac:omega=0.8:omega_rule=fixed"


def records(path):
    return [json.loads(line) for line in open(path)]


@pytest.fixture
def problems(tmp_path):
    folder = tmp_path / "problems"
    folder.mkdir()
    for seed in range(1, 4):
        local_file(folder / f"p{seed}.hdf5", seed=seed)
    return folder


def bench(problems, path, *extra, solvers=SOLVERS, code=0, **kwargs):
    return run_json("bench", "run", "--problems", problems, "--solvers", solvers, "--records", path, "--time-limit", 5, "--repeat", 1,
                    *extra, code=code, **kwargs)


def comparable(rows):
    """A record set without what differs between two runs of the same thing."""
    fields = ("problem", "label", "tolerance", "status", "error", "iterations")
    return {r["key"]: (*(r[f] for f in fields), json.dumps(r["contacts"])) for r in rows}


def test_a_campaign_writes_complete_records(tmp_path, problems):
    out = bench(problems, tmp_path / "a.jsonl", "--jobs", 2)
    assert out["done"] == out["total"] == 18 and out["statuses"] == {"solved": 18}
    rows = records(tmp_path / "a.jsonl")
    assert len({r["key"] for r in rows}) == 18
    assert {r["label"] for r in rows} == set(SOLVERS.split(","))
    for r in rows:
        for key in ("problem", "problem_hash", "solver", "tolerance", "status", "claimed", "error", "time", "iterations", "contacts",
                    "provenance"):
            assert key in r
        assert r["set"] == "problems" and r["error"] <= r["tolerance"] and r["time"] > 0
        assert sum(r["contacts"].values()) == r["number_of_contacts"] == 6
        assert {"version", "compiler", "cpu", "threads", "options", "binary"} <= set(r["provenance"])
        assert r["analysis"]["rank_ratio"] >= 1 and r["mu"]["min"] <= r["mu"]["max"]
    assert [r["provenance"]["options"]["omega"] for r in rows if r["solver"] == "psor-ac"] == ["0.8"] * 6
    assert not os.path.exists(f"{tmp_path}/a.jsonl.tmp")


def test_resume_skips_what_is_there_and_runs_what_changed(tmp_path, problems):
    path = tmp_path / "a.jsonl"
    bench(problems, path)
    before = path.read_bytes()
    assert bench(problems, path, "--resume")["skipped"] == 18
    assert path.read_bytes() == before
    line = one_error(run("bench", "run", "--problems", problems, "--solvers", "nsgs-ac", "--records", path), 3)
    assert "--resume" in line
    # A problem with the same name and other numbers, and another option, are new runs.
    local_file(problems / "p1.hdf5", seed=77)
    assert bench(problems, path, "--resume")["done"] == 6
    assert bench(problems, path, "--resume", solvers="psor-ac:omega=0.9:omega_rule=fixed")["done"] == 6


def test_a_torn_last_line_is_cut_off_and_run_again(tmp_path, problems):
    path = tmp_path / "a.jsonl"
    bench(problems, path)
    whole = comparable(records(path))
    path.write_bytes(path.read_bytes()[:-100])
    out = bench(problems, path, "--resume")
    assert out["done"] == 1 and "torn" in out["warnings"][0]
    assert comparable(records(path)) == whole


def test_shards_share_the_work_and_merge(tmp_path, problems):
    bench(problems, tmp_path / "all.jsonl")
    parts = [tmp_path / f"part{k}.jsonl" for k in (1, 2, 3, 4)]
    done = [bench(problems, part, "--shard", f"{k}/4")["done"] for k, part in enumerate(parts, 1)]
    assert sum(done) == 18 and max(done) - min(done) <= 1
    out = run_json("bench", "merge", *parts, parts[0], "-o", tmp_path / "merged.jsonl")
    assert out["records"] == 18 and out["duplicates"] == done[0]
    assert comparable(records(tmp_path / "merged.jsonl")) == comparable(records(tmp_path / "all.jsonl"))


def test_time_limit_and_the_error_of_what_was_reached(tmp_path):
    endless_file(tmp_path / "endless.hdf5", contacts=30)
    out = run_json("bench", "run", "--problems", tmp_path / "endless.hdf5", "--solvers", "fp-ds", "--tol", "1e-12", "--time-limit", 0.3,
                   "--max-iterations", 10**12, "--records", tmp_path / "a.jsonl")
    assert out["statuses"] == {"time_limit": 1}
    row = records(tmp_path / "a.jsonl")[0]
    assert 0.25 < row["time"] < 2 and row["error"] > 1e-12 and not row["claimed"]


@not_sanitized("it takes terabytes of addresses")
def test_memory_limit_of_our_own_solvers(tmp_path):
    local_file(tmp_path / "dense.hdf5", contacts=250, dofs=300)
    out = run_json("bench", "run", "--problems", tmp_path / "dense.hdf5", "--solvers", "nsgs-ac,nsn-ac", "--tol", "1e-4", "--analyse", 0,
                   "--memory-limit", 16, "--records", tmp_path / "a.jsonl")
    assert out["statuses"] == {"memory_limit": 2}
    assert all(r["error"] is None and "out of memory" in r["message"] for r in records(tmp_path / "a.jsonl"))


def peer(tmp_path, body):
    """A program of ours, here in Python, with the protocol of docs/campaigns.md."""
    path = tmp_path / "peer"
    path.write_text("#!/usr/bin/python3\nimport json, os, sys, time\na = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
                    "def answer(**fields):\n    json.dump(fields, open(a['--answer'], 'w'))\n" + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def run_peer(tmp_path, problems, body, *extra, code=0):
    out = run_json("bench", "run", "--problems", problems / "p1.hdf5", "--peer", f"mine={peer(tmp_path, body)}", "--tol", "1e-4",
                   "--time-limit", 1, "--records", tmp_path / "peer.jsonl", *extra, code=code)
    return out, records(tmp_path / "peer.jsonl")[0]


def test_a_peer_that_solves_is_certified_by_us(tmp_path, problems):
    run("solve", problems / "p1.hdf5", "--tol", "1e-9", "--output", tmp_path / "solved.hdf5")
    body = (f"import h5py\nr = list(h5py.File('{tmp_path}/solved.hdf5')['solution/r'][...])\n"
            "answer(r=r, time=0.25, iterations=3, version='mine 1')\n")
    _, row = run_peer(tmp_path, problems, body)
    assert row["status"] == "solved" and row["time"] == 0.25 and row["iterations"] == 3 and row["provenance"]["peer"] == "mine 1"
    assert row["error"] == pytest.approx(error(problems / "p1.hdf5", "local", tmp_path / "solved.hdf5"), rel=1e-3, abs=1e-14)


@pytest.mark.parametrize("body, status, word", [
    ("answer(r=[0.0] * 18, converged=True)\n", "inaccurate", "claimed to be solved"),
    ("answer(r=[0.0] * 17)\n", "inaccurate", "found 17 reactions, expected 18"),
    ("answer(r=[None] * 18)\n", "inaccurate", "no certificate"),
    ("answer(status='unsupported', converged=False, message='too hard')\n", "unsupported", "too hard"),
    ("sys.exit(3)\n", "crashed", "exit code 3"),
    ("os.kill(os.getpid(), 11)\n", "crashed", "signal 11"),
    ("open(a['--answer'], 'w').write('[1, 2')\n", "crashed", "no JSON"),
    ("answer(r=[0.0] * 18, iterations=1e17)\n", "crashed", "found iterations 1e+17"),
    ("answer(r=[0.0] * 18, iterations=2.5)\n", "crashed", "found iterations 2.5"),
    ("answer(r=[0.0] * 18, repeats=1e300)\n", "crashed", "found repeats 1e+300"),
    ("open(a['--answer'], 'w').truncate(2**32)\n", "crashed", "found an answer of 4294967296 bytes"),
    ("os.mkdir(a['--answer'])\n", "crashed", "without an answer"),
    ("time.sleep(60)\n", "time_limit", "killed after"),
    ("x = bytearray(10**10)\n", "crashed", "exit code 1"),
])
def test_peers_that_fail_are_failed_runs(tmp_path, problems, body, status, word):
    out, row = run_peer(tmp_path, problems, body, "--memory-limit", 2000)
    assert out["statuses"] == {status: 1}
    assert row["status"] == status and word in row["message"], row
    again = run_json("bench", "merge", tmp_path / "peer.jsonl", "-o", tmp_path / "merged.jsonl")
    assert again["records"] == 1, "whatever a program says, its record can be read"


def test_siconos_takes_part_where_it_is_built(tmp_path, problems):
    beside = os.path.join(os.path.dirname(CORNET), "cornet-siconos")
    if not os.path.exists(beside):
        line = one_error(run("bench", "run", "--problems", problems, "--solvers", "siconos:NSGS-AC", "--records", tmp_path / "a.jsonl"), 2)
        assert "libsiconos-numerics-dev" in line
        pytest.skip("no cornet-siconos in this build")
    out = bench(f"{problems}/p[12].hdf5", tmp_path / "a.jsonl",
                solvers="siconos:NSGS-AC,siconos:NSN-AC-GP,siconos:PPA,siconos:ADMM,siconos:IPM")
    by = {}
    for r in records(tmp_path / "a.jsonl"):
        by.setdefault(r["label"], []).append(r)
        assert r["family"] == "Siconos" and (r["status"] != "solved" or r["error"] <= r["tolerance"])
    assert out["done"] == 20 and all(r["status"] == "solved" for r in by["siconos:NSGS-AC"] + by["siconos:PPA"])
    assert all(r["status"] == "unsupported" for r in by["siconos:IPM"])  # it takes the global form
    line = one_error(run("bench", "run", "--problems", problems, "--solvers", "siconos:NSGS-AX", "--records", tmp_path / "b.jsonl"), 2)
    assert "did you mean siconos:NSGS-AC" in line


def profile_by_hand(rows, solvers, tau):
    best, cost = {}, {}
    for r in rows:
        key = (r["problem_hash"], r["tolerance"])
        t = r["time"] if r["status"] == "solved" else math.inf
        cost[key, r["label"]] = t
        best[key] = min(best.get(key, math.inf), t)
    return {s: sum(cost[k, s] <= tau * best[k] for k in best) / len(best) for s in solvers}


def test_profile_of_a_campaign(tmp_path, problems):
    path = tmp_path / "a.jsonl"
    bench(problems, path)
    out = run_json("bench", "profile", path, "--csv", tmp_path / "a.csv")
    rows = records(path)
    names = [s["name"] for s in out["solvers"]]
    assert out["instances"] == 6 and set(names) == set(SOLVERS.split(","))
    for curve in out["curves"]:
        for tau, rho in zip(curve["tau"], curve["rho"]):
            assert rho == pytest.approx(profile_by_hand(rows, names, tau * (1 + 1e-12))[curve["solver"]])
    by_hand = math.exp(sum(math.log(r["time"] + 1e-3) for r in rows if r["label"] == "nsgs-ac") / 6) - 1e-3
    assert [s["mean"] for s in out["solvers"] if s["name"] == "nsgs-ac"][0] == pytest.approx(by_hand)
    assert (tmp_path / "a.csv").read_text().startswith("solver,tau,rho\n")
    text = run("bench", "profile", path, "--by", "iterations", "--solvers", "ns*").stdout
    assert "2 solvers × 6 instances by iterations" in text and "┤" in text and "Which solver should I use?" in text
    assert run_json("bench", "profile", path, "--tol", "1e-8", "--by", "products")["instances"] == 3


def test_a_single_solver_and_nothing_solved(tmp_path, problems):
    path = tmp_path / "a.jsonl"
    bench(problems, path, "--max-iterations", 1, "--tol", "1e-12", solvers="fp-ds")
    out = run_json("bench", "profile", path)
    assert out["unsolved"] == 3 and out["curves"][0]["tau"] == [] and out["solvers"][0]["failure_rate"] == 1
    text = run("bench", "profile", path).stdout
    assert "3 solved by nobody" in text and "none" in text


@pytest.mark.parametrize("args, code, words", [
    (["run", "--solvers", "nsgs-acc", "--problems", "{p}", "--records", "{r}"], 2, ["nsgs-acc", "nsgs-ac"]),
    (["run", "--solvers", "psor-ac:omega=9", "--problems", "{p}", "--records", "{r}"], 2, ["omega", "9"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}/none-*.hdf5", "--records", "{r}"], 3, ["found no problem file"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}", "--records", "/no/such/folder/a.jsonl"], 3, ["cannot be written"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}"], 2, ["--records is missing"]),
    (["run", "--solvers", "nsgs-ac", "--records", "{r}"], 2, ["found no problems"]),
    (["run", "--problems", "{p}", "--records", "{r}"], 2, ["found no solvers"]),
    (["run", "nonsense", "--records", "{r}"], 3, ["nonsense", "quick"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}", "--records", "{r}", "--tol", "2"], 2, ["--tol: found '2'"]),
    (["run", "--solvers", "nsgs-ac,,", "--problems", "{p}", "--records", "{r}"], 2, ["--solvers"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}", "--records", "{r}", "--shard", "3/2"], 2, ["--shard: found '3/2'"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}", "--records", "{r}", "--jobs", "0"], 2, ["--jobs"]),
    (["run", "--solvers", "nsgs-ac", "--problems", "{p}", "--records", "{r}", "--peer", "no-such-program"], 2, ["no-such-program"]),
    (["profile", "{p}/p1.hdf5"], 3, ["line 1"]),
    (["profile", "{r}"], 3, ["cannot be read"]),
    (["report", "{r}", "-o", "x.html"], 3, ["cannot be read"]),
    (["profile"], 2, ["RECORDS is missing"]),
    (["nonsense"], 2, ["bench"]),
    ([], 2, ["expected one of run, profile, report, merge"]),
])
def test_bad_input(tmp_path, problems, args, code, words):
    line = one_error(run("bench", *[a.format(p=problems, r=tmp_path / "r.jsonl") for a in args]), code)
    for word in words:
        assert word in line, line


def test_unreadable_problems_are_named_and_the_others_run(tmp_path, problems):
    (problems / "broken.hdf5").write_bytes(b"no problem")
    out = bench(problems, tmp_path / "a.jsonl", code=3)
    assert out["done"] == 18 and out["unreadable"] == 1 and "broken.hdf5" in out["warnings"][0]


def test_records_of_a_newer_version_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"record": 2, "key": "x"}\n')
    for command in (["profile", path], ["report", path, "-o", tmp_path / "x.html"], ["merge", path, "-o", tmp_path / "y"]):
        assert "newer version" in one_error(run("bench", *command), 3, path)
    (tmp_path / "empty.jsonl").write_text("")
    assert "found no records" in one_error(run("bench", "profile", tmp_path / "empty.jsonl"), 3)


def test_a_spec_file_and_the_list(tmp_path, problems):
    shipped = run_json("bench", "run", "--list")
    assert [s["name"] for s in shipped] == ["quick", "survey-table6", "families", "between-families"]
    assert all(s["solvers"] >= 12 and s["spec"]["name"] == s["name"] for s in shipped)
    spec = {"problems": [{"files": f"{problems}/p1.hdf5", "set": "one", "tolerances": [1e-6]},
                         {"generate": "Chain", "count": 2, "form": "local"}],
            "solvers": ["nsgs-ac", {"solver": "psor-ac", "options": {"omega": 0.7, "omega_rule": "fixed"}, "label": "slow"}],
            "tolerances": [1e-3], "time_limit": 5, "history": True}
    (tmp_path / "s.json").write_text(json.dumps(spec))
    out = run_json("bench", "run", tmp_path / "s.json", "--records", tmp_path / "a.jsonl")
    assert out["done"] == 6
    rows = records(tmp_path / "a.jsonl")
    assert {(r["set"], r["tolerance"]) for r in rows} == {("one", 1e-6), ("Chain", 1e-3)}
    assert {r["label"] for r in rows} == {"nsgs-ac", "slow"} and all(len(r["history"]) > 0 for r in rows)
    assert all(r["form"] == "local" and r["dofs"] == 60 for r in rows if r["set"] == "Chain")
    spec["solvers"] = ["nsgs-ac"]
    spec["problem"] = []
    (tmp_path / "s.json").write_text(json.dumps(spec))
    line = one_error(run("bench", "run", tmp_path / "s.json", "--records", tmp_path / "b.jsonl"), 3, tmp_path / "s.json")
    assert "unknown field 'problem'" in line


def test_interrupt_keeps_what_is_done(tmp_path):
    for seed in range(8):
        endless_file(tmp_path / f"e{seed}.hdf5", contacts=20, seed=seed)
    command = [CORNET, "bench", "run", "--problems", f"{tmp_path}/e*.hdf5", "--solvers", "fp-ds", "--tol", "1e-13", "--time-limit", "0.4",
               "--max-iterations", "1000000000", "--records", str(tmp_path / "a.jsonl"), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    start = time.monotonic()
    while not (tmp_path / "a.jsonl").exists() or b"\n" not in (tmp_path / "a.jsonl").read_bytes():
        assert time.monotonic() - start < 30, "no record"
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out = json.loads(process.communicate(timeout=20)[0])
    assert process.returncode == 130 and out["interrupted"] and 0 < out["done"] < 8
    assert len(records(tmp_path / "a.jsonl")) == out["done"]


def kill_and_resume(tmp_path, problems, kills):
    """SIGKILL at random moments, then --resume until done: the same records as undisturbed, each once."""
    bench(problems, tmp_path / "calm.jsonl", "--jobs", 2, timeout=600)
    calm = comparable(records(tmp_path / "calm.jsonl"))
    path = tmp_path / "killed.jsonl"
    command = [CORNET, "bench", "run", "--problems", str(problems), "--solvers", SOLVERS, "--records", str(path), "--time-limit", "5",
               "--repeat", "1", "--jobs", "2", "--resume", "--quiet"]
    random.seed(4)
    done = 0
    for _ in range(kills):
        process = subprocess.Popen(command)
        time.sleep(random.uniform(0.01, 0.25))
        process.kill()
        process.wait()
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = sum(line.endswith(b"\n") for line in lines)
        assert whole >= done, "a kill lost records that were complete"
        if whole == len(calm):  # everything is done: begin again, kills are to be spread over campaigns
            assert comparable(records(path)) == calm
            path.unlink()
            whole = 0
        done = whole
    subprocess.run(command, check=True, timeout=600)
    rows = records(path)
    assert len(rows) == len(calm) and comparable(rows) == calm


def test_kills_lose_and_duplicate_nothing(tmp_path, problems):
    kill_and_resume(tmp_path, problems, 12)
