"""Two hundred random kills of a running campaign (the default tests have a dozen)."""
from bench_test import kill_and_resume, problems  # noqa: F401
from support import local_file


def test_two_hundred_kills(tmp_path, problems):  # noqa: F811
    for seed in range(10, 40):
        local_file(problems / f"more{seed}.hdf5", seed=seed)
    kill_and_resume(tmp_path, problems, 200)
