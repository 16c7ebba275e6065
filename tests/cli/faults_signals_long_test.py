"""Hundreds of signals at random moments (the default tests have some dozens; those of campaigns are in bench_kills_long_test.py)."""
import pytest
from faults_signals_test import strike_simulate, strike_solve, strike_write


@pytest.mark.parametrize("strike, kills", [(strike_solve, 400), (strike_write, 400), (strike_simulate, 120)])
def test_many_signals(tmp_path, strike, kills, capsys):
    counts = strike(tmp_path, kills)
    with capsys.disabled():
        print(f"\n{strike.__name__}: {kills} signals, {counts}")
