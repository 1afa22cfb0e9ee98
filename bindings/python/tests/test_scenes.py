"""The same pairs as the tool, which is written in C, on every built-in scene and on real files."""
from __future__ import annotations

import json
import os
import subprocess

import numpy
import pliant
import pytest
from conftest import ROOT, SCALE

TOOL = os.environ.get("PLIANT_TOOL", str(ROOT / "build/bin/pliant"))
ASSETS = os.environ.get("PLIANT_ASSETS", str(ROOT.parent / "shared/assets"))
LONG = os.environ.get("PLIANT_TEST_LONG") is not None
SLOW = {"school", "bridge", "ring", "cape", "chairs", "brain", "crowd-arms", "curtain-pushed"}
CHARACTERS = ["knight.glb", "fox.glb", "dressed-person.glb", "horse.glb", "hand-left.glb"]
MORE_CHARACTERS = ["AnimatedMorphSphere.gltf", "hand-right.glb", "robot.glb", "shark.glb", "wolf.glb"]

pytestmark = pytest.mark.skipif(not os.access(TOOL, os.X_OK), reason=f"{TOOL} is not built")


def run(*arguments):
    # A sanitised tool brings the sanitizer that Python itself had to be started with.
    own = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=300, env=own)


def scene_names():
    if not os.access(TOOL, os.X_OK):
        return []
    lines = run("scenes").stdout.splitlines()
    return [line.split()[0] for line in lines if line[:1].strip()]


def collect(model, clips, last):
    """What touches, frame by frame: pairs of triangles by clip and by names of bodies."""
    scene = pliant.Scene()
    for body in model.bodies:
        scene.add(body, self_contact=True)
    names, seen = [], {}
    for name in model.names:  # a second Arm is Arm#2
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    found = {}
    for number, clip in enumerate(clips or [None]):
        for frame in range(min(int(clip.duration * 30 + 1e-6), last) + 1 if clip else 1):
            hidden = model.sample(clip and clip.name, frame / 30)
            assert not hidden
            contacts = scene.collide(neighbours="skip")
            for pair in contacts.bodies:
                key = number, names[pair["a"]["index"]], names[pair["b"]["index"]]
                first, count = int(pair["first"]), int(pair["count"])
                found.setdefault(key, {})[frame] = contacts.pairs[first:first + count]
    return found


def compare(path, last):
    """With the report of the tool."""
    model = pliant.load(path)
    clips = model.clips if len(model.clips) <= 3 else model.clips[:1]
    names = ",".join(clip.name for clip in clips)
    result = run("check", path, "--self", "--against", "none", "--json", "-", "--fps", "30", "--frames",
                 f":{last}", "--threads", "1", *(["--clip", names] if names else []))
    assert result.returncode in (0, 1), result.stderr
    report = json.loads(result.stdout)
    found = collect(model, clips, last)
    listed = 0
    for number, clip in enumerate(report["clips"]):
        for pair in clip["pairs"]:
            ours = found.pop((number, pair["a"], pair["b"]))
            assert list(ours) == pair["series"]["frame"]
            assert [len(p) for p in ours.values()] == pair["series"]["pairs"]
            together = numpy.unique(numpy.concatenate(list(ours.values())), axis=0)
            assert together.ravel().tolist() == pair["triangles"]
            listed += len(together)
    assert not found
    same = pliant.check(path, against="none", self_contact=True, frames=(None, last), threads=1,
                        clips=names or None, fps=30.0)
    assert json.loads(same.json()) == report and same.has_failed == (result.returncode == 1)
    return listed


@pytest.mark.parametrize("name", scene_names())
def test_built_in_scene(name, tmp_path):
    if name in SLOW and not LONG:
        pytest.skip("PLIANT_TEST_LONG asks for this scene")
    path = str(tmp_path / "scene.glb")
    written = run("export", name, "-o", path, "--steps", "6", "--triangles", "300")
    if written.returncode != 0:
        pytest.skip(written.stderr.strip())
    compare(path, 6)


@pytest.mark.parametrize("name", CHARACTERS + MORE_CHARACTERS)
def test_character(name):
    if name in MORE_CHARACTERS and not LONG:
        pytest.skip("PLIANT_TEST_LONG asks for this character")
    path = os.path.join(ASSETS, "characters", name)
    if not os.path.exists(path) and not os.environ.get("PLIANT_ASSETS_REQUIRED"):
        pytest.skip(f"{path} is not there")
    compare(path, 30 if LONG else max(1, int(2 * SCALE)))


def test_some_scenes_touch(tmp_path):
    path = str(tmp_path / "spheres.glb")
    run("export", "spheres", "-o", path, "--steps", "6", "--triangles", "500")
    assert compare(path, 6) > 0
