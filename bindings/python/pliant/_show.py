"""Pages of bodies as they are: the page of `pliant check`, made of a file that is written for it."""
from __future__ import annotations

import html
import os
import tempfile
import webbrowser

from . import _core

TYPE_CHECKING = False  # what types are for, without importing typing
if TYPE_CHECKING:
    from typing import Any


def page_of_bodies(bodies: tuple[Any, ...]) -> str:
    """A page with some bodies in their current states, and what touches."""
    if not bodies:
        raise ValueError("these contacts do not know their bodies")
    described = [{"name": str(body.user) if body.user is not None else f"body {number}",
                  "positions": body.evaluate(), "triangles": body.shape.triangles}
                 for number, body in enumerate(bodies)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "contacts.glb")
        with open(path, "wb") as file:
            file.write(_core.write_glb(described))
        return _core.check(path, against="none", self_contact=len(bodies) == 1).write("page")


def show_page(page: str, path: str | None) -> str:
    if path is None:
        handle, path = tempfile.mkstemp(suffix=".html", prefix="pliant-")
        os.close(handle)
        webbrowser_wanted = True
    else:
        webbrowser_wanted = False
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(page)
    if webbrowser_wanted:
        webbrowser.open("file://" + os.path.abspath(path))
    return path


def frame_of(page: str) -> str:
    """The page within another one, as notebooks show it."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" '
            'style="width:100%;height:560px;border:0" sandbox="allow-scripts"></iframe>')
