"""``assay bench``: the paper's experiments, and ours, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accuracy_assay.cli.options import Device, EngineName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay_bench.experiments import Experiment, Selection
    from assay_bench.page import Section

__all__ = ["bench"]

_STATS, _SIMPLE, _ALL = "surface-stats", "simple-setting", "all"
_WITH: Mapping[str, tuple[str, ...]] = {
    "judges": ("judge-certificates", "judge-prices"),
}
"""Studies that belong to a benchmark and are run after it."""
_COVERAGE = "coverage"
"""It has a page of its own."""


def bench(
    name: Annotated[
        str,
        typer.Argument(
            help="estimation, exploration, calibration, parameterisation, scale, deep-kernel, "
            "larger-space, surface-stats, simple-setting; all is all of these. Our own, which "
            "start from nothing: coverage, referees, judges (with judge-certificates and "
            "judge-prices), annotators, many-services, over-time."
        ),
    ],
    task: Annotated[
        list[str] | None,
        typer.Option(help="Task to run on: name, .toml file or module:function; repeat."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Method to compare, such as anova-gp+signals/variance-reduction; repeat."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(envvar="ASSAY_DATA", help="Folder with the tables that do not ship."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Number of seeds, counted from 0; 3 by default, 20 in coverage, 8 in referees.",
            show_default=False,
        ),
    ] = None,
    labels: Annotated[
        list[int] | None, typer.Option(help="Labels to compare at, seed set included; repeat.")
    ] = None,
    seed_size: Annotated[
        int, typer.Option(help="Rows of the seed set; coverage and referees have none.")
    ] = 500,
    batch: Annotated[int, typer.Option(help="Labels per round, in exploration.")] = 50,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("out/bench"),
    jobs: Annotated[int, typer.Option(help="Number of processes.")] = 2,
    engine: EngineName = "local",
    device: Device = "auto",
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer tasks and methods, smaller sizes.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat finished runs too.")] = False,
    finished: Annotated[
        bool,
        typer.Option("--finished", help="Run nothing: show what is finished, say what is not."),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Markdown page to write, of all benchmarks that ran in that folder."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Run a benchmark; if it is stopped, the same command goes on where it was.

    A method is an estimator, then +signals, +referees, /strategy and @calibration where wanted,
    or a preset.

    Example: [bold]assay bench estimation --task digits --labels 2000 --seeds 3[/bold]
    """
    from dataclasses import replace

    from accuracy_assay.cli.console import one_line, remark
    from accuracy_assay.cli.outputs import make_folder, require_outputs
    from accuracy_assay.cli.session import find_working_folder
    from accuracy_assay.errors import UnknownNameError
    from assay_bench.experiments import EXPERIMENTS, Selection
    from assay_bench.page import save_section, write_page
    from assay_bench.provenance import describe_machine, describe_origin
    from assay_bench.studies import STUDIES

    find_working_folder()
    known = (*EXPERIMENTS, *STUDIES, _STATS, _SIMPLE, _ALL)
    if name not in known:
        raise UnknownNameError("benchmark", name, known)
    selection = Selection(
        tuple(task) if task else None,
        tuple(method) if method else None,
        tuple(labels) if labels else None,
        seeds,
        seed_size,
        batch,
        is_quick=quick,
        has_data=data is not None,
    )
    make_folder(out)
    if report is not None:
        make_folder(report.parent, "folder of the results page")
        require_outputs({"results page": report})
    papers = [each for each, experiment in EXPERIMENTS.items() if experiment.has_seed_set]
    for each in (
        (*papers, _STATS, _SIMPLE)
        if name == _ALL
        else (
            name,
            *_WITH.get(name, ()),
        )
    ):
        if each == _STATS:
            section = _run_stats(task or (), data, out, as_json=as_json)
        elif each == _SIMPLE:
            section = _run_simple_setting(out, as_json=as_json)
        elif each in STUDIES:
            section = _run_study(each, data, seeds, labels, out, as_json=as_json)
        else:
            section = _run_experiment(
                EXPERIMENTS[each],
                selection,
                data,
                out,
                jobs,
                engine=engine,
                is_fresh=fresh,
                finished_only=finished,
                as_json=as_json,
            )
        made_by = f"assay bench {each} {_options(each, selection)}".strip()
        origin = section.origin or describe_origin()
        save_section(replace(section, command=made_by, origin=origin), each, out)
    if report is not None:
        is_coverage = name == _COVERAGE
        template = _COVERAGE if is_coverage else "results"
        shown = [each for each in known if is_coverage == (each == _COVERAGE)]
        write_page(report, out, shown, describe_machine(), template)
        remark(f"wrote {one_line(report)}")


def _options(name: str, selection: Selection) -> str:
    """Return those of the options that the benchmark ``name`` listens to."""
    from dataclasses import replace

    from assay_bench.experiments import EXPERIMENTS, Selection

    if name in EXPERIMENTS:
        return selection.as_options(from_nothing=not EXPERIMENTS[name].has_seed_set)
    heard = Selection(has_data=selection.has_data)
    if name == _STATS:
        heard = replace(heard, tasks=selection.tasks)
    elif name != _SIMPLE:
        heard = replace(heard, seeds=selection.seeds, labels=selection.labels)
    return heard.as_options(from_nothing=True)


def _run_experiment(
    experiment: Experiment,
    selection: Selection,
    data: Path | None,
    out: Path,
    jobs: int,
    *,
    engine: str,
    is_fresh: bool,
    finished_only: bool,
    as_json: bool,
) -> Section:
    from accuracy_assay.cli.console import print_json, remark, steps
    from assay_bench.conduct import conduct, has_finished_draw
    from assay_bench.sections import experiment_section, unfinished_section

    if finished_only and not has_finished_draw(experiment, selection, out):
        remark(f"nothing of {experiment.name} is finished")
        return unfinished_section(experiment)
    with steps(experiment.name) as advance:
        outcome = conduct(
            experiment,
            selection,
            data=data,
            out=out,
            jobs=jobs,
            engine=engine,
            is_fresh=is_fresh,
            finished_only=finished_only,
            on_progress=advance,
        )
    section = experiment_section(experiment, outcome)
    if as_json:
        print_json(outcome.summary.to_dicts())
        return section
    _show(section, outcome.files)
    if outcome.n_resumed:
        remark(f"{outcome.n_resumed} runs were finished before")
    return section


def _run_stats(tasks: Sequence[str], data: Path | None, out: Path, *, as_json: bool) -> Section:
    from dataclasses import asdict

    from accuracy_assay.cli.console import print_json, steps
    from assay_bench.sections import stats_section
    from assay_bench.surface_stats import task_stats, write_stats

    with steps(_STATS) as advance:
        stats = task_stats(tasks, data, advance)
    files = write_stats(stats, out)
    section = stats_section(stats, files[-1:])
    if as_json:
        print_json([asdict(s) | {"worst": s.worst.to_dicts()} for s in stats])
    else:
        _show(section, files)
    return section


def _run_simple_setting(out: Path, *, as_json: bool) -> Section:
    from accuracy_assay.cli.console import print_json, steps
    from assay_bench.sections import simple_section
    from assay_bench.simple_setting import fit_variants, write_simple

    with steps(_SIMPLE) as advance:
        fits = fit_variants(advance)
    files = write_simple(fits, out)
    section = simple_section(fits, files[1:])
    if as_json:
        print_json([fit.to_dict() for fit in fits])
    else:
        _show(section, files)
    return section


def _run_study(
    name: str,
    data: Path | None,
    n_draws: int | None,
    labels: Sequence[int] | None,
    out: Path,
    *,
    as_json: bool,
) -> Section:
    from accuracy_assay.cli.console import print_json, steps
    from assay_bench.studies import load_study, study_section, write_draws

    study = load_study(name)
    with steps(name) as advance:
        draws = study.draw(data, n_draws or study.n_draws, tuple(labels or study.labels), advance)
    files = write_draws(name, draws, out)
    section = study_section(name, study, draws)
    if as_json:
        print_json(draws.to_dicts())
    else:
        _show(section, files)
    return section


def _show(section: Section, files: Sequence[Path]) -> None:
    """Print a section of the page of results, and which files were written."""
    from rich.text import Text

    from accuracy_assay.cli.console import one_line, remark, results, text_table

    console = results()
    console.print(Text(section.title, style="bold"))
    for table in section.tables:
        if table.is_for_page:
            continue
        console.print(Text(table.title, style="bold"))
        console.print(text_table(table.columns, table.rows))
    if section.words:
        console.print(Text(section.words))
    remark(f"wrote {', '.join(map(one_line, files))}")
