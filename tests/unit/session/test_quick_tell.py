"""Telling without tables records what a session would, or nothing at all."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.errors import AssayError, ConflictError, InputError
from accuracy_assay.session.quick_tell import Telling, quick_tell

POOL = pl.DataFrame(
    {"id": ["x1", "2.0", "x3", "x4"], "sex": ["f", "m"] * 2, "guess": ["cat", "dog"] * 2}
)
SPEC: dict[str, Any] = {
    "assay": {"estimator": "beta-independent", "strategy": "random", "budget": 9},
    "attribute": [{"name": "sex"}],
    "service": [{"name": "reader", "column": "guess"}],
    "label": {"choices": ["cat", "dog"]},
}


def create(folder: Path, **sections: Any) -> str:
    folder.mkdir(exist_ok=True)
    POOL.write_parquet(folder / "pool.parquet")
    store = str(folder / "s.assay")
    pool = {"path": str(folder / "pool.parquet")}
    aa.Assay.create(store, SPEC | {"pool": pool} | sections).close()
    return store


def tell(store: str, *answers: tuple[str, str], **options: Any) -> Telling | None:
    who = options.pop("annotator", "ann")
    return quick_tell(store, answers, who, is_trusted=lambda reach: not reach, **options)


def events(store: str) -> list[Any]:
    with aa.Assay.open(store) as assay:
        return [recorded.event for recorded in assay.session.events(2)]


CALLS: list[tuple[list[tuple[str, str]], dict[str, Any]]] = [
    ([("x1", "cat"), ("2", "DOG")], {}),
    ([("x1", "cat")], {}),
    ([("x1", "dog")], {}),
    ([("x1", "dog")], {"replace": True}),
    ([("x3", "cow")], {}),
    ([("nobody", "cat"), ("x3", "cow")], {}),
    ([("x3", "cat"), ("x3", "cat")], {}),
    ([("x3", "cat")], {"annotator": " "}),
    ([("x3", " cat ")], {"annotator": "bob"}),
]


def test_answers_and_mistakes_are_those_of_a_session(tmp_path: Path) -> None:
    quick, slow = create(tmp_path / "quick"), create(tmp_path / "slow")
    for answers, options in CALLS:
        who = options.get("annotator", "ann")
        is_replacing = options.get("replace", False)
        said: list[Any] = []
        try:
            told = tell(quick, *answers, annotator=who, is_replacing=is_replacing)
            assert told is not None
            said.append(told.new)
        except AssayError as error:
            said.append((type(error), str(error)))
        try:
            with aa.Assay.open(slow) as assay:
                ids, labels = zip(*answers, strict=True)
                said.append(assay.tell(ids, labels, who, replace=is_replacing))
        except AssayError as error:
            said.append((type(error), str(error)))
        assert said[0] == said[1], answers
    assert events(quick) == events(slow)
    assert len(events(quick)) == 3


def test_it_says_how_much_of_the_budget_is_used(tmp_path: Path) -> None:
    store = create(tmp_path)
    with aa.Assay.open(store) as assay:
        asked = assay.ask(2, annotator="ann")["id"]
    told = tell(store, (asked[0], "cat"))
    assert told == Telling(new=1, labels=1, spent=2, budget=9)


def test_labels_that_reveal_an_attribute_are_checked(tmp_path: Path) -> None:
    attribute = [{"name": "sex"}, {"name": "pet", "from_label": True, "values": ["cat", "dog"]}]
    store = create(tmp_path, attribute=attribute, label={})
    told = tell(store, ("x1", "cat"))
    assert told is not None
    assert told.new == 1
    assert tell(store, ("x3", "cow")) is None  # a session says what is wrong with it


@pytest.mark.parametrize("case", ["moved", "changed", "deleted", "name", "store", "reach"])
def test_nothing_is_done_where_it_takes_a_session(tmp_path: Path, case: str) -> None:
    agreement = {"agreement": "operator:eq"} if case == "reach" else {}
    store = create(tmp_path, label=SPEC["label"] | agreement)
    pool, name = tmp_path / "pool.parquet", None
    if case == "moved":
        pool.rename(tmp_path / "other.parquet")
    elif case == "changed":
        POOL.with_columns(guess=pl.lit("dog")).write_parquet(pool)
    elif case == "deleted":
        for file in Path(f"{store}.cache").glob("pool-*/*"):
            file.unlink()
    elif case == "name":
        name = "another"
    elif case == "store":
        store = str(tmp_path / "none.assay")
    assert tell(store, ("x1", "cat"), name=name) is None
    if case not in ("store", "moved", "changed"):
        assert events(str(tmp_path / "s.assay")) == []


def test_a_changed_pool_is_refused_also_once_it_is_kept(tmp_path: Path) -> None:
    store = create(tmp_path)
    POOL.with_columns(guess=pl.lit("dog")).write_parquet(tmp_path / "pool.parquet")
    with pytest.raises(InputError, match="other values in 'guess'"):
        aa.Assay.open(store)
    assert tell(store, ("x1", "cat")) is None


def test_an_edit_is_followed(tmp_path: Path) -> None:
    store = create(tmp_path)
    with aa.Assay.open(store) as assay:
        assay.edit({"assay": {"budget": 3}})
    told = tell(store, ("x1", "cat"))
    assert told is not None
    assert told.budget == 3
    with aa.Assay.open(store) as assay:
        assay.edit({"label": {"choices": ["cat", "dog", "cow"]}})
    told = tell(store, ("x3", "cow"))
    assert told is not None
    assert told.new == 1


def test_a_conflict_writes_nothing(tmp_path: Path) -> None:
    store = create(tmp_path)
    tell(store, ("x1", "cat"))
    with pytest.raises(ConflictError, match="must stay 'cat'"):
        tell(store, ("x3", "cat"), ("x1", "dog"))
    assert len(events(store)) == 1


def test_no_large_library_is_loaded(tmp_path: Path) -> None:
    store = create(tmp_path)
    code = (
        "import sys; sys.argv = ['assay', 'tell', sys.argv[1], 'x1=cat']; "
        "from accuracy_assay.cli import main; main(); "
        "large = {'numpy', 'polars', 'pydantic', 'rich', 'scipy', 'sqlalchemy', 'typer'}; "
        "print(large & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, store], capture_output=True, text=True, check=True
    )
    said = "1 new answer; 1 instance labelled, 0 of a budget of 9 used\nset()\n"
    assert done.stdout == said
