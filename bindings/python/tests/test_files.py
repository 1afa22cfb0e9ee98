"""Files: load(), and check() with each of its options beside the tool's own report."""
from __future__ import annotations

import json
import os
import shutil
import sys

import numpy
import pliant
import pytest
from conftest import ROOT
from test_scenes import TOOL, run

PRESS = str(ROOT / "examples/press.#.obj")
CHARACTER = str(ROOT / "examples/character.gltf")

needs_tool = pytest.mark.skipif(not os.access(TOOL, os.X_OK), reason=f"{TOOL} is not built")


def test_load_gives_bodies_clips_and_poses():
    model = pliant.load(PRESS)
    assert len(model) == 2 and model.names == ["tetrahedron", "spike"] and len(model.clips) == 1
    assert model.clips[0].frame_count == 3
    counts = [len(pliant.collide(model["tetrahedron"], model["spike"])) for _ in model.frames(0)]
    assert len(counts) == 3 and counts[0] < counts[-1]
    rest = model["spike"].evaluate()
    model.sample(0, 1 / 30)
    assert (model.pose.evaluate(1) == model["spike"].evaluate()).all()
    assert (model["spike"].evaluate() != rest).any()
    for wrong in ("nobody", 7):
        with pytest.raises((KeyError, IndexError)):
            model[wrong]
    with pytest.raises(KeyError, match="no clip"):
        model.sample("nothing")
    with pytest.raises(pliant.Error, match="nowhere.glb"):
        pliant.load("nowhere.glb")


def test_load_takes_all_settings_of_assets(tmp_path):
    with pytest.raises(TypeError, match="clip_path_count"):
        pliant.Asset(CHARACTER, clip_path_count=1)
    once = pliant.load(CHARACTER, together=True, repair=True, scene="0")
    assert len(once.bodies) == len(pliant.load(CHARACTER).bodies)
    with pytest.raises(pliant.Error, match="scene"):
        pliant.load(CHARACTER, scene="no such scene")
    copy = tmp_path / "moves.gltf"
    shutil.copy(CHARACTER, copy)
    clips = [clip.name for clip in pliant.load(CHARACTER).clips]
    more = [clip.name for clip in pliant.load(CHARACTER, clip_paths=copy).clips]
    assert len(more) > len(clips) and any("moves" in name for name in more)
    for wrong in ("nowhere.gltf", ["nowhere.gltf"]):
        with pytest.raises(pliant.Error, match="nowhere"):
            pliant.load(CHARACTER, clip_paths=wrong)
    with pytest.raises(TypeError):
        pliant.load(CHARACTER, clip_paths=3)


def test_numbers_of_other_types_name_bodies_and_clips():
    model = pliant.load(PRESS)
    for number in (1, numpy.int64(1), numpy.uint8(1)):
        assert model[number] is model["spike"]
        assert model.find_clip(numpy.int32(0)) == 0
    model.sample(numpy.int64(0), 1 / 30)
    for wrong in (0.5, None, b"x", slice(0, 1)):
        with pytest.raises(TypeError, match="number"):
            model[wrong]
        with pytest.raises(TypeError, match="clip is a number"):
            model.find_clip(wrong)
    for wrong in (0, -1, float("nan"), float("inf"), "30", b"30"):
        with pytest.raises(ValueError, match="fps is"):
            model.frames(0, wrong)  # before a frame is asked for
    with pytest.raises(TypeError):
        model.frames(0, None)
    assert len(list(model.frames(0, numpy.float32(30)))) == 3
    assert len(list(model.frames(numpy.int64(0), 1e-300))) == 1


def test_a_file_stays_until_its_successor_is_complete(tmp_path, monkeypatch):
    report = pliant.check(PRESS, against="none")
    path = tmp_path / "report.json"
    path.write_text("precious")
    path.chmod(0o640)

    def fail(*given):
        raise OSError("disk full")

    for name in ("replace", "chmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(OSError, match="disk full"):
                report.json(path)
        assert path.read_text() == "precious" and os.listdir(tmp_path) == ["report.json"]
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        with pytest.raises(OSError):
            report.html(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_text() == "precious" and os.listdir(tmp_path) == ["report.json"]
    link = tmp_path / "link.json"
    link.symlink_to("report.json")
    assert report.json(os.fsencode(link)) == path.read_text()
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError):
            report.json("/dev/full")
    assert sorted(os.listdir(tmp_path)) == ["link.json", "report.json"]


OPTIONS = [
    ({}, []),
    ({"against": "none"}, ["--against", "none"]),
    ({"against": 0}, ["--against", "frame:0"]),
    ({"self_contact": True, "volume": True}, ["--self", "--volume"]),
    ({"contours": True}, ["--contours"]),
    ({"continuous": 2}, ["--continuous", "2"]),
    ({"clearance": 0.25}, ["--clearance", "0.25"]),
    ({"frames": (1, None)}, ["--frames", "1:"]),
    ({"split": "component"}, ["--split", "component"]),
    ({"near": 0.5, "min_depth": "1%"}, ["--near", "0.5", "--min-depth", "1%"]),
    ({"max_depth": 100.0, "max_area": 1e9}, ["--max-depth", "100", "--max-area", "1e9"]),
    ({"max_depth": "0.5%"}, ["--max-depth", "0.5%"]),
    ({"together": True, "repair": True}, ["--together", "--repair"]),
    ({"ignore": "spike", "allow": "nothing,still"}, ["--ignore", "spike", "--allow", "nothing,still"]),
]


@needs_tool
@pytest.mark.parametrize("ours, theirs", OPTIONS)
def test_options_are_those_of_the_tool(ours, theirs, monkeypatch):
    monkeypatch.chdir(ROOT)
    path = "examples/press.#.obj"
    done = run("check", path, "--json", "-", "--threads", "1", *theirs)
    assert done.returncode in (0, 1), done.stderr
    report = pliant.check(path, threads=1, **ours)
    assert json.loads(report.json()) == json.loads(done.stdout)
    assert report.has_failed == (done.returncode == 1)


@needs_tool
def test_limits_decide_what_fails():
    assert pliant.check(PRESS, against="none").has_failed
    assert not pliant.check(PRESS, against="none", max_depth=1e9, max_area=1e9).has_failed


def test_reports_are_objects(tmp_path):
    report = pliant.check(PRESS, against="none")
    text = json.loads(report.json())

    def same(ours, theirs):
        if isinstance(theirs, dict):
            assert set(ours) == set(theirs)
            for name in theirs:
                same(getattr(ours, name) if name.isidentifier() and not hasattr(dict, name)
                     else ours[name], theirs[name])
        elif isinstance(theirs, list):
            assert len(ours) == len(theirs)
            for pair in zip(ours, theirs):
                same(*pair)
        else:
            assert ours == theirs

    same(report.data, text)
    for name in text:
        assert name in dir(report)
        same(getattr(report, name), text[name])
    with pytest.raises(AttributeError, match="there are"):
        report.nothing_like_it
    page = tmp_path / "report.html"
    assert report.html(page) == page.read_text() and "<html" in page.read_text()[:200].lower()
    assert report.csv(tmp_path / "a.csv") == (tmp_path / "a.csv").read_bytes().decode()
    assert "spike" in str(report) and "new" in repr(report)
    assert report._repr_html_().startswith("<iframe")


def test_dataframes(monkeypatch):
    pandas = pytest.importorskip("pandas")
    report = pliant.check(PRESS, against="none")
    frame = report.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    pairs = report.clips[0].pairs[0]
    assert frame["frame"].tolist() == pairs.series.frame
    assert frame["pairs"].tolist() == pairs.series.pairs
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas"):
        report.to_dataframe()


@pytest.mark.parametrize("wrong", [
    {"near": -1}, {"near": "2"}, {"near": "x%"}, {"near": "nan%"}, {"min_depth": float("nan")},
    {"max_area": "1%"}, {"continuous": 1001}, {"threads": 0}, {"threads": 257}, {"split": "half"},
    {"against": -1}, {"fps": 0}, {"clip_files": 3}, {"clip_files": ["nowhere.glb"]},
    {"frames": (-1, None)}, {"frames": 5}, {"frames": (0, 1, 2)}, {"continuous": 2.7},
    {"continuous": "yes"}, {"progress": 5}, {"clips": 3}, {"scene": 3}, {"speed": 1}])
def test_wrong_options(wrong):
    with pytest.raises((TypeError, ValueError, OverflowError, pliant.Error)) as raised:
        pliant.check(PRESS, **wrong)
    assert str(raised.value)


def test_files_of_the_callers_own():
    """Bytes from anywhere, read piece by piece."""
    class Files:
        def size(self, path):
            return os.path.getsize(ROOT / "examples" / path)

        def read(self, path, offset, count):
            with open(ROOT / "examples" / path, "rb") as file:
                file.seek(offset)
                return file.read(count)

    model = pliant.load("press.0.obj", files=Files())
    assert (numpy.abs(model["spike"].evaluate()).max() > 0) and len(model) == 2
