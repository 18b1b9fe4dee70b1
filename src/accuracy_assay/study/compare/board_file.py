"""A comparison in a file: the surfaces of its services, and how their errors go together.

A zip archive: ``board.json`` (names, prices, seed), one ``N.surface`` per service, and arrays of
what they share. A loaded comparison answers every question as the fitted one, without a fit.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.archive import Archive, open_archive
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.differences import SharedErrors
from accuracy_assay.study.compare.joint_draws import JointDraws, RowAnswers
from accuracy_assay.study.compare.responses import KeptResponses
from accuracy_assay.study.compare.shared_labels import KnownAnswers, SharedLabels

__all__ = ["BoardParts", "read_board", "write_board"]

_FORMAT, _VERSION = "accuracy-assay board", 1
_WHAT, _WRITER = "board file", "Comparison.save"
_MOST_RESPONSES = 2**25
"""Most numbers of one service's responses in a file: a quarter of a gigabyte."""

BoardParts = tuple[dict[str, AccuracySurface], dict[str, float], SharedErrors | None, int]
"""Surfaces and prices by service, what they share, and the seed."""


def write_board(path: str | Path, parts: BoardParts) -> None:
    """Write a comparison, whole or not at all."""
    surfaces, prices, shared, seed = parts
    kind, arrays = _arrays(shared, next(iter(surfaces.values())))
    header = {"format": _FORMAT, "version": _VERSION, "names": list(surfaces), "seed": seed}
    header |= {"prices": prices, "shared": kind}
    with (
        TemporaryDirectory() as folder,
        whole_file(path, _WHAT) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr("board.json", json.dumps(header, indent=1))
        for number, surface in enumerate(surfaces.values()):
            made = Path(folder) / f"{number}.surface"
            surface.save(made)
            archive.write(made, made.name, zipfile.ZIP_STORED)  # packed already
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.save(member, np.asarray(array, dtype=np.float64), allow_pickle=False)


def read_board(path: str | Path) -> BoardParts:
    """Read a comparison that `write_board` wrote.

    Raises
    ------
    InputError
        If the file isn't a board, is damaged, or unpacks to far more than its size.
    """
    with (
        open_archive(Path(path), _WHAT, _WRITER) as archive,
        TemporaryDirectory() as folder,
    ):
        header = archive.header("board.json", _FORMAT, _VERSION)
        surfaces = dict(_surfaces(archive, header["names"], Path(folder)))
        prices = {str(name): float(price) for name, price in header["prices"].items()}
        every = tuple(surfaces.values())
        shared = _shared(archive, header["shared"], every)
        return surfaces, prices, shared, int(header["seed"])


def _surfaces(
    archive: Archive, names: list[str], folder: Path
) -> Iterator[tuple[str, AccuracySurface]]:
    for number, name in enumerate(names):
        path = folder / f"{number}.surface"
        path.write_bytes(archive.bytes_of(path.name))
        yield str(name), AccuracySurface.load(path)


def _arrays(
    shared: SharedErrors | None, surface: AccuracySurface
) -> tuple[str | None, dict[str, Any]]:
    """Return what kind of errors services share, and the arrays that say so."""
    if shared is None:
        return None, {}
    if isinstance(shared, JointDraws):
        known = shared.answers
        return "draws", {} if known is None else vars(known)
    if not isinstance(shared, SharedLabels):
        raise InputError(f"a comparison must be one of compare; got {type(shared).__name__}.")
    n_arms, n_rows = surface.arms.size, shared.scores.shape[0]
    if n_arms * n_rows > _MOST_RESPONSES:
        raise InputError(
            f"a comparison must have at most {_MOST_RESPONSES:,} arms times labels to be saved; "
            f"got {n_arms:,} times {n_rows:,}. Save its surfaces one by one."
        )
    arrays: dict[str, Any] = {"scores": shared.scores}
    for number, each in enumerate(shared.responses):
        kept = {"rows": each.to_rows(np.eye(n_arms)), "arm": each.arm, "rate": each.rate}
        kept |= {"noise": each.noise, "coin": each.coin}
        arrays |= {f"{number}.{name}": array for name, array in kept.items()}
    if shared.answers is not None:
        arrays |= {f"answers.{name}": array for name, array in vars(shared.answers).items()}
    return "labels", arrays


def _shared(
    archive: Archive, kind: str | None, surfaces: tuple[AccuracySurface, ...]
) -> SharedErrors | None:
    def numbers(name: str) -> FloatArray:
        return archive.array(f"{name}.npy").astype(np.float64)

    def codes(name: str) -> IntArray:
        return numbers(name).astype(np.int64)

    if kind is None:
        return None
    if kind == "draws":
        if "arm.npy" not in archive:
            return JointDraws(surfaces)
        labelled = (codes("arm"), codes("codes"), numbers("scores"))
        known = RowAnswers(*labelled, codes("pool_arm"), codes("pool_codes"))
        return JointDraws(surfaces, known)
    responses = tuple(
        KeptResponses(
            numbers(f"{number}.rows"),
            codes(f"{number}.arm"),
            numbers(f"{number}.rate"),
            numbers(f"{number}.noise"),
            numbers(f"{number}.coin"),
        )
        for number in range(len(surfaces))
    )
    answers = None
    if "answers.labelled.npy" in archive:
        answers = KnownAnswers(
            codes("answers.labelled"),
            codes("answers.pool"),
            codes("answers.arm"),
            numbers("answers.rate"),
            numbers("answers.size"),
            is_exclusive=bool(numbers("answers.is_exclusive")),
            is_counted=bool(numbers("answers.is_counted")),
        )
    return SharedLabels(responses, numbers("scores"), answers)
