"""The examples run, each in a process of its own."""
from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT

FOLDER = ROOT / "bindings/python/examples"
ARGUMENTS = {"cloth.py": ["200" if os.environ.get("PLIANT_TEST_LONG") else "12"]}


@pytest.mark.parametrize("name", sorted(p.name for p in FOLDER.glob("*.py")
                                        if p.name != "meshes.py"))
def test_example(name):
    done = subprocess.run([sys.executable, name, *ARGUMENTS.get(name, [])], cwd=FOLDER,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
