"""Blender add-on: which faces of the selected objects touch, over the frame range, exactly."""
from __future__ import annotations

import importlib
import os
import sys

bl_info = {
    "name": "Pliant Check",
    "author": "The Pliant developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Pliant",
    "description": "Finds faces of deforming objects that touch, frame by frame, exactly",
    "category": "Animation",
}


def find_pliant() -> str:
    """Imports pliant: the installed one, or the one that came with the add-on. Returns what is wrong,
    or nothing."""
    own = os.path.join(os.path.dirname(__file__), "modules")
    try:
        importlib.import_module("pliant")
    except ImportError:
        if not os.path.isdir(own):
            return "the Python package pliant is not installed, and did not come with the add-on"
        sys.path.append(own)
        try:
            importlib.import_module("pliant")
        except ImportError as error:
            sys.path.remove(own)
            return (f"pliant needs Python 3.11 or later, numpy and this system: {error} "
                    f"(Python {sys.version.split()[0]})")
    return ""


def register() -> None:
    from . import panel
    panel.register(find_pliant())


def unregister() -> None:
    from . import panel
    panel.unregister()
