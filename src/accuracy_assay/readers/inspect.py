"""Logs of Inspect: ``.eval``, a ZIP file with a member per sample, and ``.json``, old and new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.files.damage import refusing_damage
from accuracy_assay.readers.answer import Answer
from accuracy_assay.readers.archives import Archive, TooLargeError, opened_archive
from accuracy_assay.readers.inspect_judges import graded_by_models, judges_of
from accuracy_assay.readers.inspect_samples import Sample, read_sample
from accuracy_assay.readers.join import join_answers
from accuracy_assay.readers.json_files import opening, read_json
from accuracy_assay.readers.untrusted import elements, entries, words

__all__ = ["InspectLogs"]

_JSON_LOG = re.compile(
    r'\{\s*(?:"version"\s*:\s*\d+\s*,\s*)?"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:'
)
_HEADERS = ("header.json", "_journal/start.json", "start.json")
_SUMMARIES = ("summaries.json", "summary.json")
_WHOLE_SAMPLE = re.compile(r"samples/[^/]+\.json")
_PARTED_SAMPLE = re.compile(r"samples/[^/]+/sample\.json")
"""A sample in one member, and the main member of a sample in several (version 3)."""
_LARGEST_INDEX = 256_000_000
"""Most bytes of the summaries of all samples."""


@dataclass(frozen=True, slots=True)
class InspectLogs:
    """Reads Inspect logs; models join by task and sample, and epochs are a cluster."""

    def reads(self, path: Path) -> bool:
        """Return whether a file is a log of Inspect."""
        with suppress(OSError):
            if path.suffix == ".eval":
                with path.open("rb") as file:
                    return file.read(4) == b"PK\x03\x04"
            if path.suffix == ".json":
                return bool(_JSON_LOG.match(opening(path, (".json",))))
        return False

    def read(self, paths: Sequence[Path]) -> EvalLog:
        """Return the rows of some logs.

        Raises
        ------
        InputError
            If a file is damaged, or none of them has samples.
        """
        left_out: dict[str, str] = {}
        logs = [_read(path, left_out) for path in sorted(paths)]
        found = [log for log in logs if log.samples]
        if not found:
            raise InputError(
                f"a log must hold samples; got {', '.join(log.path.name for log in logs[:3])}, "
                f"which has none{logs[0].own_figures()}. Run Inspect without "
                "--no-log-samples, and copy the whole log."
            )
        for log in logs:
            if not log.samples:
                left_out[log.path.name] = "no samples"
        return join_answers(_answers(found, left_out), left_out=left_out)


@dataclass(frozen=True, slots=True)
class _Log:
    """A file: whose answers to which task, and its samples."""

    path: Path
    header: Mapping[str, Any]
    samples: list[Sample] = field(default_factory=list)

    @property
    def eval(self) -> Mapping[str, Any]:
        return entries(self.header.get("eval"))

    @property
    def task(self) -> str:
        return (words(self.eval.get("task")) or self.path.stem).rpartition("/")[2]

    @property
    def service(self) -> str:
        return words(self.eval.get("model")) or "model"

    @property
    def run(self) -> str:
        return words(self.eval.get("created")) or self.path.stem

    def own_figures(self) -> str:
        """Return what the log itself says of its scores."""
        scores = elements(entries(self.header.get("results")).get("scores"))
        figures = [
            f"{score.get('name')} {name} {metric.get('value')}"
            for score in map(entries, scores[:3])
            for name, metric in list(entries(score.get("metrics")).items())[:2]
            if isinstance(metric, dict)
        ]
        return f" ({', '.join(figures)})" if figures else ""


def _read(path: Path, left_out: MutableMapping[str, str]) -> _Log:
    """Return one log, and note how it ended if not well."""
    if path.suffix == ".eval":
        with opened_archive(path, "a log of Inspect") as archive:
            header = _header(archive)
            samples = list(_members(archive, left_out))
    else:
        with refusing_damage("a log of Inspect", str(path), "a log"):
            header = entries(read_json(path, "a log of Inspect"))
            samples = elements(header.get("samples"))
    log = _Log(path, header, [s for s in map(read_sample, samples) if s is not None])
    status = words(header.get("status")) or "started"
    if status != "success":
        of = entries(log.eval.get("dataset")).get("samples")
        expected = f" of {of:,}" if isinstance(of, int) and of >= len(log.samples) else ""
        left_out[f"the rest of {path.name}"] = (
            f"the run has status {status!r}: {len(log.samples):,}{expected} samples are there"
        )
    return log


def _header(archive: Archive) -> Mapping[str, Any]:
    """Return the header, or how the run began if it never came to an end."""
    for name in _HEADERS:
        if name in archive.names:
            return entries(archive.json(name))
    raise ValueError("it has no header")


def _members(archive: Archive, left_out: MutableMapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield the samples of an archive; a summary stands in for one that is too large."""
    names = [name for name in archive.names if _is_sample(name)]
    if not names:
        yield from _summaries(archive)
        return
    too_large = set()
    for name in names:
        try:
            sample = entries(archive.json(name))
        except TooLargeError:
            too_large.add(name.removesuffix("/sample.json").removesuffix(".json"))
            continue
        metadata = name.replace("/sample.json", "/metadata.json")
        if metadata != name and metadata in archive.names:
            sample = {**sample, "metadata": archive.json(metadata)}
        yield sample
    if too_large:
        what = f"transcripts of {archive.path.name}"
        left_out[what] = f"{len(too_large)} samples are too large; their summaries are read"
        for sample in _summaries(archive):
            if f"samples/{sample.get('id')}_epoch_{sample.get('epoch')}" in too_large:
                yield sample


def _is_sample(name: str) -> bool:
    return bool(_WHOLE_SAMPLE.fullmatch(name) or _PARTED_SAMPLE.fullmatch(name))


def _summaries(archive: Archive) -> Iterator[Mapping[str, Any]]:
    """Yield the summaries of samples: those of the whole run, or else of its parts."""
    whole = [name for name in _SUMMARIES if name in archive.names]
    parts = [name for name in archive.names if name.startswith("_journal/summaries/")]
    for name in whole[:1] or parts:
        yield from map(entries, elements(archive.json(name, _LARGEST_INDEX)))


def _answers(logs: Sequence[_Log], left_out: MutableMapping[str, str]) -> Iterator[Answer]:
    """Yield the answers of some logs."""
    n_tasks = len({log.task for log in logs})
    graded = [graded_by_models(log.header, log.samples) for log in logs]
    judges = judges_of(graded, [log.samples for log in logs], left_out)
    runs = [(log.service, log.run) for log in logs]
    inputs: dict[str, dict[str | None, int]] = {}
    for log in logs:
        _note_scores(log, left_out)
        run = log.run if runs.count((log.service, log.run)) == 1 else log.path.stem
        for sample in log.samples:
            name = sample.id if n_tasks == 1 else f"{log.task}/{sample.id}"
            # The number of a sample means another one if the data or their order have changed.
            known = inputs.setdefault(name, {})
            place = known.setdefault(sample.question, len(known) + 1)
            yield Answer(
                log.service,
                name if place == 1 else f"{name}.{place}",
                sample.said(judges),
                _figures(sample, [scorer for scorer in sample.scores if scorer not in judges]),
                _figures(sample, [scorer for scorer in sample.scores if scorer in judges]),
                sample.target,
                {"question": sample.question, "choices": sample.choices},
                {"task": log.task, **sample.metadata},
                sample.epoch,
                run=run,
            )


def _figures(sample: Sample, scorers: Sequence[str]) -> dict[str, float | None]:
    """Return the figures of some scorers, by metric."""
    return {name: x for scorer in scorers for name, x in sample.scores[scorer].items()}


def _note_scores(log: _Log, left_out: MutableMapping[str, str]) -> None:
    """Say which samples have no score, and which scores are no figures."""
    if n_failed := sum(sample.has_failed for sample in log.samples):
        left_out[f"scores in {log.path.name}"] = f"{n_failed} samples ended in an error"
    unread = Counter(scorer for sample in log.samples for scorer in sample.unread)
    for scorer, number in unread.items():
        left_out[f"score {scorer}"] = f"{number} values that are words or lists, not figures"
