import pytest

from accuracy_assay.bench.method import parse_method
from accuracy_assay.bench.run import Run, perform
from accuracy_assay.errors import InputError

TASK = "synthetic:rows=2000,attributes=2,values=3"


def run(**changes: object) -> Run:
    settings = {
        "task": TASK,
        "method": parse_method("beta-independent/largest-variance"),
        "seed": 0,
        "mode": "sizes",
        "sizes": (100, 250, 400),
        "seed_size": 100,
        "batch": 50,
    }
    return Run(**(settings | changes))  # type: ignore[arg-type]


def test_sizes_are_the_wanted_ones_in_order() -> None:
    assert [row["labels"] for row in perform(run(), None)] == [100, 250, 400]


def test_a_size_alone_gives_one_row() -> None:
    assert [row["labels"] for row in perform(run(sizes=(400,)), None)] == [400]


def test_rounds_go_on_to_the_last_size() -> None:
    rows = perform(run(mode="rounds", sizes=(220,)), None)
    assert [row["labels"] for row in rows] == [100, 150, 200, 220]


def test_the_same_run_gives_the_same_errors_and_another_seed_others() -> None:
    first, again, other = (perform(r, None)[-1]["macro_mse"] for r in (run(), run(), run(seed=1)))
    assert first == again
    assert first != other


def test_signals_are_used_only_when_named() -> None:
    without, with_them = (
        perform(run(method=parse_method(name), sizes=(400,)), None)[0]
        for name in ("eb-regression", "eb-regression+signals")
    )
    assert without["labels"] == with_them["labels"]
    assert without["macro_mse"] != with_them["macro_mse"]


def test_fewer_labels_than_the_seed_set_are_refused() -> None:
    with pytest.raises(InputError, match=r"seed set of 100; got \[50\]"):
        run(sizes=(50,))
