import io

from gate_world import make_check, make_gate
from rich.console import Console

from accuracy_assay.reports.checks import Gate
from accuracy_assay.reports.terminal_checks import gate_table


def show(gate: Gate) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(gate_table(gate))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_every_check_is_shown_with_its_verdict_and_the_gate_last() -> None:
    shown = show(make_gate())
    for verdict in ("pass", "not enough labels", "fail"):
        assert f"{verdict.upper()}: accuracy of at least 80.0%" in shown
    assert shown.count("the whole pool 81.0%") == 3
    assert shown.rstrip().endswith("the gate: fail (3 checks, 600 labels)")


def test_a_check_without_a_name_is_not_told_twice() -> None:
    check = make_check("pass", "accuracy of at least 80.0%")
    assert show(make_gate(check)).count("accuracy of at least") == 1


def test_names_are_never_read_as_markup() -> None:
    assert "[bold]x[/bold] \\x1b" in show(make_gate(make_check("fail", "[bold]x[/bold] \x1b")))
