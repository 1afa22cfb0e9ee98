"""Files: bodies with clips and poses, and what `pliant check` finds in them."""
from __future__ import annotations

import math
import operator
import os
import threading
from os import PathLike

from . import _core
from ._shape import Shape

TYPE_CHECKING = False  # what types are for, without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ._types import AssetClip

Path = str | bytes | PathLike[str]


class Model:
    """What load() returns: the bodies of files, at rest at first, and their clips."""

    def __init__(self, asset: _core.Asset, settings: dict[str, Any]) -> None:
        counts = asset.counts
        self.asset = asset
        self.pose = _core.Pose(asset)
        self.shapes = [self._make_shape(i, settings) for i in range(counts.shapes)]
        self.clips: list[AssetClip] = [asset.get_clip(i) for i in range(counts.clips)]
        self.names: list[str] = []
        self.bodies: list[_core.Body | None] = []
        for i in range(counts.bodies):
            body = asset.get_body(i)
            shape = self.shapes[body.shape]
            self.names.append(body.name)
            self.bodies.append(None if shape is None else _core.Body(shape, user=body.name))
        self.hidden: set[int] = set()
        self.sample()

    def _make_shape(self, number: int, settings: dict[str, Any]) -> _core.Shape | None:
        if self.asset.get_mesh(number).triangles is None:
            return None  # a vertex cache without its mesh
        return self.asset.make_shape(number, Shape, **settings)

    @property
    def notes(self) -> list[str]:
        """Sentences about what is odd in the files."""
        return self.asset.notes

    def find_clip(self, clip: int | str) -> int:
        """The number of a clip, by its name."""
        if not isinstance(clip, str):
            return _read_number(clip, "clip is a number or a name")
        for number, one in enumerate(self.clips):
            if one.name == clip:
                return number
        raise KeyError(f"there is no clip {clip!r}; there are {[c.name for c in self.clips]}")

    def sample(self, clip: int | str | None = None, time: float = 0.0) -> set[int]:
        """Sets all bodies to a moment of a clip, in seconds; None: the rest pose. Returns the
        numbers of bodies that the file hides then, which stay where they were."""
        self.pose.sample(None if clip is None else self.find_clip(clip), time)
        self.hidden = set()
        for number, body in enumerate(self.bodies):
            if body is None:
                continue
            if self.pose.get_state(number).hidden:
                self.hidden.add(number)
            else:
                self.pose.apply(number, body)
        return self.hidden

    def frames(self, clip: int | str, fps: float = 30.0) -> Iterator[float]:
        """Samples a clip frame by frame, and gives the time of each."""
        number = self.find_clip(clip)
        if isinstance(fps, (str, bytes)) or not 0 < float(fps) < math.inf:
            raise ValueError(f"fps is {fps!r}; it must be a number above 0")
        count = int(self.clips[number].duration * float(fps) + 1e-6) + 1
        return self._sample_frames(number, count, float(fps))

    def _sample_frames(self, clip: int, count: int, fps: float) -> Iterator[float]:
        for frame in range(count):
            self.sample(clip, frame / fps)
            yield frame / fps

    def __getitem__(self, name: int | str) -> _core.Body:
        """A body by its number or name."""
        number = self._find_body(name) if isinstance(name, str) else _read_number(name, "a body has a number and a name")
        body = self.bodies[number]
        if body is None:
            raise KeyError(f"{self.names[number]!r} has no triangles")
        return body

    def _find_body(self, name: str) -> int:
        if name not in self.names:
            raise KeyError(f"there is no body {name!r}; there are {self.names}")
        return self.names.index(name)

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        return f"<pliant.Model: {len(self)} bodies, {len(self.clips)} clips>"


def load(paths: Path | Sequence[Path], *, frames_per_second: float = 30.0,
         normalise_weights: bool = True, clip_paths: Path | Sequence[Path] | None = None,
         together: bool = False, scene: str | None = None, repair: bool = False, files: Any = None,
         context: _core.Context | None = None, **settings: Any) -> Model:
    """Loads files: scenes, meshes, sequences of meshes ("cloth.####.ply") and vertex caches.

    docs/guide/files.md lists the formats.

    clip_paths: files of which only the clips are read, bound by names of joints. together: the
    clips of each file are one. scene: of glTF files with several, by name or number. repair: go on
    with weights that cannot be used as 0. files: an object with size(path), None if
    there is no such file, and read(path, offset, count), in place of the file system. settings are
    those of Shape(), proxy_triangles for example.
    """
    asset = _core.Asset(paths, frames_per_second=frames_per_second, together=together,
                        normalise_weights=normalise_weights, clip_paths=clip_paths, repair=repair,
                        files=files, context=context, scene=scene)  # type: ignore[arg-type]
    return Model(asset, settings)


class Record(dict[str, object]):
    """A part of a report: its members are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name}; there are {list(self)}") from None


class Report:
    """What check() found: the members of the report that `pliant check --json` writes, by name, as
    docs/check-json.md describes them. Objects of it are Records."""

    def __init__(self, run: _core.CheckRun) -> None:
        import json
        self._run = run
        self._data = json.loads(run.write("json"), object_hook=Record)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._data, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    @property
    def data(self) -> Record:
        """All of it."""
        data: Record = self._data
        return data

    @property
    def has_failed(self) -> bool:
        """Whether something new touches: the exit status of the command would be 1."""
        return self._run.has_failed

    def json(self, path: Path | None = None) -> str:
        """The text of --json, which is written to a file too if there is a path."""
        return _write(self._run.write("json"), path)

    def csv(self, path: Path | None = None) -> str:
        """The text of --csv: a line for each clip, frame and pair of bodies that touch."""
        return _write(self._run.write("csv"), path)

    def html(self, path: Path | None = None) -> str:
        """The page of --html: the bodies in 3D in every frame, and what touches."""
        return _write(self._run.write("page"), path)

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with a row for each clip, frame and pair of bodies that touch."""
        import io
        try:
            import pandas  # type: ignore[import]
        except ImportError:
            raise ImportError("to_dataframe() needs pandas; csv() has the same lines") from None
        return pandas.read_csv(io.StringIO(self._run.write("csv")), keep_default_na=False,
                               na_values=[""])

    def __str__(self) -> str:
        return self._run.write("table")

    def __repr__(self) -> str:
        return f"<pliant.Report: {'something new touches' if self.has_failed else 'nothing new'}>"

    def _repr_html_(self) -> str:
        from ._show import frame_of
        return frame_of(self._run.write("page"))


def _read_number(value: object, what: str) -> int:
    """A whole number of any type, numpy's included; `what` is the sentence's beginning."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what}, not {value!r}") from None


def _write(text: str, path: Path | None) -> str:
    """Writes a file, if there is a path. An earlier file stays until the new one is complete."""
    if path is None:
        return text
    target = os.path.realpath(os.fsdecode(path))
    is_other = os.path.exists(target) and not os.path.isfile(target)  # a device, or a pipe
    written = target if is_other else f"{target}.{os.getpid()}-{threading.get_ident()}.part"
    try:
        with open(written, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if written != target:
            if os.path.exists(target):
                os.chmod(written, os.stat(target).st_mode & 0o7777)
            os.replace(written, target)
    except BaseException:
        if written != target and os.path.exists(written):
            os.remove(written)
        raise
    return text


def check(paths: Path | Sequence[Path], *, clips: str | None = None, ignore: str | None = None,
          fps: float | None = None, frames: tuple[int | None, int | None] | None = None,
          self_contact: bool = False, volume: bool = False, contours: bool = False,
          continuous: int | bool = 0, clearance: float = 0.0, split: str = "node",
          against: str | int | PathLike[str] | None = None, allow: str | None = None,
          clip_files: Path | Sequence[Path] | None = None, together: bool = False,
          scene: str | None = None, repair: bool = False, near: float | str | None = None,
          min_depth: float | str | None = None, max_depth: float | str | None = None,
          max_area: float | None = None, threads: int | None = None,
          progress: Callable[[int, int], object] | None = None) -> Report:
    """Which bodies of a file touch, in which frames, and what of that is new: `pliant check`.

    clips, ignore: names or patterns, with commas between. fps: frames a second; None follows the
    keys of each clip. frames: the first and the last to look at, or None for either. continuous:
    straight steps between frames. against: "rest", "none", a frame's number, or the path of a
    reference that `pliant accept` wrote. allow: what may be missing without an error, as
    `pliant check --allow` takes it. clip_files, together, scene and repair: as for load(). near,
    min_depth, max_depth: in units of the file, or like "2%", of the smaller body; max_area in square
    units; what they mean is what `pliant check --help` says. threads: one for each processor by
    default. progress(done, count) is called now and then.
    """
    first, last = None, None
    if isinstance(frames, (tuple, list)) and len(frames) == 2:
        first, last = frames
    elif frames is not None:
        raise TypeError(f"frames are the first and the last, (0, 10) or (5, None), not {frames!r}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is a function of done and count, not {progress!r}")
    run = _core.check(
        paths, clips=clips, ignore=ignore, fps=fps, first=first, last=last,
        self_contact=self_contact, volume=volume, contours=contours, continuous=_read_number(continuous, "continuous is a whole number"),
        clearance=clearance, split=split, against=against, allow=allow, clip_files=clip_files,
        together=together, scene=scene, repair=repair, near=near, min_depth=min_depth,
        max_depth=max_depth, max_area=max_area,
        threads=threads if threads is not None else min(os.cpu_count() or 1, 256),
        progress=progress)
    return Report(run)
