"""``assay bench``: the paper's experiments, and ours, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accuracy_assay.bench.experiment import Experiment, Plan
    from accuracy_assay.bench.results_page import Section

__all__ = ["bench"]

_STATS, _SIMPLE, _ALL = "surface-stats", "simple-setting", "all"


def bench(
    name: Annotated[
        str,
        typer.Argument(
            help="estimation, exploration, calibration, parameterisation, surface-stats, "
            "simple-setting, or all."
        ),
    ],
    task: Annotated[list[str] | None, typer.Option(help="Task; repeat for several.")] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="Method, such as anova-gp+signals/variance-reduction@full; repeat."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(envvar="ASSAY_DATA", help="Folder with the tables of tasks.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds, from 0.")] = 3,
    labels: Annotated[
        list[int] | None, typer.Option(help="Labels, seed set included; repeat for a curve.")
    ] = None,
    seed_size: Annotated[int, typer.Option(help="Rows of the seed set.")] = 500,
    batch: Annotated[int, typer.Option(help="Labels a round, in exploration.")] = 50,
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("out/bench"),
    jobs: Annotated[int, typer.Option(help="Processes.")] = 2,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer methods and sizes.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat finished runs.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Markdown page to write, with figures beside it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Run a benchmark; what is finished is kept, so that a stopped one resumes.

    A method is an estimator, then +signals, /strategy and @calibration where wanted, or a preset.

    Example: [bold]assay bench estimation --task digits --labels 2000 --seeds 3[/bold]
    """
    from accuracy_assay.bench.experiment import Plan
    from accuracy_assay.bench.experiments import EXPERIMENTS
    from accuracy_assay.errors import UnknownNameError

    known = (*EXPERIMENTS, _STATS, _SIMPLE, _ALL)
    if name not in known:
        raise UnknownNameError("benchmark", name, known)
    plan = Plan(
        tuple(task) if task else None,
        tuple(method) if method else None,
        tuple(labels) if labels else None,
        seeds,
        seed_size,
        batch,
        is_quick=quick,
        has_data=data is not None,
    )
    sections: list[Section] = []
    for each in known[:-1] if name == _ALL else (name,):
        if each == _STATS:
            section = _run_stats(plan, data, out, as_json=as_json)
        elif each == _SIMPLE:
            section = _run_simple_setting(out, as_json=as_json)
        else:
            section = _run_experiment(
                EXPERIMENTS[each], plan, data, out, jobs, is_fresh=fresh, as_json=as_json
            )
        sections.append(section)
    if report is not None:
        _write_report(report, sections, name, plan)


def _run_experiment(
    experiment: Experiment,
    plan: Plan,
    data: Path | None,
    out: Path,
    jobs: int,
    *,
    is_fresh: bool,
    as_json: bool,
) -> Section:
    from accuracy_assay.bench.conduct import conduct
    from accuracy_assay.bench.sections import experiment_section
    from accuracy_assay.cli.bench_tables import experiment_tables
    from accuracy_assay.cli.console import print_json, remarks, results
    from accuracy_assay.cli.progress import steps

    with steps(experiment.name) as advance:
        outcome = conduct(
            experiment,
            plan,
            data=data,
            out=out,
            jobs=jobs,
            is_fresh=is_fresh,
            on_progress=advance,
        )
    section = experiment_section(experiment, outcome)
    if as_json:
        print_json(outcome.summary.to_dicts())
        return section
    for table in experiment_tables(experiment, outcome.summary):
        results().print(table)
    resumed = f" ({outcome.n_resumed} runs were finished before)" if outcome.n_resumed else ""
    remarks().print(f"wrote {', '.join(map(str, outcome.files))}{resumed}")
    return section


def _run_stats(plan: Plan, data: Path | None, out: Path, *, as_json: bool) -> Section:
    from dataclasses import asdict

    from accuracy_assay.bench.sections import stats_section
    from accuracy_assay.bench.stats_files import write_stats
    from accuracy_assay.bench.surface_stats import surface_stats
    from accuracy_assay.cli.bench_tables import stats_tables
    from accuracy_assay.cli.console import print_json, remarks, results
    from accuracy_assay.cli.progress import steps
    from accuracy_assay.tasks.registry import DATA_TASKS, load_task

    names = plan.tasks or ("digits", *(DATA_TASKS if plan.has_data else ()))
    stats = []
    with steps(_STATS) as advance:
        for done, name in enumerate(names):
            advance(done, len(names), name)
            stats.append(surface_stats(load_task(name, data)))
        advance(len(names), len(names), "")
    files = write_stats(stats, out)
    section = stats_section(stats, [path for path in files if path.suffix == ".png"])
    if as_json:
        print_json([asdict(s) | {"worst": s.worst.to_dicts()} for s in stats])
        return section
    for table in stats_tables(stats):
        results().print(table)
    remarks().print(f"wrote {', '.join(map(str, files))}")
    return section


def _run_simple_setting(out: Path, *, as_json: bool) -> Section:
    from accuracy_assay.bench.sections import simple_section
    from accuracy_assay.bench.simple_files import write_simple
    from accuracy_assay.bench.simple_setting import METHODS, fit_simple
    from accuracy_assay.cli.console import print_json, remarks, results
    from accuracy_assay.cli.progress import steps
    from accuracy_assay.cli.simple_tables import simple_rows, simple_tables

    fits = []
    with steps(_SIMPLE) as advance:
        for done, method in enumerate(METHODS):
            advance(done, len(METHODS), method)
            fits.append(fit_simple(method))
        advance(len(METHODS), len(METHODS), "")
    files = write_simple(fits, out)
    section = simple_section(fits, files[1:])
    if as_json:
        print_json(simple_rows(fits))
        return section
    for table in simple_tables(fits):
        results().print(table)
    remarks().print(f"wrote {', '.join(map(str, files))}")
    return section


def _write_report(path: Path, sections: Sequence[Section], name: str, plan: Plan) -> None:
    from accuracy_assay.bench.machine import describe_machine
    from accuracy_assay.bench.results_page import write_page
    from accuracy_assay.cli.console import remarks

    write_page(path, f"assay bench {name} {plan.as_options()}", describe_machine(), sections)
    remarks().print(f"wrote {path}")
