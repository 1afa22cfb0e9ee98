"""What _core leaves to numpy: types of records, and copies of arrays of other types."""
from __future__ import annotations


import numpy

from . import _core

TYPE_CHECKING = False  # what types are for, without importing typing
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray


def _make_dtype(layout: Any) -> numpy.dtype[Any]:
    if isinstance(layout, tuple):
        layout = _make_dtype(layout[0]), layout[1]
    if isinstance(layout, dict):
        names, formats, offsets = zip(*layout["fields"])
        layout = {"names": names, "formats": [_make_dtype(f) for f in formats], "offsets": offsets,
                  "itemsize": layout["itemsize"]}
    made: numpy.dtype[Any] = numpy.dtype(layout)
    return made


def _convert(values: Any, name: str, type_name: str) -> NDArray[Any]:
    """A copy of another type, without gaps; whole numbers are not made of others."""
    array = numpy.asarray(values)
    wanted = numpy.dtype(type_name)
    if wanted.kind == "f":
        if array.dtype.kind not in "fiub":
            raise TypeError(f"{name} has {array.dtype}: there are no numbers in it")
        with numpy.errstate(over="ignore"):  # what becomes infinite is refused later, by its name
            return numpy.require(array, wanted, ["C", "A"])
    if array.dtype.kind not in "iu" and array.size > 0:
        raise TypeError(f"{name} has {array.dtype}: indices are whole numbers")
    wrong = (array < 0) | (array > numpy.iinfo(wanted).max)
    if wrong.any():
        raise ValueError(f"{name} has {array[wrong].flat[0]}, which does not fit into {wanted}")
    return numpy.require(array, wanted, ["C", "A"])


def make_rays(origins: ArrayLike, directions: ArrayLike,
              t_max: ArrayLike = numpy.inf) -> NDArray[numpy.float32]:
    """Rays as raycast functions take them, (n, 7) float32: origin, direction, t_max.

    Each of the three is one, or one per ray. The numbers are rounded to float32.
    """
    for name, values in (("origins", origins), ("directions", directions), ("t_max", t_max)):
        if isinstance(values, numpy.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array: write {name}.filled(value)")
    start = numpy.atleast_2d(numpy.asarray(origins, numpy.float32))
    way = numpy.atleast_2d(numpy.asarray(directions, numpy.float32))
    most = numpy.asarray(t_max, numpy.float32).reshape(-1, 1)
    count = max(len(start), len(way), len(most))
    rays = numpy.empty((count, 7), numpy.float32)
    rays[:, :3], rays[:, 3:6], rays[:, 6:] = start, way, most
    return rays


_core.set_numpy(numpy.ndarray, _make_dtype, _convert)
