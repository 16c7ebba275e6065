"""How pip builds cornet (PEP 517): CMake makes the extension, this file packs the wheel and the source archive.

It needs nothing but Python's own library, so that `pip install .` works without network, isolated or not. What must be installed is CMake,
Ninja or make, a compiler, pybind11 and the libraries of cornet: tools/packages.txt, groups build and python.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "cornet"
EPOCH = (1980, 1, 1, 0, 0, 0)


def project():
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def version():
    return re.search(r"project\(cornet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def metadata():
    p = project()
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {version()}", f"Summary: {p['description']}",
             f"License: {p['license']['text']}", f"Requires-Python: {p['requires-python']}"]
    lines += [f"Classifier: {item}" for item in p["classifiers"]]
    lines += [f"Requires-Dist: {item}" for item in p["dependencies"]]
    for extra, items in p["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {item}; extra == "{extra}"' for item in items]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / p["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: cornet\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def run(*command):
    print("+", *command, flush=True)
    subprocess.run(command, check=True)


def build_extension(settings):
    """Configures and builds in build/pip, where a second build is quick, or in a temporary folder where that cannot be written."""
    folder = pathlib.Path(settings.get("build-dir", ROOT / "build" / f"pip-{tag()}"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cornet-"))
    ninja = any(os.access(os.path.join(entry, "ninja"), os.X_OK) for entry in os.environ.get("PATH", "").split(os.pathsep))
    generator = ["-G", "Ninja"] if ninja else []
    run("cmake", "-S", str(ROOT), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release", "-DCORNET_TESTS=OFF", "-DCORNET_PEERS=OFF",
        "-DCORNET_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}")
    jobs = settings.get("jobs", os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1)))
    run("cmake", "--build", str(folder), "--target", "cornet_python", "-j", jobs)
    modules = sorted((folder / "python" / "cornet").glob("_core*.so"))
    if len(modules) != 1:
        raise SystemExit(f"expected one extension module in {folder / 'python' / 'cornet'}, found {len(modules)}")
    return modules[0]


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, EPOCH)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info):
        self.record.append(f"{info}/RECORD,,")
        self.zip.writestr(zipfile.ZipInfo(f"{info}/RECORD", EPOCH), "\n".join(self.record) + "\n")
        self.zip.close()


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks first; without it pip would build everything twice."""
    info = f"cornet-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(wheel_text(), encoding="utf-8")
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = build_extension(config_settings or {})
    name = f"cornet-{version()}-{tag()}.whl"
    info = f"cornet-{version()}.dist-info"
    wheel = Wheel(os.path.join(wheel_directory, name))
    for file in sorted(PACKAGE.iterdir()):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            wheel.add(f"cornet/{file.name}", file.read_bytes())
    wheel.add(f"cornet/{module.name}", module.read_bytes(), 0o755)
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/WHEEL", wheel_text().encode())
    wheel.close(info)
    return name


def sources():
    """The files of the repository; of an unpacked archive, all files."""
    try:
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                                capture_output=True).stdout.decode().split("\0")
        if "pyproject.toml" in listed:
            return sorted({name for name in listed if name and (ROOT / name).is_file()})
    except (OSError, subprocess.CalledProcessError):
        pass
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in ("build", "__pycache__") and not name.startswith(".")]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    return sorted(name for name in found if name != "PKG-INFO")


def build_sdist(sdist_directory, config_settings=None):
    base = f"cornet-{version()}"
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:

        def add(name, data, mode):
            info = tarfile.TarInfo(f"{base}/{name}")
            info.size, info.mode = len(data), mode
            archive.addfile(info, io.BytesIO(data))

        for name in sources():
            path = ROOT / name
            add(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        add("PKG-INFO", metadata().encode(), 0o644)
    return base + ".tar.gz"
