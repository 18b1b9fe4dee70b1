"""``assay demo``: a whole assay on real images, without any download."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]

_OF_QUICK = ("quick", "out", "as_json")
"""Options that the quick demonstration has."""


def demo(
    context: typer.Context,
    quick: Annotated[
        bool,
        typer.Option(
            help="Answer within seconds, from 6,000 rows that ship with the package: what a "
            "classifier says about people's income."
        ),
    ] = False,
    method: Annotated[
        str | None,
        typer.Option(
            help="Method to show, such as aaa-2021 or beta-independent/largest-variance."
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Method to compare with; repeat (default: random labels, and the paper's method)."
        ),
    ] = None,
    budget: Annotated[int, typer.Option(help="Labels to ask for after the seed set.")] = 600,
    seed_size: Annotated[int, typer.Option(help="Rows of the seed set.")] = 500,
    batch: Annotated[int, typer.Option(help="Labels per round.")] = 25,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
    guessed: Annotated[
        bool,
        typer.Option(help="Have predictors guess the attributes instead of knowing them."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the page and the surface (default: out/demo, or out/quick)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the metrics, or the surface, as JSON.")
    ] = False,
) -> None:
    """Assay a digit reader on turned, thinned, noisy and covered digits.

    Shows where it fails, next to the truth, and how fast the error falls compared with random
    labels. Writes a page, a picture, a surface file and the rows.

    Example: [bold]assay demo --quick[/bold], or [bold]assay demo --budget 300 --out demo[/bold]
    """
    if quick:
        _refuse_others(context)
        _show_quick(out or Path("out/quick"), as_json=as_json)
        return
    out = out or Path("out/demo")
    from accuracy_assay.cli.console import one_line, print_json, remark, results, steps
    from accuracy_assay.cli.outputs import make_folder
    from accuracy_assay.cli.session import find_working_folder
    from accuracy_assay.demo.run import default_method, default_rivals, run_demo
    from accuracy_assay.demo.store import write_demo_assay
    from accuracy_assay.files.tables import write_csv
    from accuracy_assay.files.whole_file import whole_file
    from accuracy_assay.reports.page import write_page
    from accuracy_assay.reports.picture import write_picture
    from accuracy_assay.reports.terminal import (
        curves_table,
        slices_table,
        summary,
        weak_table,
    )

    find_working_folder()
    make_folder(out)
    method = method or default_method(guessed)
    remark("making the pool: 24,000 transformed digits, their service and predictors ...")
    rivals = default_rivals(method) if against is None else against
    with steps("labels") as advance:
        every, met = (1 + len(rivals)) * budget, dict[str, int]()
        advance(0, every, f"the first fit of {method}; it compiles")

        def show(name: str, row: Mapping[str, float]) -> None:
            finished = met.setdefault(name, len(met)) * budget + int(row["labels"]) - seed_size
            advance(finished, every, f"macro MSE {row['macro_mse']:.2f}  {name}")

        outcome = run_demo(
            method,
            rivals,
            budget=budget,
            seed_size=seed_size,
            batch=batch,
            seed=seed,
            use_predictors=guessed,
            on_round=show,
        )
    report, history = outcome.report, outcome.history
    history.surface.save(out / "digits.surface")
    write_csv(history.metrics, out / "metrics.csv")
    with whole_file(out / "rows.parquet", "rows") as file:
        outcome.task.rows.write_parquet(file)
    page = write_page(report, out / "report.html")
    picture = write_picture(report, out / "surface.png")
    store = write_demo_assay(outcome.task, history, out, seed)
    if as_json:
        print_json({name: curve.to_dicts() for name, curve in report.curves.items()})
        return
    console = results()
    parts = (summary, slices_table, weak_table, curves_table)
    for part in (show_part(report) for show_part in parts):
        console.print(part)
        console.print()
    console.print(
        f"Open {one_line(page)}; the picture is {one_line(picture)}, the surface "
        f"{one_line(out / 'digits.surface')}.",
        soft_wrap=True,
    )
    if store is not None:
        console.print("Label some yourself, and watch the surface change:", soft_wrap=True)
        console.print(
            f"  {_command('serve', str(store))}", soft_wrap=True, markup=False, highlight=False
        )


def _refuse_others(context: typer.Context) -> None:
    """Refuse options of the long demonstration, which the quick one would ignore."""
    from accuracy_assay.errors import InputError

    for name in context.params:
        source = context.get_parameter_source(name)
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and name not in _OF_QUICK:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"assay demo --quick must have no {option}; got one. Leave it out.")


def _show_quick(out: Path, *, as_json: bool) -> None:
    """Estimate, write the files, and show the verdict and what to do next."""
    from accuracy_assay.cli.console import one_line, print_json, remarks, results
    from accuracy_assay.cli.outputs import make_folder
    from accuracy_assay.cli.surface import surface_values
    from accuracy_assay.reports.terminal import slices_table, summary

    make_folder(out)
    with remarks().status("fitting 6,000 rows that ship with the package; the first run compiles"):
        from accuracy_assay.demo.quick import ATTRIBUTES, run_quick
        from accuracy_assay.files.whole_file import whole_file
        from accuracy_assay.reports.page import write_page
        from accuracy_assay.reports.picture import write_picture

        outcome = run_quick()
        report = outcome.report
        tables = {"labelled.parquet": outcome.labelled, "pool.parquet": outcome.pool}
        for name, table in tables.items():
            with whole_file(out / name, "rows") as file:
                table.write_parquet(file)
        surface = out / "adult.surface"
        report.surface.save(surface)
        page = write_page(report, out / "report.html")
        picture = write_picture(report, out / "surface.png")
    if as_json:
        files = [page, picture, surface, *(out / name for name in tables)]
        print_json(surface_values(report.surface, 20) | {"files": list(map(str, files))})
        return
    console = results()
    console.print(summary(report))
    console.print()
    console.print(slices_table(report))
    again: list[str | Path] = [word for name in ATTRIBUTES for word in ("-a", name)]
    again += ["--score", "correct", "--pool", out / "pool.parquet"]
    next_steps = {
        f"Open {one_line(page)}; the picture is {one_line(picture)}.": None,
        "Ask the surface:": ["query", surface, "sex=Female", "marital=married"],
        "Estimate it again:": ["surface", out / "labelled.parquet", *again],
        "With a table or an evaluation log of yours (in Python: aa.look, aa.read_log):": [
            "look",
            "TABLE",
        ],
    }
    console.print()
    for said, words in next_steps.items():
        console.print(said, soft_wrap=True)
        if words is not None:
            console.print(f"  {_command(*words)}", soft_wrap=True)


def _command(*words: str | Path) -> str:
    """Return a command as it can be typed, with the program that runs now."""
    import shlex
    import sys
    from shutil import which

    running = sys.argv[0]
    if Path(running).name == "__main__.py":
        program = [sys.executable, "-m", "accuracy_assay"]
    elif Path(running).name != "assay" or which("assay") == running:
        program = ["assay"]
    else:
        program = [running]
    return shlex.join([*program, *map(str, words)])
