"""Problems written with h5py, an error recomputed with NumPy, and the program run as a user does. Nothing here knows cornet's code."""
import json
import os
import pathlib
import re
import subprocess

import h5py
import numpy as np
import pytest

CORNET = os.environ.get("CORNET", "cornet")
SOURCE = os.environ.get("CORNET_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))

CACHE = pathlib.Path(os.environ.get("CORNET_BUILD", ""), "CMakeCache.txt")
SANITIZER = re.search(r"^CORNET_SANITIZE:\w+=(.*)$", CACHE.read_text(encoding="utf-8"), re.M) if CACHE.is_file() else None
SANITIZED = SANITIZER.group(1) if SANITIZER else ""  # as "address,undefined"


def not_sanitized(reason, by=""):
    """Marks what a program with a sanitizer cannot do, or with one of them."""
    return pytest.mark.skipif(SANITIZED != "" and by in SANITIZED, reason=f"a build with a sanitizer: {reason}")


def run(*args, env=None, timeout=1800 if SANITIZED else 120, cwd=None):
    """Runs cornet with pipes for all streams; text in UTF-8 whatever the locale."""
    full = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    full.update(env or {})
    return subprocess.run([CORNET, *map(str, args)], capture_output=True, encoding="utf-8", env=full, timeout=timeout, cwd=cwd,
                          stdin=subprocess.DEVNULL)


def run_json(*args, code=0, **kwargs):
    """The JSON of a run. Python's reader accepts NaN and Infinity, so they are refused here."""
    done = run(*args, "--json", **kwargs)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)

    def refuse(text):
        raise ValueError(f"{text} is not JSON")

    return json.loads(done.stdout, parse_constant=refuse)


def one_error(done, code, path=None):
    """Exactly one line on stderr, nothing on stdout, the right code, the file named first."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("cornet: " + (f"{path}: " if path else "")), lines[0]
    return lines[0]


# Files

def write_matrix(parent, name, a, storage="csc"):
    a = np.atleast_2d(np.asarray(a, float))
    group = parent.create_group(name)
    rows, cols = np.nonzero(a) if storage != "csc" else np.nonzero(a.T)[::-1]
    x = a[rows, cols]
    nz, p, i = len(x), cols, rows
    if storage == "csc":
        nz, p, i = -1, np.concatenate([[0], np.cumsum(np.bincount(cols, minlength=a.shape[1]))]), rows
    elif storage == "csr":
        nz, p, i = -2, np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=a.shape[0]))]), cols
    for key, value in (("nzmax", len(x)), ("m", a.shape[0]), ("n", a.shape[1]), ("nz", nz)):
        group.create_dataset(key, data=np.array([value], np.int32))
    group.create_dataset("p", data=np.asarray(p, np.int32))
    group.create_dataset("i", data=np.asarray(i, np.int32))
    group.create_dataset("x", data=np.asarray(x, float))


def write_info(parent, title):
    info = parent.create_group("info")
    for key, text in (("title", title), ("description", "made by a test"), ("math_info", "none")):
        info.create_dataset(key, data=np.bytes_(text))


def write_local(path, W, q, mu, dim=3, storage="csc", mode="w", title=None):
    with h5py.File(path, mode) as f:
        g = f.create_group("fclib_local")
        g.create_dataset("spacedim", data=np.array([dim], np.int32))
        write_matrix(g, "W", W, storage)
        g.create_dataset("vectors/q", data=np.asarray(q, float))
        g.create_dataset("vectors/mu", data=np.asarray(mu, float))
        if title:
            write_info(g, title)
    return str(path)


def write_global(path, M, H, f, w, mu, dim=3, G=None, b=None, storage="csc", mode="w", title=None):
    with h5py.File(path, mode) as file:
        g = file.create_group("fclib_global")
        g.create_dataset("spacedim", data=np.array([dim], np.int32))
        write_matrix(g, "M", M, storage)
        write_matrix(g, "H", H, storage)
        for key, value in (("f", f), ("w", w), ("mu", mu)):
            g.create_dataset("vectors/" + key, data=np.asarray(value, float))
        if G is not None:
            write_matrix(g, "G", G, storage)
            g.create_dataset("vectors/b", data=np.asarray(b, float))
        if title:
            write_info(g, title)
    return str(path)


def write_point(path, group="solution", **fields):
    with h5py.File(path, "a") as f:
        for key, value in fields.items():
            f.create_dataset(f"{group}/{key}", data=np.asarray(value, float))
    return str(path)


def write_guesses(path, *guesses):
    with h5py.File(path, "a") as f:
        f.create_dataset("guesses/number_of_guesses", data=np.array([len(guesses)], np.int32))
    for k, guess in enumerate(guesses, 1):
        write_point(path, f"guesses/{k}", **guess)
    return str(path)


# Problems

def random_global(contacts=6, dofs=12, dim=3, seed=1):
    rng = np.random.default_rng(seed)
    M = np.diag(rng.uniform(1, 3, dofs))
    H = rng.normal(size=(dofs, dim * contacts))
    f = rng.normal(size=dofs)
    # Hᵀv ∈ K* has v with positive normal parts only if w allows: an upward w keeps the problem solvable.
    w = np.zeros(dim * contacts)
    w[::dim] = rng.uniform(0, 1, contacts)
    return M, H, f, w, rng.uniform(0.2, 0.8, contacts)


def global_file(path, **kwargs):
    dim = kwargs.get("dim", 3)
    M, H, f, w, mu = random_global(**kwargs)
    return write_global(path, M, H, f, w, mu, dim)


def local_file(path, dim=3, storage="csc", **kwargs):
    M, H, f, w, mu = random_global(dim=dim, **kwargs)
    A = np.linalg.solve(M, H)
    return write_local(path, H.T @ A, A.T @ f + w, mu, dim, storage)


def both_file(path, **kwargs):
    dim = kwargs.get("dim", 3)
    global_file(path, **kwargs)
    M, H, f, w, mu = random_global(**kwargs)
    A = np.linalg.solve(M, H)
    return write_local(path, H.T @ A, A.T @ f + w, mu, dim, mode="a")


def one_contact(path, mu=0.5, q=(-1.0, 0.1, 0.0), **kwargs):
    """W = I: sticks when |q_T| ≤ µ |q_N| for q_N < 0, takes off for q_N ≥ 0."""
    return write_local(path, np.eye(3), q, [mu], **kwargs)


def endless_file(path, contacts=100, seed=3):
    """Eigenvalues of W from 1 down to 1e-12: first-order methods creep for ever."""
    rng = np.random.default_rng(seed)
    m = 3 * contacts
    Q, _ = np.linalg.qr(rng.normal(size=(m, m)))
    W = (Q * np.logspace(0, -12, m)) @ Q.T
    W = 0.5 * (W + W.T)
    r = np.zeros(m)
    r[::3] = 1
    q = -W @ r + 1e-3 * rng.normal(size=m)
    return write_local(path, W, q, np.full(contacts, 0.5))


# An error of our own, from the definition alone

def read_matrix(g):
    m, n, nz = (int(g[k][0]) for k in ("m", "n", "nz"))
    p, i, x = g["p"][...], g["i"][...], g["x"][...]
    a = np.zeros((m, n))
    if nz >= 0:
        np.add.at(a, (i[:nz], p[:nz]), x[:nz])
    else:
        outer = np.repeat(np.arange(len(p) - 1), np.diff(p))
        np.add.at(a, (i, outer) if nz == -1 else (outer, i), x)
    return a


def project(z, mu):
    n, t = z[0], np.linalg.norm(z[1:])
    if t <= mu * n:
        return z
    if mu * t <= -n:
        return np.zeros_like(z)
    return (n + mu * t) / (1 + mu**2) * np.concatenate([[1], mu * z[1:] / t])


def error(path, form, solved=None):
    """‖r − P_K(r − u − g(u))‖ / ‖q‖ with the data of `path` and the reactions of `solved`."""
    with h5py.File(path, "r") as f, h5py.File(solved or path, "r") as s:
        r, g = s["solution/r"][...], f["fclib_" + form]
        d, mu = int(g["spacedim"][0]), g["vectors/mu"][...]
        if form == "local":
            q = g["vectors/q"][...]
            u = read_matrix(g["W"]) @ r + q
        else:
            M, H = read_matrix(g["M"]), read_matrix(g["H"])
            q = H.T @ np.linalg.solve(M, g["vectors/f"][...]) + g["vectors/w"][...]
            u = H.T @ np.linalg.solve(M, H @ r) + q
    total = 0.0
    for k, m in enumerate(mu):
        rk, uk = r[d * k:d * k + d], u[d * k:d * k + d].copy()
        uk[0] += m * np.linalg.norm(uk[1:])
        total += np.sum((rk - project(rk - uk, m))**2)
    return np.sqrt(total) / np.linalg.norm(q)


def datasets(path):
    """Every dataset and attribute of an HDF5 file, as bytes: for bit-exact comparison."""
    out = {}
    with h5py.File(path, "r") as f:
        def visit(name, item):
            for key, value in item.attrs.items():
                out[f"{name}@{key}"] = np.asarray(value).tobytes()
            if isinstance(item, h5py.Dataset):
                out[name] = (item.dtype.str, item.shape, np.asarray(item[...]).tobytes())
        f.visititems(visit)
        for key, value in f.attrs.items():
            out[f"@{key}"] = np.asarray(value).tobytes()
    return out
