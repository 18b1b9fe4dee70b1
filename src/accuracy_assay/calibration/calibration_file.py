"""The calibration file: a zip archive of one JSON text and plain arrays.

Members: ``calibration.json`` (format, version, method, attributes, temperatures, sharpness,
blocks, report), ``block_<i>.npy`` (table of block i of the potential, one axis per attribute),
``network_<i>.npy`` (weights of a network on top of the blocks) and ``folded_<i>.npy`` (weights of
one that the only block already holds). Nothing in it is executable.

Temperatures are for people. Sharpness, their inverse, is what is read: 1 / (1 / s) is not always s
in floating point, and whoever reads a calibration must get the rows that it gave when it was
fitted. In version 1 the key ``temperatures``, of the header and of the report, held the sharpness.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["FORMAT_VERSION", "read", "write"]

FORMAT_VERSION = 2
"""2 since temperatures divide; files of version 1 are read too."""

_FORMAT = "accuracy-assay calibration"
# Arrays of a network: weights and biases of two hidden layers, weights of the output.
_N_NETWORK = 5
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, LookupError, TypeError, ValueError)

Parts = tuple[AttributeSpace, str, FloatArray, Potential | None, CalibrationReport]


def write(
    path: Path,
    space: AttributeSpace,
    method: str,
    sharpness: FloatArray,
    potential: Potential | None,
    report: CalibrationReport,
) -> None:
    """Write the parts of a calibration to ``path``, whole or not at all."""
    blocks = potential.blocks if potential else ()
    network = (potential.network if potential else None) or ()
    folded = (potential.folded if potential else None) or ()
    header = {
        "format": _FORMAT,
        "version": FORMAT_VERSION,
        "method": method,
        "attributes": space.to_json(),
        "temperatures": (1.0 / sharpness).tolist(),
        "sharpness": sharpness.tolist(),
        "blocks": [list(block.attributes) for block in blocks] if potential else None,
        "has_network": bool(network),
        "has_folded": bool(folded),
        "report": report.to_dict(),
    }
    arrays = {f"block_{i}.npy": block.table for i, block in enumerate(blocks)}
    for name, weights in (("network", network), ("folded", folded)):
        arrays |= {f"{name}_{i}.npy": np.asarray(layer) for i, layer in enumerate(weights)}
    with (
        whole_file(path, "calibration file") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("calibration.json", json.dumps(header, indent=1))
        for name, array in arrays.items():
            with archive.open(name, "w", force_zip64=True) as member:
                np.save(member, array, allow_pickle=False)


def read(path: Path) -> Parts:
    """Read the parts of a calibration; an error says what is wrong with a file that is none."""
    if not path.is_file():
        raise InputError(f"calibration file must exist; got {str(path)!r}.")
    try:
        with zipfile.ZipFile(path) as archive:
            return _parts(archive, path)
    except _DAMAGE as error:
        raise InputError(
            f"calibration file must be one that FittedCalibration.save wrote; got {str(path)!r} "
            f"({type(error).__name__}: {error})."
        ) from None


def _parts(archive: zipfile.ZipFile, path: Path) -> Parts:
    header: dict[str, Any] = json.loads(archive.read("calibration.json"))
    if header["format"] != _FORMAT:
        raise ValueError(f"format is {header['format']!r}")
    if header["version"] > FORMAT_VERSION:
        raise InputError(
            f"calibration file must have format version {FORMAT_VERSION} or lower; got "
            f"{header['version']} in {str(path)!r}. Upgrade accuracy-assay to read it."
        )
    header = _modern(header)
    space = AttributeSpace.from_json(header["attributes"])
    potential = None
    if header["blocks"] is not None:
        blocks = tuple(
            Block(tuple(attributes), _array(archive, f"block_{i}.npy"))
            for i, attributes in enumerate(header["blocks"])
        )
        potential = Potential(
            blocks,
            _network(archive, "network") if header["has_network"] else None,
            _network(archive, "folded") if header.get("has_folded") else None,
        )
    sharpness = np.asarray(header["sharpness"], dtype=np.float64)
    report = CalibrationReport.from_dict(header["report"])
    return space, str(header["method"]), sharpness, potential, report


def _modern(header: dict[str, Any]) -> dict[str, Any]:
    """Return the header as the present version has it."""
    if header["version"] >= 2:
        return header
    details = dict(header["report"]["details"])
    if "temperatures" in details:
        details["temperatures"] = {name: 1.0 / s for name, s in details["temperatures"].items()}
    report = {**header["report"], "details": details}
    return {**header, "sharpness": header["temperatures"], "report": report}


def _network(archive: zipfile.ZipFile, member: str) -> Any:
    return tuple(_array(archive, f"{member}_{i}.npy") for i in range(_N_NETWORK))


def _array(archive: zipfile.ZipFile, name: str) -> FloatArray:
    loaded: FloatArray = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
    return loaded
