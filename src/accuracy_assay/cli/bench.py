"""``assay bench``: the paper's experiments, and ours, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from accuracy_assay.bench.experiment import Experiment, Plan

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
    for each in known[:-1] if name == _ALL else (name,):
        if each == _STATS:
            _run_stats(plan, data, as_json=as_json)
        elif each == _SIMPLE:
            _run_simple_setting(as_json=as_json)
        else:
            _run_experiment(
                EXPERIMENTS[each], plan, data, out, jobs, is_fresh=fresh, as_json=as_json
            )


def _run_experiment(
    experiment: Experiment,
    plan: Plan,
    data: Path | None,
    out: Path,
    jobs: int,
    *,
    is_fresh: bool,
    as_json: bool,
) -> None:
    from accuracy_assay.bench.conduct import conduct
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
    if as_json:
        print_json(outcome.summary.to_dicts())
        return
    for table in experiment_tables(experiment, outcome.summary):
        results().print(table)
    resumed = f" ({outcome.n_resumed} runs were finished before)" if outcome.n_resumed else ""
    remarks().print(f"wrote {', '.join(map(str, outcome.files))}{resumed}")


def _run_stats(plan: Plan, data: Path | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from accuracy_assay.bench.surface_stats import surface_stats
    from accuracy_assay.cli.bench_tables import stats_tables
    from accuracy_assay.cli.console import print_json, results
    from accuracy_assay.tasks.registry import DATA_TASKS, load_task

    names = plan.tasks or ("digits", *(DATA_TASKS if plan.has_data else ()))
    stats = [surface_stats(load_task(name, data)) for name in names]
    if as_json:
        print_json([asdict(s) | {"worst": s.worst.to_dicts()} for s in stats])
        return
    for table in stats_tables(stats):
        results().print(table)


def _run_simple_setting(*, as_json: bool) -> None:
    from accuracy_assay.bench.simple_setting import METHODS, fit_simple
    from accuracy_assay.cli.console import print_json, results
    from accuracy_assay.cli.progress import steps
    from accuracy_assay.cli.simple_tables import simple_rows, simple_tables

    fits = []
    with steps(_SIMPLE) as advance:
        for done, method in enumerate(METHODS):
            advance(done, len(METHODS), method)
            fits.append(fit_simple(method))
        advance(len(METHODS), len(METHODS), "")
    if as_json:
        print_json(simple_rows(fits))
        return
    for table in simple_tables(fits):
        results().print(table)
