"""The Python that the README and the guide show runs, in the order in which it is shown."""
from __future__ import annotations

import os
import re

import pytest
from conftest import ROOT


@pytest.mark.parametrize("name", ["README.md", "docs/guide/python.md"])
def test_page(name, tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.M | re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    os.symlink(ROOT / "examples", "examples")
    os.mkdir("build")
    names = {}
    for block in blocks:
        exec(block, names)
    assert capsys.readouterr().out
    if name == "README.md":
        assert blocks[0].count("\n") <= 8 and len(blocks) == 1
