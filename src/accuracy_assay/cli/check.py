"""``assay check``: a gate for releases: whether a service holds what is asked of it.

Exit codes: 0 if every check passes, 1 if one fails, 3 if there are not enough labels to tell; with
``--strict`` that is 1 too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accuracy_assay.cli.judge_certificate import (
    JudgeSettings,
    refuse_judge_alone,
    surface_by_judge,
)
from accuracy_assay.cli.log_rows import read_rows
from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    GuessOptions,
    RowOptions,
    SignalOptions,
    refuse_for_assay,
    refuse_for_file,
    refuse_for_table,
)
from accuracy_assay.cli.options import AsJson, AsMarkdown
from accuracy_assay.cli.session import MetricName, ServiceName

if TYPE_CHECKING:
    from accuracy_assay.cli.log_rows import AskedRows
    from accuracy_assay.domain.space import AttributeSpace
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.reports.checks import Gate
    from accuracy_assay.session.assay import Assay
    from accuracy_assay.study.compare.comparison import Comparison
    from accuracy_assay.study.gate.requirement import Requirement

    _Older = Callable[[str, Path], AccuracySurface | Comparison]

__all__ = ["check"]

_EXIT_CODES: Mapping[str, int] = {"pass": 0, "fail": 1, "not enough labels": 3}
"""3 for not enough labels, since 2 is a mistake in the input."""


def check(
    surface: Annotated[
        str,
        typer.Argument(
            help="Surface file, the store of an assay, a table of labelled rows, or logs."
        ),
    ],
    table: RowOptions,
    free: SignalOptions,
    guesses: GuessOptions,
    fit: FitOptions,
    session: AssayOptions,
    least: Annotated[
        float | None, typer.Option("--min", help="Least accuracy, such as 0.8.")
    ] = None,
    max_gap: Annotated[
        float | None,
        typer.Option(help="Largest difference between values of the attribute --between."),
    ] = None,
    no_slice_below: Annotated[
        float | None, typer.Option(help="Accuracy that no slice may be below.")
    ] = None,
    not_worse_than: Annotated[
        str | None,
        typer.Option(help="Older surface file; or, for an assay, another of its services."),
    ] = None,
    by: Annotated[
        float | None, typer.Option(help="Accuracy that may be lost, with --not-worse-than.")
    ] = None,
    between: Annotated[
        str | None, typer.Option(help="Attribute whose values are compared.")
    ] = None,
    every_arm: Annotated[
        bool,
        typer.Option("--every-arm", help="Every arm must be shown not to be worse."),
    ] = False,
    where: Annotated[
        list[str] | None, typer.Option("--where", help="attribute=value; repeat.")
    ] = None,
    under: Annotated[
        Path | None,
        typer.Option(help="Mix: attribute columns, one row per instance or with weights."),
    ] = None,
    order: Annotated[
        int | None, typer.Option(help="Most attributes that a slice names; 3 by default.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Probability that decides; 0.95 by default.")
    ] = None,
    least_rows: Annotated[
        float | None,
        typer.Option(help="Fewest pool rows of a value, arm or slice; 20 by default."),
    ] = None,
    checks: Annotated[
        Path | None, typer.Option(help="File with several checks, such as checks.toml.")
    ] = None,
    service: ServiceName = None,
    metric: MetricName = None,
    judge_certificate: Annotated[
        Path | None,
        typer.Option(help="Certificate of the judge of --judge, whose scores then decide."),
    ] = None,
    judge_settings: JudgeSettings = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if there are not enough labels to tell.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="JUnit XML file to write.")] = None,
    summary: Annotated[
        Path | None,
        typer.Option(help="Markdown file to append to; by default that of GITHUB_STEP_SUMMARY."),
    ] = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Check whether a service holds what a release asks for: pass, fail or not enough labels.

    Exits with 0 if every check passes, 1 if one fails, 3 if there are not enough labels to tell
    (with --strict: 1).

    Example: [bold]assay check new.surface --min 0.8 --under mix.csv[/bold], or
    [bold]assay check my.assay --service new --not-worse-than old --by 0.02[/bold]
    """
    from accuracy_assay.cli.console import refuse_two_formats
    from accuracy_assay.cli.outputs import require_outputs
    from accuracy_assay.cli.session import is_store
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.study.read.open_rows import is_rows

    refuse_two_formats(as_json=as_json, as_markdown=as_markdown)
    summary = summary or _github_summary()
    inputs = [surface, under, checks, table.pool, session.seed_set]
    require_outputs({"JUnit file": junit, "summary": summary}, inputs)
    bars = {
        "min": least,
        "max_gap": max_gap,
        "no_slice_below": no_slice_below,
        "not_worse_than": not_worse_than,
    }
    options = {
        "by": by,
        "between": between,
        "every_arm": every_arm or None,
        "where": where,
        "under": under,
        "order": order,
        "confidence": confidence,
        "least_rows": least_rows,
    }
    asked = _asked(bars, options, checks)
    by_judge = {"judge_certificate": judge_certificate, "judge_settings": judge_settings}
    if is_store(surface):
        groups = (table, free, guesses, fit)
        refuse_for_assay("the check of an assay", *groups, metric=metric, **by_judge)
        with session.open(surface, table.pool_path) as assay:
            gate, checked = _of_assay(asked, assay, service)
    elif is_rows(surface):
        refuse_for_table("a check", session)
        own = read_rows(
            surface,
            *(table, free, guesses),
            what="a check of labelled rows",
            score=table.one_score(),
            service=service,
            metric=metric,
        )
        if judge_certificate is None:
            refuse_judge_alone(own)
            checked = _of_rows(own, table.pool, guesses, fit)
        else:
            by_slice = not all(each.is_of_whole for each in asked)
            given = (own, judge_certificate, judge_settings, table.pool, fit, service)
            checked = surface_by_judge(*given, by_slice=by_slice)
        gate = _of_surface(asked, checked)
    else:
        others = {"service": service, "metric": metric, "pool": table.pool}
        refuse_for_file(surface, table, free, guesses, fit, session, **others, **by_judge)
        checked = AccuracySurface.load(surface)
        gate = _of_surface(asked, checked)
    gate = replace(gate, strict=strict)
    title = f"assay check {_short(surface)}"
    written = _write(gate, checked, title, junit, summary)
    if as_markdown:
        _print_markdown(gate, checked, title)
    else:
        _show(gate, written, as_json=as_json)
    raise typer.Exit(_EXIT_CODES[gate.verdict])


@dataclass(frozen=True)
class _Asked:
    """The bars and options of one check, and the section of a file they come from."""

    bars: Mapping[Any, Any]
    options: Mapping[str, Any]
    name: str | None = None
    folder: Path = Path()
    section: str = ""

    @property
    def is_of_whole(self) -> bool:
        """Whether it asks about the accuracy of all rows as they are, and nothing else."""
        others = [value for bar, value in self.bars.items() if bar != "min"]
        others += [self.options["where"], self.options["under"]]
        return all(value is None for value in others)

    def requirements(self, space: AttributeSpace, older: _Older) -> list[Requirement]:
        """Return what is asked for, with the older surface and conditions as values."""
        from accuracy_assay.cli.parse import parse_conditions
        from accuracy_assay.errors import InputError
        from accuracy_assay.study.gate.requirement import requirements

        try:
            where, old = self.options["where"], self.bars["not_worse_than"]
            if isinstance(where, list):
                where = parse_conditions(where, space)
            elif where is not None:
                space.matches([], where)
            found = None if old is None else older(old, self.folder)
            bars = {**self.bars, "not_worse_than": found}
            return requirements(bars, {**self.options, "where": where}, self.name, old)
        except InputError as error:
            if not self.section:
                raise
            raise InputError(f"{self.section}: {error}") from None


def _asked(bars: Mapping[str, Any], options: Mapping[str, Any], file: Path | None) -> list[_Asked]:
    """Return the checks of the command line and of a file, unparsed."""
    from accuracy_assay.errors import InputError
    from accuracy_assay.spec.checks import read_checks

    asked = []
    if any(bar is not None for bar in bars.values()):
        asked.append(_Asked(bars, options))
    elif given := [key for key, value in options.items() if value is not None]:
        raise InputError(
            f"a check must have a bar such as --min 0.8; got {_as_options(given)} alone."
        )
    if file is not None:
        for i, section in enumerate(read_checks(file)):
            keys = section.model_dump()
            own = {bar: keys[bar] for bar in bars}
            rest = {key: keys[key] for key in options}
            where = f"[[check]] number {i + 1} in {file.name}"
            asked.append(_Asked(own, rest, section.name, file.absolute().parent, where))
    if not asked:
        raise InputError(
            f"a gate must have a check; got none. Give one of {_as_options(bars)}, or a file with "
            "--checks."
        )
    return asked


def _of_rows(
    asked: AskedRows, pool: str | None, guesses: GuessOptions, fit: FitOptions
) -> AccuracySurface:
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.study.estimate import estimate

    methods = fit.methods(calibration=guesses.calibration or "full")
    with remarks().status("fitting"):
        return estimate(asked.rows, asked.columns, pool=pool, **methods, seed=fit.seed)


def _of_surface(asked: Sequence[_Asked], surface: AccuracySurface) -> Gate:
    from accuracy_assay.study.gate.check import check_all

    made = [each.requirements(surface.space, _older_file) for each in asked]
    return check_all(surface, list(chain.from_iterable(made)))


def _of_assay(
    asked: Sequence[_Asked], assay: Assay, service: str | None
) -> tuple[Gate, AccuracySurface]:
    from accuracy_assay.cli.console import remarks
    from accuracy_assay.study.gate.check import check_all

    with remarks().status("fitting"):
        own = assay.spec.find_service(service).name

        def older(old: str, folder: Path) -> AccuracySurface | Comparison:
            known = [each.name for each in assay.spec.service]
            if old in known:
                return assay.compare([own, old])
            return _older_file(old, folder, known)

        made = chain.from_iterable(each.requirements(assay.space, older) for each in asked)
        surface = assay.surface(own)
        return check_all(surface, list(made), assay.labels_for(own)), surface


def _older_file(old: str, folder: Path, services: Sequence[str] = ()) -> AccuracySurface:
    from accuracy_assay.domain.surface import AccuracySurface
    from accuracy_assay.errors import InputError

    path = folder / old
    if not path.is_file():
        known = f", or one of the services {list(services)}" if services else ""
        raise InputError(f"not_worse_than must be a surface file{known}; got {old!r}.")
    return AccuracySurface.load(path)


def _github_summary() -> Path | None:
    """Return the file that a GitHub workflow shows on its page, if there is one."""
    named = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(named) if named else None


def _write(
    gate: Gate, surface: AccuracySurface, title: str, junit: Path | None, summary: Path | None
) -> list[Path]:
    """Write the files that were asked for."""
    from accuracy_assay.reports.gate_formats import add_summary, write_junit
    from accuracy_assay.reports.report import report_of

    written = [] if junit is None else [write_junit(gate, junit, title)]
    if summary is not None:
        written.append(add_summary(gate, summary, title, report_of(surface, title)))
    return written


def _print_markdown(gate: Gate, surface: AccuracySurface, title: str) -> None:
    from accuracy_assay.cli.console import print_markdown
    from accuracy_assay.reports.gate_formats import gate_markdown
    from accuracy_assay.reports.report import report_of

    print_markdown(gate_markdown(gate, title, report_of(surface, title)))


def _show(gate: Gate, written: Sequence[Path], *, as_json: bool) -> None:
    from accuracy_assay.cli.console import one_line, print_json, remark, results
    from accuracy_assay.reports.gate_formats import gate_table

    if as_json:
        print_json(gate.to_dict())
        return
    results().print(gate_table(gate))
    if written:
        remark(f"wrote {', '.join(map(one_line, written))}")


def _short(address: str) -> str:
    """Return the name of a surface or a store, without its folder or password."""
    return address.partition("?")[0].rpartition("/")[2] if "://" in address else Path(address).name


def _as_options(keys: Iterable[str]) -> str:
    return ", ".join(f"--{key.replace('_', '-')}" for key in keys)
