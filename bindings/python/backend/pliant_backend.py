"""Builds wheels and source archives of Pliant by its own CMake files, as PEP 517 asks for; needs
nothing but CMake and a C compiler.

What a wheel links against and no other system need have (jansson, meshoptimizer) goes into it, beside
the extension; of Draco only what decodes, from its static library where there is one, for the shared
one is as large as all the rest. LAPACK would make it too large: pliant.fit() says so. CMAKE_ARGS adds options;
PLIANT_WHEEL_SYSTEM=1 leaves libraries where they are, for distributions.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "bindings/python/pliant"
# Sources of a build, as git would archive them.
FOLDERS = ["bindings/python", "cmake", "interface", "docs/pliant.1", "docs/guide/pipeline.md",
           "docs/check-json.md", "docs/check.schema.json", "gallery", "include", "libs", "packaging/completion", "src", "tool",
           "CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml"]
# What every Linux has, by the list that manylinux wheels are held to.
COMMON = re.compile(r"^(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+|libz|ld-linux.*)\.so")


def version() -> str:
    header = (ROOT / "include/pliant/base.h").read_text()
    match = re.search(r'PLIANT_VERSION_TEXT "([^"]+)"', header)
    assert match is not None
    return match.group(1)


def metadata() -> str:
    lines = ["Metadata-Version: 2.1", "Name: pliant", f"Version: {version()}",
             "Summary: Which triangles of deforming bodies touch, exactly", "License: MIT",
             "Requires-Python: >=3.11", "Requires-Dist: numpy>=1.22",
             "Description-Content-Type: text/markdown", "",
             (ROOT / "README.md").read_text()]
    return "\n".join(lines)


# ------------------------------------------------------------------------------- the extension

def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}\n"
                           f"{done.stderr[-4000:]}")
    return done.stdout


def draco_options() -> list[str]:
    """Draco's static library, of which the linker takes what is needed."""
    if os.environ.get("PLIANT_WHEEL_SYSTEM"):
        return []
    archive = run(os.environ.get("CC", "cc"), "-print-file-name=libdraco.a").strip()
    return [f"-DPLIANT_DRACO_LIBRARY={archive}"] if os.path.isabs(archive) else []


def build_extension(folder: str) -> Path:
    run("cmake", "-S", str(ROOT), "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
        "-DPLIANT_BUILD_TESTS=OFF", "-DPLIANT_BUILD_LAB=OFF", "-DPLIANT_BUILD_PYTHON=ON",
        f"-DPLIANT_PYTHON={sys.executable}", "-DPLIANT_WITH_LAPACKE=OFF", "-DPLIANT_WITH_EPOXY=OFF",
        "-DPLIANT_PYTHON_BUNDLES=" + ("OFF" if os.environ.get("PLIANT_WHEEL_SYSTEM") else "ON"),
        *draco_options(), *os.environ.get("CMAKE_ARGS", "").split())
    run("cmake", "--build", folder, "--target", "pliant_python", "--parallel",
        str(os.cpu_count() or 1))
    extension = Path(folder) / "python/pliant/_core.abi3.so"
    run("strip", "--strip-unneeded", str(extension))
    return extension


def needed(library: Path) -> list[str]:
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", str(library)))


def where(library: Path) -> dict[str, Path]:
    return {name: Path(path) for name, path in re.findall(r"(\S+) => (/\S+)",
                                                          run("ldd", str(library)))}


def brought_along(extension: Path) -> list[Path]:
    """Libraries that another system need not have."""
    if os.environ.get("PLIANT_WHEEL_SYSTEM"):
        return []
    places = where(extension)
    found: list[Path] = []
    waiting = needed(extension)
    while waiting:
        name = waiting.pop()
        if not COMMON.match(name) and places[name] not in found:
            found.append(places[name])
            waiting += needed(places[name])
    return found


def glibc_needed(libraries: list[Path]) -> tuple[int, int]:
    numbers = [(2, 17)]
    for library in libraries:
        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", str(library))):
            numbers.append((int(major), int(minor)))
    return max(numbers)


# ------------------------------------------------------------------------------------- wheels

def write_wheel(folder: str, tag: str, files: dict[str, bytes]) -> str:
    name = f"pliant-{version()}-{tag}.whl"
    info = f"pliant-{version()}.dist-info"
    python, abi, platform = tag.split("-")
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: pliant\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    record = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))  # the same bytes every time
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in path else 0o644) << 16
            archive.writestr(entry, data)
        record.append(f"{info}/RECORD,,")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)),
                         "\n".join(record) + "\n")
    return name


def build_wheel(wheel_directory: str, config_settings: object = None,
                metadata_directory: str | None = None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        extension = build_extension(folder)
        files = {f"pliant/{path.name}": path.read_bytes() for path in sorted(PACKAGE.iterdir())
                 if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
        libraries = brought_along(extension)
        for library in libraries:  # found beside the extension, by its RUNPATH of $ORIGIN/lib
            files[f"pliant/lib/{library.name}"] = library.read_bytes()
        files["pliant/_core.abi3.so"] = extension.read_bytes()
        machine = os.uname().machine
        if os.environ.get("PLIANT_WHEEL_SYSTEM"):
            platform = f"linux_{machine}"
        else:
            major, minor = glibc_needed([extension, *libraries])
            platform = f"manylinux_{major}_{minor}_{machine}"
        return write_wheel(wheel_directory, f"cp311-abi3-{platform}", files)


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    base = f"pliant-{version()}"
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder) / "PKG-INFO"
        info.write_text(metadata())
        path = Path(sdist_directory) / f"{base}.tar.gz"
        with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
            archive.add(info, f"{base}/PKG-INFO")
            for name in FOLDERS:
                archive.add(ROOT / name, f"{base}/{name}", filter=without_caches)
    return path.name


def without_caches(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if "__pycache__" in entry.name or entry.name.endswith(".so") else entry


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: object = None) -> str:
    info = Path(metadata_directory) / f"pliant-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata())
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: pliant\nRoot-Is-Purelib: false\n")
    shutil.copy(ROOT / "LICENSE", info)
    return info.name


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: object = None) -> list[str]:
    return []
