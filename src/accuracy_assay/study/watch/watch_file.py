"""A watch in a file: its tables, and what they are about.

A zip archive: ``watch.json`` (verdict, settings, space) and one Parquet table each of alarms,
gains, slices, versions, and labels by time and arm. It holds counts, no rows.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.files.archive import open_archive
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.study.watch.unlabelled import SHIFT_COLUMNS

__all__ = ["read_watch", "write_watch"]

_FORMAT, _VERSION = "accuracy-assay watch", 1
_WHAT, _WRITER = "watch file", "Watch.save"
_PLAIN = ("verdict", "tolerance", "false_alarm", "every", "baseline", "last")
_ALARM = ("time", "slice", "before", "now", "{}", "lower", "upper", "e_value", "since", "labels")
_TABLES = {
    "found": tuple(name.format("loss") for name in _ALARM),
    "found_gains": tuple(name.format("gain") for name in _ALARM),
    "watched": (
        *("slice", "weight", "before", "labels_before"),
        *("after", "labels", "e_value", "e_value_gain"),
    ),
    "found_shifts": tuple(SHIFT_COLUMNS),
    "found_versions": ("version", "since", "labels"),
    "counts": ("bin", "arm", "labels", "right", "from", "to", "is_baseline"),
}


def write_watch(path: str | Path, parts: Mapping[str, Any]) -> None:
    """Write the fields of a watch, whole or not at all."""
    header = {"format": _FORMAT, "version": _VERSION}
    header |= {name: parts[name] for name in _PLAIN}
    header |= {"labels": list(parts["labels"]), "remarks": list(parts["remarks"])}
    header |= {"space": parts["space"].to_json()}
    header |= {"conditions": [dict(each) for each in parts["conditions"]]}
    with (
        whole_file(path, _WHAT) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("watch.json", json.dumps(header, indent=1))
        for name in _TABLES:
            content = io.BytesIO()
            parts[name].write_parquet(content)
            archive.writestr(f"{name}.parquet", content.getvalue())


def read_watch(path: str | Path) -> dict[str, Any]:
    """Read the fields of a watch that `write_watch` wrote.

    Raises
    ------
    InputError
        If the file isn't a watch, or is damaged.
    """
    with open_archive(Path(path), _WHAT, _WRITER) as archive:
        header = archive.header("watch.json", _FORMAT, _VERSION)
        before, after = header["labels"]
        found: dict[str, Any] = {name: header[name] for name in _PLAIN}
        found |= {name: archive.table(f"{name}.parquet", of) for name, of in _TABLES.items()}
        found |= {
            "space": AttributeSpace.from_json(header["space"]),
            "labels": (int(before), int(after)),
            "remarks": tuple(map(str, header["remarks"])),
            "conditions": tuple(header["conditions"]),
        }
        return found
