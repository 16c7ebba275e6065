"""What the tests of faults share: small and read-only disks, limits of the system, and what a file may be after a fault."""
import contextlib
import os
import random
import resource
import signal
import subprocess
import time

import pytest
from support import CORNET, SANITIZED, datasets


@contextlib.contextmanager
def disk(path, size="64k", read_only=False):
    """A disk of its own at `path`, a tmpfs. Where mounting is refused the test says so and is skipped."""
    path.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"SKIPPED: no tmpfs can be mounted here ({done.stderr.strip()}); RLIMIT_FSIZE stands for it in the other tests")
    try:
        if read_only:
            subprocess.run(["mount", "-o", "remount,ro", str(path)], check=True)
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def leave(path, bytes_left):
    """Fills the disk of `path` up to so many bytes."""
    info = os.statvfs(path)
    fill = info.f_bavail * info.f_frsize - bytes_left
    with open(path / "ballast", "wb") as f:
        f.write(b"x" * max(fill, 0))


def limited(*args, address_space=None, file_size=None, env=None, timeout=120, **kwargs):
    """Runs cornet under limits of the system. A signal of the limit is ignored, so that the write fails as on a full disk. A sanitizer
    takes terabytes of addresses: it runs without that limit."""
    def limit():
        if address_space and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        if file_size:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run([CORNET, *map(str, args)], capture_output=True, encoding="utf-8", preexec_fn=limit, restore_signals=False,
                          env={**os.environ, **(env or {})}, timeout=timeout, stdin=subprocess.DEVNULL, **kwargs)


def one_line(done, codes, *words):
    """Ended by itself with one of the codes and one line on stderr that has the words."""
    assert done.returncode in codes, (done.args, done.returncode, done.stdout, done.stderr)
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("cornet: "), done.stderr
    for word in words:
        assert str(word) in lines[0], (word, lines[0])
    return lines[0]


def same(path, *references):
    """The HDF5 file holds what one of the references holds, to the bit."""
    found = datasets(path)
    return any(found == reference for reference in references)


def leftovers(folder, *known):
    return sorted(set(os.listdir(folder)) - set(known))


def struck(command, number, longest, cwd=None):
    """Starts the command, sends the signal at a random moment up to `longest` seconds later; returns how it ended and its stderr."""
    process = subprocess.Popen([CORNET, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cwd, encoding="utf-8")
    time.sleep(random.uniform(0, longest))
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def duration(command):
    """Seconds that a command takes when nobody disturbs it."""
    start = time.monotonic()
    subprocess.run([CORNET, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
    return time.monotonic() - start
