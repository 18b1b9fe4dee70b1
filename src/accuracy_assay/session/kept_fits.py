"""The last fit of each service, kept for choices: what a strategy looked at, and nothing more.

A strategy looks at the arms' values and at some covariances between cells. They are written down
as it looks, so that a later process makes its choice by the same numbers, without the fit. Where a
choice needs others the fit is made again. What a fit rests on is its key: labels, predictions of
labelled rows, pool, spec and version. It is a cache: it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.domain.arm_values import COLUMNS
from accuracy_assay.domain.averages import Draws
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.events import Fitted
from accuracy_assay.domain.posterior import CellPosterior, HasPosterior
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.version import __version__
from accuracy_assay.session.snapshots import Snapshot

__all__ = ["NotKeptError", "Watched", "fit_file", "fit_key", "keep_fit", "kept_fit"]

_MOST_BYTES = 2**28
"""Covariances of a fit that are kept, 256 MB: those of 30,000 cells with the 1,024 kinds that a
strategy weighs in full."""
_CELLS = ("rate", "variance", "label_variance", "labelled")


class NotKeptError(Exception):
    """A choice that needs more of a fit than was kept."""


def fit_file(cache: Path, assay: str, service: str) -> Path:
    """Return where the fit of a service is kept."""
    name = hashlib.sha256(json.dumps([assay, service]).encode()).hexdigest()[:16]
    return cache / f"fit-{name}.npz"


def fit_key(seen: Snapshot) -> str | None:
    """Return a fingerprint of all that a fit rests on; None where the pool is not kept."""
    problem = seen.problem
    kept = problem.rows.kept
    if kept is None:
        return None
    rows = sorted(seen.labels)
    labels = [(r, seen.labels[r].label, sorted(seen.labels[r].attributes.items())) for r in rows]
    said = sorted((i, *made) for i, made in seen.predictions.items())
    spec = problem.spec.model_dump(mode="json")
    whole = [__version__, kept.folder.name, problem.service.name, spec, labels, said]
    return hashlib.sha256(json.dumps(whole).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class Watched:
    """A surface's posterior that notes which covariances are asked for."""

    inner: CellPosterior
    blocks: list[tuple[IntArray, IntArray, FloatArray]] = field(default_factory=list)

    @property
    def posterior(self) -> CellPosterior:
        """The posterior as a strategy sees it."""
        return replace(self.inner, covariance=self._covariance)

    def _covariance(self, rows: IntArray, columns: IntArray) -> FloatArray:
        found = self.inner.covariance(rows, columns)
        self.blocks.append((rows, columns, found))
        return found

    @classmethod
    def over(cls, surface: AccuracySurface) -> AccuracySurface:
        """Return a surface whose posterior, where it has one, is watched."""
        if not isinstance(surface.memory, HasPosterior) or isinstance(surface.memory, _Kept):
            return surface
        return replace(surface, memory=cls(surface.memory.posterior))


@dataclass(frozen=True)
class _Kept:
    """A posterior that knows the covariances that were asked for before."""

    posterior: CellPosterior


def keep_fit(path: Path, key: str, surface: AccuracySurface, made: Fitted) -> None:
    """Write what a choice by a watched surface looked at; nothing where that is too much."""
    watched = surface.memory if isinstance(surface.memory, Watched) else None
    if watched is None and isinstance(surface.memory, HasPosterior):
        return
    blocks = [] if watched is None else watched.blocks
    if sum(values.nbytes for _, _, values in blocks) > _MOST_BYTES:
        return
    arrays = {name: getattr(surface, name) for name in ("arms", *COLUMNS)}
    header: dict[str, Any] = {
        "key": key,
        "made": asdict(made),
        "level": surface.level,
        "blocks": len(blocks),
        "strata": None,
        "is_pool": None,
    }
    if watched is not None:
        posterior, support = watched.inner, watched.inner.support
        arrays |= {"cells": support.cells, "size": support.size}
        arrays |= {f"cell_{name}": getattr(posterior, name) for name in _CELLS}
        header |= {"is_pool": support.is_pool}
        header |= {"strata": None if support.strata is None else support.strata.to_json()}
    for k, (rows, columns, values) in enumerate(blocks):
        arrays |= {f"rows_{k}": rows, f"columns_{k}": columns, f"block_{k}": values}
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, "kept fit") as file:
            np.savez(file, header=text, **arrays)
    except (OSError, InputError):  # a folder that may not be written, a full disk
        return


def kept_fit(path: Path, key: str, seen: Snapshot) -> tuple[AccuracySurface, Fitted] | None:
    """Return the surface to choose by and how it was made; None unless that very fit is kept."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            header = json.loads(kept["header"].tobytes())
            if header["key"] != key:
                return None
            arrays = {name: kept[name] for name in kept.files if name != "header"}
        return _surface(header, arrays, seen), _fitted(header["made"], seen.seen_seq)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, InputError):
        return None


def _fitted(made: Mapping[str, Any], seen_seq: int) -> Fitted:
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in made.items()}
    return Fitted(**plain | {"seen_seq": seen_seq})


def _surface(
    header: Mapping[str, Any], arrays: Mapping[str, Any], seen: Snapshot
) -> AccuracySurface:
    space, memory = seen.problem.rows.space, None
    if "cells" in arrays:
        strata = None if header["strata"] is None else AttributeSpace.from_json(header["strata"])
        support = Support(space, strata, arrays["cells"], arrays["size"], header["is_pool"])
        blocks = [
            (arrays[f"rows_{k}"], arrays[f"columns_{k}"], arrays[f"block_{k}"])
            for k in range(header["blocks"])
        ]
        values = {name: arrays[f"cell_{name}"] for name in _CELLS}
        memory = _Kept(CellPosterior(support, **values, covariance=_Blocks(blocks)))
    columns = {name: arrays[name] for name in ("arms", *COLUMNS)}
    return AccuracySurface(space, **columns, level=header["level"], draws=_no_draws, memory=memory)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Covariances by position, out of those that are kept."""

    blocks: list[tuple[IntArray, IntArray, FloatArray]]

    def __call__(self, rows: IntArray, columns: IntArray) -> FloatArray:
        for known_rows, known_columns, values in self.blocks:
            at, across = _places(rows, known_rows), _places(columns, known_columns)
            if at is not None and across is not None:
                is_all = rows.size == known_rows.size and columns.size == known_columns.size
                return values if is_all else values[np.ix_(at, across)]
        raise NotKeptError


def _places(wanted: IntArray, known: IntArray) -> IntArray | None:
    """Return where numbers stand among increasing ones; None unless all of them do."""
    if wanted.size and not known.size:
        return None
    place = np.minimum(np.searchsorted(known, wanted), max(known.size - 1, 0))
    return place if np.array_equal(known[place], wanted) else None


def _no_draws() -> Draws:
    raise NotKeptError
