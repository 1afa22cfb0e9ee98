"""Shapes of meshes that other packages have."""
from __future__ import annotations


import numpy

from . import _core

TYPE_CHECKING = False  # what types are for, without importing typing
if TYPE_CHECKING:
    from typing import Any, Self


class Shape(_core.Shape):
    __doc__ = _core.Shape.__doc__
    __slots__ = ()

    @classmethod
    def from_mesh(cls, mesh: Any, *, copy: bool = False, **settings: Any) -> Self:
        """A shape of a mesh: an object with .vertices and .faces (trimesh), or with .points and
        .regular_faces (pyvista), or a pair of arrays.

        Such meshes often have float64 positions and int64 indices: copy=True converts them, and
        rounds positions to float32. Further settings are those of Shape().
        """
        return cls(*_arrays_of(mesh), copy=copy, **settings)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).read, (self.write(),)


def _arrays_of(mesh: Any) -> tuple[Any, Any]:
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        return _plain(mesh.vertices), _plain(mesh.faces)
    if hasattr(mesh, "points") and hasattr(mesh, "regular_faces"):
        return _plain(mesh.points), _plain(mesh.regular_faces)
    if isinstance(mesh, (tuple, list)) and len(mesh) == 2:
        return mesh[0], mesh[1]
    raise TypeError("a mesh has .vertices and .faces, or .points and .regular_faces, or is a pair "
                    "of arrays: positions and triangles")


def _plain(array: Any) -> Any:
    """Without what a package has added to numpy's arrays: trimesh tracks changes in its own."""
    return array.view(numpy.ndarray) if isinstance(array, numpy.ndarray) else array
