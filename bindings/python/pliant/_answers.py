"""What answers have to say beside their fields. The types are _core's own, so that making one stays
cheap; these functions become part of them. core.pyi.in has their signatures."""
from __future__ import annotations


import numpy

from . import _core

TYPE_CHECKING = False  # what types are for, without importing typing
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


def _asked_for(records: NDArray[numpy.void] | None, option: str) -> Any:
    if records is None:
        raise ValueError(f"ask with {option}=True for this")
    return records


def _normals(self: _core.Contacts) -> Any:
    """The direction in which to move the second triangle of each pair: (n, 3)."""
    return _asked_for(self.separations, "separations")["normal"]


def _depths(self: _core.Contacts) -> Any:
    """How far: (n,)."""
    return _asked_for(self.separations, "separations")["depth"]


def _points(self: _core.Contacts) -> Any:
    """The middle of what each pair has in common: (n, 3)."""
    segments = _asked_for(self.segments, "segments")
    return (segments["p"] + segments["q"]) * numpy.float32(0.5)


def page(self: _core.Contacts) -> str:
    """A page (HTML) with the bodies as they are now, and what of them touches."""
    from ._show import page_of_bodies
    return page_of_bodies(self.bodies_asked)


def show(self: _core.Contacts, path: str | None = None) -> str:
    """Writes the page to a file, opens it in a browser if no path is given, and returns where it
    is."""
    from ._show import show_page
    return show_page(page(self), path)


def _repr_html_(self: _core.Contacts) -> str:
    from ._show import frame_of
    return frame_of(page(self))


def _times(self: _core.Meetings) -> NDArray[numpy.float64]:
    """Two times that each first contact lies between: (n, 2)."""
    time = self.meetings["time"]
    return numpy.stack([time["low"], time["high"]], axis=-1)


def _reshaped(of: Any, name: str, shape: Any) -> None:
    """Has an attribute of a type come in another shape."""
    raw = vars(of)[name]

    def get(self: Any) -> Any:
        array = raw.__get__(self, of)
        return None if array is None else array.reshape(shape(self))

    get.__doc__ = raw.__doc__
    setattr(of, name, property(get))


def _extend(of: Any, **members: Any) -> None:
    for name, member in members.items():
        setattr(of, name, member)


_extend(_core.Contacts, normals=property(_normals), depths=property(_depths),
        points=property(_points), page=page, show=show, _repr_html_=_repr_html_)
_extend(_core.Meetings, times=property(_times))
_reshaped(_core.AssetMesh, "modes", lambda mesh: (mesh.mode_count, mesh.vertex_count, 3))
_reshaped(_core.AssetState, "transforms", lambda state: (-1, 3, 4))
_reshaped(_core.Fit, "modes", lambda fit: (fit.mode_count, fit.vertex_count, 3))
_reshaped(_core.Fit, "coordinates", lambda fit: (fit.frame_count, fit.mode_count))
