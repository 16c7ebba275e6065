"""Ctrl-C ends a solve: KeyboardInterrupt, at once, with the best point so far. Other signals reach their handlers while a solve runs."""
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from support import endless_file

START = """
    import signal, sys, time
    import cornet
    endless = dict(solver="fp-vi-upk", tol=1e-14, max_iterations=10**9, time_limit=100)
    p = cornet.read(sys.argv[1]) if len(sys.argv) > 1 else None
"""


def start(body, *args):
    code = textwrap.dedent(START) + textwrap.dedent(body)
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               encoding="utf-8", bufsize=1)
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    time.sleep(0.5)
    return process


def interrupt(process):
    """Sends Ctrl-C; what was printed, and how long the end took."""
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return out, err, time.monotonic() - begin


def test_solve(tmp_path):
    out, err, seconds = interrupt(start("""
        print("ready", flush=True)
        try:
            cornet.solve(p, **endless)
        except KeyboardInterrupt as stop:
            x = stop.result
            print(x.status, x.iterations > 0, 0 < x.error < 1, cornet.certify(p, x).error == x.error)
        print(cornet.solve(p, tol=1e-2).solved, "afterwards")
    """, endless_file(tmp_path / "p.hdf5")))
    assert out == "interrupted True True True\nTrue afterwards\n", (out, err)
    assert seconds < 10


def test_uncaught(tmp_path):
    process = start("""
        print("ready", flush=True)
        cornet.solve(p, **endless)
    """, endless_file(tmp_path / "p.hdf5"))
    out, err, seconds = interrupt(process)
    assert process.returncode in (-signal.SIGINT, 130) and "KeyboardInterrupt" in err and seconds < 10


def test_with_a_callback(tmp_path):
    out, err, _ = interrupt(start("""
        count = 0
        def callback(*entry):
            global count
            count += 1
            if count == 1:
                print("ready", flush=True)
        try:
            cornet.solve(p, callback=callback, **endless)
        except KeyboardInterrupt as stop:
            print(abs(stop.result.iterations - count) <= 1, count > 1)
    """, endless_file(tmp_path / "p.hdf5")))
    assert out == "True True\n", (out, err)


def test_in_a_thread_the_main_thread_gets_it(tmp_path):
    out, err, _ = interrupt(start("""
        import threading
        answer = []
        stop = threading.Event()
        thread = threading.Thread(target=lambda: answer.append(cornet.solve(p, callback=lambda *e: not stop.is_set(), **endless)))
        thread.start()
        print("ready", flush=True)
        try:
            while thread.is_alive():
                time.sleep(0.01)
        except KeyboardInterrupt:
            stop.set()
            thread.join()
            print(answer[0].status)
    """, endless_file(tmp_path / "p.hdf5")))
    assert out == "interrupted\n", (out, err)


def test_simulate():
    out, err, seconds = interrupt(start("""
        simulation = cornet.Simulation("arch")
        print("ready", flush=True)
        try:
            simulation.run(steps=10**9)
        except KeyboardInterrupt:
            print(simulation.steps == len(simulation.reports) > 0, simulation.outcome)
    """))
    assert out == "True interrupted\n" and seconds < 10, (out, err)


def test_other_signals(tmp_path):
    """A handler that does not raise runs meanwhile and the solve goes on; one that raises ends it."""
    process = start("""
        class Alarm(Exception):
            pass
        def handler(number, frame):
            handler.calls += 1
            print("handled", flush=True)
            if handler.calls == 3:
                signal.setitimer(signal.ITIMER_REAL, 0)  # a slow machine would be struck again before it ends
                raise Alarm
        handler.calls = 0
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
        print("ready", flush=True)
        try:
            cornet.solve(p, **endless)
        except Alarm as stop:
            print(stop.result.status)
    """, endless_file(tmp_path / "p.hdf5"))
    out, err = process.communicate(timeout=60)
    assert out == "handled\n" * 3 + "interrupted\n", (out, err)
