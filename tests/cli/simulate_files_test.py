"""simulate: bad scenes, files of ParaView, and records that meet a full disk or a kill."""
import json
import resource
import signal
import subprocess
import time
import xml.etree.ElementTree as ET

import pytest

from support import CORNET, one_error, run, run_json

# Bad input: path and reason

SCENE = """{"units": "SI", "dt": 0.01, "duration": 0.05, "mu": 0.5, "bodies": [
  {"name": "ground", "kind": "fixed", "shape": {"kind": "plane"}},
  {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "position": [0, 0, 0.1], "mass": 1}]}"""

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def bad(tmp_path, text):
    file = tmp_path / "scene.json"
    file.write_text(text)
    return one_error(run("simulate", file), 3, file)


@pytest.mark.parametrize("old, new, message", [
    ('"mu": 0.5', '"mu": 0.5, "speed": 1', "/speed: found an unknown key, expected one of"),
    ('"mu": 0.5', '"mu": 0.5, "mu": 0.4', "/mu: found this key a second time"),
    ('"mu": 0.5', '"solver": "gauss"', "/solver: solver 'gauss' is unknown; nearest:"),
    ('"mu": 0.5', '"pairs": [{"a": "default", "b": "ice"}]', '/pairs/0/b: found "ice", expected a material of the scene: default'),
    ('"mass": 1', '"motion": {"velocity": [1, 0, 0]}', "/bodies/1/motion: found a value for a dynamic body"),
    ('"mu": 0.5', '"joints": [{"a": "ground"}]', "/joints/0/a: found no dynamic body"),
    ('"mu": 0.5', '"solids": [{"size": [1, 1, 1], "position": [0, 0, -0.5]}]', "/solids/0: found '' 0.5 m deep in 'ground'"),
    ('"mu": 0.5', '"solids": [{"mesh": "absent.msh"}]', "/solids/0/mesh: "),
    ('"mass": 1', '"mass": 1, "masss": 2', "/bodies/1/masss: found an unknown key, expected one of"),
    ('"radius": 0.1', '"radius": 0.1, "colour": "red"', "/bodies/1/shape/colour: found an unknown key, expected one of"),
    ('"SI"', '"mm"', '/units: found "mm", expected "SI"'),
    ('"dt": 0.01', '"dt": "10 ms"', '/dt: found "10 ms", expected a number in SI units'),
    ('"mass": 1', '"mass": "1 kg"', '/bodies/1/mass: found "1 kg", expected a number in SI units'),
    ('"mass": 1', '"mass": -1', "/bodies/1/mass: found -1, expected kilograms > 0"),
    ('"mass": 1', '"density": -7800', "/bodies/1/density: found -7800, expected kg/m³ > 0"),
    ('"dt": 0.01', '"dt": 0', "/dt: found 0, expected seconds > 0"),
    ('"dt": 0.01', '"dt": -0.01', "/dt: found -0.01, expected seconds > 0"),
    ('"dt": 0.01', '"dt": NaN', "/dt: found what is not JSON"),
    ('"dt": 0.01', '"dt": 1e999', "/dt: found what is not JSON"),
    ('[0, 0, 0.1]', '[0, NaN, 0.1]', "/bodies/1/position/1: found what is not JSON"),
    ('[0, 0, 0.1]', '[0, null, 0.1]', "/bodies/1/position/1: found null, expected a number in SI units"),
    ('[0, 0, 0.1]', '[0, "infinity", 0.1]', "/bodies/1/position/1: found inf, expected a finite number"),
    ('"mu": 0.5', '"mu": -1', "/mu: found -1, expected a friction coefficient"),
    ('[0, 0, 0.1]', '[0, 0, 0.05]', "deep in"),
    ('"kind": "plane"', '"kind": "mesh", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]',
     "/bodies/0/shape/triangles: edge 0–1 belongs to one triangle, expected a closed mesh"),
    ('"kind": "plane"', f'"kind": "mesh", "points": {TETRAHEDRON}, "triangles": [[0, 1, 2], [0, 1, 3], [0, 2, 3]]',
     "/bodies/0/shape/triangles/1: edge 0–1 runs twice in the same direction"),
    ('"kind": "plane"', f'"kind": "mesh", "points": {TETRAHEDRON}, "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2]]',
     "belongs to one triangle, expected a closed mesh"),
    ('"kind": "sphere", "radius": 0.1', '"kind": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]',
     "/bodies/1/shape: found a hull of volume 0, expected points that span a volume"),
    ('"kind": "sphere", "radius": 0.1', '"kind": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]',
     "/bodies/1/shape: found 3 points without a volume"),
    ('"kind": "sphere", "radius": 0.1', '"kind": "box", "size": [1, 0, 1]', "/bodies/1/shape/size/1: found 0, expected metres > 0"),
])
def test_bad_scenes_name_the_value(tmp_path, old, new, message):
    assert old in SCENE
    assert message in bad(tmp_path, SCENE.replace(old, new))


def test_meshes_lie_beside_their_scene(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    corners = ["0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1"]
    nodes = "".join(f"{k + 1} {place}\n" for k, place in enumerate(corners))
    (folder / "cube.msh").write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}$EndNodes\n"
                                     "$Elements\n1\n1 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n")
    (folder / "scene.json").write_text(json.dumps({"duration": 0.02, "solids": [{"mesh": "cube.msh", "clamped": ["z-"]}]}))
    assert run_json("simulate", folder / "scene.json")["outcome"] == "done"


def test_any_name_of_a_scene_gives_names_of_files(tmp_path):
    file = tmp_path / "scene.json"
    file.write_text(SCENE.replace('"mu": 0.5', '"mu": 0.5, "name": "balls / ground"'))
    run_json("simulate", file, "--steps", 2, "--dump-problems", tmp_path / "problems")
    assert sorted(path.name for path in (tmp_path / "problems").iterdir()) == [f"balls___ground-{k:06}.hdf5" for k in (1, 2)]


def test_a_solver_of_the_command_goes_without_the_options_of_another(tmp_path):
    file = tmp_path / "scene.json"
    file.write_text(SCENE.replace('"mu": 0.5', '"mu": 0.5, "solver": "psor-ac", "solver_options": {"omega": "1.2"}'))
    assert run_json("simulate", file)["outcome"] == "done"
    assert run_json("simulate", file, "--solver", "nsgs-jm")["outcome"] == "done"
    assert run("simulate", file, "--solver", "gauss").returncode == 2


def test_overlap_at_the_start_is_reported_and_resolved_on_request(tmp_path):
    deep = SCENE.replace("[0, 0, 0.1]", "[0, 0, 0.05]")
    error = bad(tmp_path, deep)
    assert "/bodies/" in error and "0.05 m deep in" in error and "separate_start" in error
    file = tmp_path / "apart.json"
    file.write_text(deep.replace('"mu": 0.5', '"mu": 0.5, "separate_start": true'))
    out = run_json("simulate", file, "--record", tmp_path / "apart.rec")
    assert out["outcome"] == "done" and out["deepest_penetration"] < 1.1e-3


# Files of ParaView

def test_vtk_files_are_well_formed(tmp_path):
    run("simulate", "card-house", "--steps", 2, "--vtk", tmp_path / "vtk")
    index = ET.parse(tmp_path / "vtk" / "bodies.pvd")
    files = [e.get("file") for e in index.iter("DataSet")]
    assert len(files) == 3
    for name in files + [e.get("file") for e in ET.parse(tmp_path / "vtk" / "contacts.pvd").iter("DataSet")]:
        piece = ET.parse(tmp_path / "vtk" / name).find(".//Piece")
        points = (piece.find("Points/DataArray").text or "").split()  # nothing touches before the first step
        assert len(points) == 3 * int(piece.get("NumberOfPoints"))
        for kind in ("Polys", "Lines"):
            cells = piece.find(kind)
            if cells is not None:
                connectivity = [int(x) for x in (cells[0].text or "").split()]
                assert all(0 <= k < len(points) // 3 for k in connectivity)


def test_vtk_has_the_speed_of_solids(tmp_path):
    run("simulate", "elastic-cubes", "--steps", 2, "--vtk", tmp_path / "vtk")
    tree = ET.parse(tmp_path / "vtk" / "bodies_000000.vtp")
    cells = {e.get("Name"): [float(x) for x in e.text.split()] for e in tree.findall(".//CellData/DataArray")}
    upper, lower = ([s for b, s in zip(cells["body"], cells["speed"]) if b == solid] for solid in (1, 2))  # the ground is body 0
    assert len(upper) == len(lower) > 50 and min(upper) > 0.1 and max(lower) == 0


def test_vtk_reads_the_files(tmp_path):
    vtk = pytest.importorskip("vtk", reason="python3-vtk9 is not installed")
    run("simulate", "card-house", "--steps", 3, "--vtk", tmp_path / "vtk", "--stats", tmp_path / "run.csv")

    def read(name):
        reader = vtk.vtkXMLPolyDataReader()
        problems = []
        reader.AddObserver("ErrorEvent", lambda *_: problems.append(name))
        reader.SetFileName(str(tmp_path / "vtk" / name))
        assert reader.CanReadFile(str(tmp_path / "vtk" / name))
        reader.Update()
        assert not problems
        return reader.GetOutput()

    contacts = int((tmp_path / "run.csv").read_text().splitlines()[3].split(",")[2])
    bodies = read("bodies_000003.vtp")
    for name in ("body", "kind", "speed"):
        assert bodies.GetCellData().GetArray(name).GetNumberOfTuples() == bodies.GetNumberOfCells() > 100
    scene = json.loads(run("scenes", "card-house").stdout)
    assert bodies.GetCellData().GetArray("body").GetRange() == (0, len(scene["bodies"]) - 1)
    touching = read("contacts_000003.vtp")
    reaction = touching.GetPointData().GetArray("reaction")
    assert reaction.GetNumberOfComponents() == 3 and touching.GetPointData().GetArray("status").GetNumberOfTuples() == touching.GetNumberOfPoints()
    assert touching.GetNumberOfPoints() == contacts + touching.GetNumberOfLines()  # a chain ends at the centre of a body
    assert touching.GetCellData().GetArray("force").GetNumberOfTuples() == touching.GetNumberOfLines()
    arrows = vtk.vtkGlyph3D()
    arrows.SetInputData(touching)
    arrow = vtk.vtkArrowSource()
    arrows.SetSourceConnection(arrow.GetOutputPort())
    touching.GetPointData().SetActiveVectors("reaction")
    arrows.SetVectorModeToUseVector()
    arrows.Update()
    assert arrows.GetOutput().GetNumberOfCells() > 0

    run("simulate", "resting-cube", "--steps", 3, "--vtk", tmp_path / "vtk")
    resting = read("contacts_000003.vtp")
    reaction = resting.GetPointData().GetArray("reaction")
    cube, = [b for b in json.loads(run("scenes", "resting-cube").stdout)["bodies"] if b.get("kind", "dynamic") == "dynamic"]
    x, y, z = cube["shape"]["size"]
    weight = 9.81 * cube.get("density", 1000) * x * y * z
    assert abs(sum(reaction.GetTuple(k)[2] for k in range(resting.GetNumberOfPoints())) - weight) < 1e-6 * weight


# Records that end in the middle

RUN = ("boxes-stack", "--set", "boxes=6", "--tol", "1e-6")


def whole_record(tmp_path, steps):
    path = tmp_path / "whole.rec"
    run("simulate", *RUN, "--steps", steps, "--record", path)
    return path.read_bytes()


def frames(record, tmp_path):
    return run_json("view", record, "-o", tmp_path / "page.html")["frames"]


@pytest.mark.parametrize("ignored", [True, False])
def test_a_full_disk_leaves_a_readable_record(tmp_path, ignored):
    """A limit on the size of files stands for the disk; with the signal ignored a write fails as on a full disk, else it kills."""
    whole = whole_record(tmp_path, 150)
    record = tmp_path / "full.rec"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignored else signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) * 4 // 5, len(whole) * 4 // 5))

    done = subprocess.run([CORNET, "simulate", *RUN, "--steps", "150", "--record", record], capture_output=True, encoding="utf-8",
                          preexec_fn=limit, restore_signals=False, timeout=120)
    if ignored:
        assert done.returncode == 3 and "full.rec: cannot be written (disk full?); readable up to step " in done.stderr
        last = int(done.stderr.split("readable up to step ")[1].split()[0])
        assert frames(record, tmp_path) == last + 1
    else:
        assert done.returncode == -signal.SIGXFSZ
    assert 100 < frames(record, tmp_path) < 151
    out = run_json("simulate", "--resume", record, "--steps", 150)  # there is room again
    assert out["step"] == 150
    assert record.read_bytes() == whole


def test_a_kill_leaves_a_readable_record(tmp_path):
    record = tmp_path / "killed.rec"
    process = subprocess.Popen([CORNET, "simulate", *RUN, "--steps", "1000000", "--record", record], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        deadline = time.time() + 60
        while time.time() < deadline and not (record.exists() and record.stat().st_size > 100000):
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    size = record.stat().st_size
    assert size > 100000
    count = frames(record, tmp_path)
    whole = whole_record(tmp_path, count - 1)
    assert size - 8192 < len(whole) <= size and record.read_bytes()[:len(whole)] == whole


def test_a_request_to_stop_ends_with_a_whole_record(tmp_path):
    record = tmp_path / "stopped.rec"
    process = subprocess.Popen([CORNET, "simulate", *RUN, "--steps", "1000000", "--record", record], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while not (record.exists() and record.stat().st_size > 50000):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 130
    assert record.read_bytes() == whole_record(tmp_path, frames(record, tmp_path) - 1)
