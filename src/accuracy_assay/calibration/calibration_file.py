"""The calibration file: a zip archive of one JSON text and plain arrays.

Members: ``calibration.json`` (format, version, method, attributes, temperatures, sharpness,
blocks, report), ``block_<i>.npy`` (table of block i of the potential, one axis per attribute),
``network_<i>.npy`` (weights of a network on top of the blocks), ``folded_<i>.npy`` (weights of one
already added to the only block), ``other_sharpness.npy`` and ``other_block_<i>.npy`` (how other
calibrations differ, one row each), ``crosstalk.npy``, ``crosstalk_scale.npy`` and
``other_crosstalk.npy`` (what predictors say about other attributes). Nothing in it is executable.

Temperatures are for people. A reader takes sharpness, their inverse: in floating point 1 / (1 / s)
is not always s, and a calibration must give the same rows after reading. In version 1 the key
``temperatures``, of the header and of the report, held the sharpness.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.calibration.others import OtherCalibrations
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.files.archive import Archive, open_archive
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.crosstalk import Crosstalk
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["FORMAT_VERSION", "read", "write"]

FORMAT_VERSION = 3
"""2 since temperatures divide, 3 with crosstalk; files of versions 1 and 2 can be read too."""

_WITHOUT_CROSSTALK = 2
"""Version of a file without crosstalk: older readers would take such a file rightly."""

_FORMAT = "accuracy-assay calibration"
_METHODS = ("raw", "temperature", "full")
_WHAT, _WRITER = "calibration file", "FittedCalibration.save"

Parts = tuple[
    AttributeSpace,
    str,
    FloatArray,
    Potential | None,
    CalibrationReport,
    OtherCalibrations | None,
    Crosstalk | None,
]


def write(
    path: Path,
    space: AttributeSpace,
    method: str,
    sharpness: FloatArray,
    potential: Potential | None,
    report: CalibrationReport,
    others: OtherCalibrations | None = None,
    crosstalk: Crosstalk | None = None,
) -> None:
    """Write the parts of a calibration to ``path``, whole or not at all."""
    blocks = potential.blocks if potential else ()
    network = (potential.network if potential else None) or ()
    folded = (potential.folded if potential else None) or ()
    header = {
        "format": _FORMAT,
        "version": _WITHOUT_CROSSTALK if crosstalk is None else FORMAT_VERSION,
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
    if others is not None:
        arrays["other_sharpness.npy"] = others.sharpness
        arrays |= {f"other_block_{i}.npy": table for i, table in enumerate(others.tables)}
        if others.crosstalk is not None:
            arrays["other_crosstalk.npy"] = others.crosstalk.weights
    if crosstalk is not None:
        arrays["crosstalk.npy"] = crosstalk.weights
        arrays["crosstalk_scale.npy"] = crosstalk.scale
    with (
        whole_file(path, _WHAT) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("calibration.json", json.dumps(header, indent=1))
        for name, array in arrays.items():
            with archive.open(name, "w", force_zip64=True) as member:
                np.save(member, array, allow_pickle=False)


def read(path: Path) -> Parts:
    """Read the parts of a calibration; an error says what is wrong with the file."""
    with open_archive(path, _WHAT, _WRITER) as archive:
        return _parts(archive)


def _parts(archive: Archive) -> Parts:
    header = _modern(archive.header("calibration.json", _FORMAT, FORMAT_VERSION))
    space = AttributeSpace.from_json(header["attributes"])
    if header["method"] not in _METHODS:
        raise ValueError(f"method must be one of {list(_METHODS)}; it is {header['method']!r}")
    sharpness = np.asarray(header["sharpness"], dtype=np.float64)
    if sharpness.shape != (len(space.attributes),):
        raise ValueError(f"sharpness must have {len(space.attributes)} numbers")
    if not (np.isfinite(sharpness).all() and (sharpness > 0.0).all()):
        raise ValueError(f"sharpness must be finite and above 0; it is {sharpness.tolist()}")
    report = CalibrationReport.from_dict(header["report"])
    potential = _potential(archive, header, space)
    crosstalk = _crosstalk(archive, sum(space.shape))
    others = _others(archive, space, potential, crosstalk)
    return space, header["method"], sharpness, potential, report, others, crosstalk


def _crosstalk(archive: Archive, n_values: int) -> Crosstalk | None:
    if "crosstalk.npy" not in archive:
        return None
    scale = archive.array("crosstalk_scale.npy", (n_values,))
    if not (np.isfinite(scale).all() and (scale > 0.0).all()):
        raise ValueError("crosstalk_scale must be finite and above 0")
    return Crosstalk(archive.array("crosstalk.npy", (n_values, n_values)), scale)


def _others(
    archive: Archive,
    space: AttributeSpace,
    potential: Potential | None,
    crosstalk: Crosstalk | None,
) -> OtherCalibrations | None:
    if "other_sharpness.npy" not in archive:
        return None
    sharpness = archive.array("other_sharpness.npy", (None, len(space.attributes)))
    blocks = potential.blocks if potential else ()
    return OtherCalibrations(
        sharpness,
        tuple(block.attributes for block in blocks),
        tuple(
            archive.array(f"other_block_{i}.npy", (sharpness.shape[0], block.table.size))
            for i, block in enumerate(blocks)
        ),
        _other_crosstalk(archive, sharpness.shape[0], crosstalk),
    )


def _other_crosstalk(
    archive: Archive, n_others: int, crosstalk: Crosstalk | None
) -> Crosstalk | None:
    if crosstalk is None or "other_crosstalk.npy" not in archive:
        return None
    shape = (n_others, *crosstalk.weights.shape)
    return Crosstalk(archive.array("other_crosstalk.npy", shape), crosstalk.scale)


def _potential(
    archive: Archive, header: dict[str, Any], space: AttributeSpace
) -> Potential | None:
    if header["blocks"] is None:
        return None
    attributes = [tuple(int(k) for k in block) for block in header["blocks"]]
    if sorted(k for block in attributes for k in block) != list(range(len(space.attributes))):
        raise ValueError(f"blocks must hold every attribute once; they are {header['blocks']}")
    blocks = tuple(
        Block(block, archive.array(f"block_{i}.npy", tuple(space.shape[k] for k in block)))
        for i, block in enumerate(attributes)
    )
    n_values = sum(space.shape)
    return Potential(
        blocks,
        _network(archive, "network", n_values) if header["has_network"] else None,
        _network(archive, "folded", n_values) if header.get("has_folded") else None,
    )


def _modern(header: dict[str, Any]) -> dict[str, Any]:
    """Return the header in the format of the present version."""
    if header["version"] >= 2:
        return header
    details = dict(header["report"]["details"])
    if "temperatures" in details:
        details["temperatures"] = {name: 1.0 / s for name, s in details["temperatures"].items()}
    report = {**header["report"], "details": details}
    return {**header, "sharpness": header["temperatures"], "report": report}


def _network(archive: Archive, member: str, n_values: int) -> Any:
    """Return the weights of a network over the one-hot values, whose layers must fit together."""
    W1 = archive.array(f"{member}_0.npy", (n_values, None))
    b1 = archive.array(f"{member}_1.npy", (W1.shape[1],))
    W2 = archive.array(f"{member}_2.npy", (W1.shape[1], None))
    b2 = archive.array(f"{member}_3.npy", (W2.shape[1],))
    return W1, b1, W2, b2, archive.array(f"{member}_4.npy", (W2.shape[1],))
