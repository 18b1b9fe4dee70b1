from collections.abc import Iterator
from pathlib import Path

import pytest
from entry_points import install

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.runtime.imports import installed
from accuracy_assay.tasks.registry import GROUP, load_task

OUTSIDE = """
import polars as pl
from accuracy_assay.tasks.task import Task

def toy(rows=2, data=None):
    frame = pl.DataFrame({"id": range(rows), "a": ["x"] * rows, "p_a__x": [1.0] * rows})
    frame = frame.with_columns(pl.lit(1).alias("correct"))
    return Task("any", str(data), frame, ("a",), evidence={"a": "p_a__*"})

def wrong():
    return 3
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    points = {GROUP: {"toy": "outside_tasks:toy", "synthetic": "outside_tasks:wrong"}}
    install(tmp_path, monkeypatch, "outside_tasks", OUTSIDE, points)
    yield
    installed.cache_clear()


def test_settings_follow_a_colon() -> None:
    task = load_task("synthetic:rows=300,attributes=2,distance=1.5")
    assert task.n_rows == 300
    assert task.evidence == {"a1": "p_a1__*", "a2": "p_a2__*"}
    assert task.name == "synthetic:rows=300,attributes=2,distance=1.5"


def test_known_leaves_only_what_the_label_reveals_hidden() -> None:
    task = load_task("digits-known:n_rows=500")
    assert (task.name, task.evidence, task.from_label) == (
        "digits-known:n_rows=500",
        {},
        ("digit",),
    )


def test_exact_hands_over_the_gold_attributes() -> None:
    task = load_task("synthetic-exact:rows=300,attributes=2,distance=1.5")
    assert task.evidence == {}
    assert task.from_label == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("magic", "got 'magic'"),
        ("synthetic:size=3", "got 'size'"),
        ("synthetic:rows=many", "setting 'rows' must be a number; got 'many'"),
    ],
)
def test_a_wrong_name_or_setting_is_named(name: str, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message):
        load_task(name)


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("name", ["toy", "outside_tasks:toy"])
def test_a_function_of_another_package_is_a_task(name: str) -> None:
    task = load_task(name, Path("tables"))
    assert (task.name, task.n_rows, task.description) == (name, 2, "tables")
    assert load_task(f"{name}:rows=5").n_rows == 5
    exact = load_task(f"{name}-exact:rows=5")
    assert (exact.n_rows, exact.evidence) == (5, {})


@pytest.mark.usefixtures("outside")
def test_our_own_task_comes_before_that_of_a_package() -> None:
    assert load_task("synthetic:rows=300").n_rows == 300


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("toi", r"got 'toi'. Did you mean 'toy'\?.* module:function"),
        ("toy:size=3", "setting of task 'toy' .* got 'size'"),
        ("toy:rows=2.5x", "setting 'rows' must be a number; got '2.5x'"),
        ("outside_tasks:wrong", "'outside_tasks:wrong' must return a Task; got int"),
        ("outside_tasks:tyo", r"has no 'tyo'. Did you mean 'toy'\?"),
        ("outside_tasks:OUTSIDE", "has no 'OUTSIDE'"),
        ("outside_tasks:__name__", "must be a function; got 'outside_tasks'"),
        ("digits:rows", r"setting of task 'digits' must be one of \[seed, n_rows\]; got 'rows'"),
        (
            "outside_tasks:wrong:rows=2",
            "'outside_tasks:wrong' must have no settings; got 'rows=2'",
        ),
    ],
)
def test_a_task_that_cannot_be_is_refused_with_the_reason(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_task(name)
