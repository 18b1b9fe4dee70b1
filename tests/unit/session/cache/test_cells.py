"""A session that goes by the cells of its pool is the session that goes by its rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.session.cache.cells import open_cells, write_cells
from accuracy_assay.session.instances import Instance, list_instances, predictions_of
from accuracy_assay.session.opinions import contested_rows

N = 480


def listed(
    assay: aa.Assay, where: dict[str, Any], *, labelled_only: bool = True
) -> list[Instance]:
    snapshots = assay.session.parts().snapshots
    return list_instances(snapshots, where, labelled_only=labelled_only)


def make_pool(rng: np.random.Generator) -> pl.DataFrame:
    truth = rng.choice(["cat", "dog"], N)
    said = {
        name: np.where(rng.random(N) < share, truth, "cat")
        for name, share in {"good": 0.9, "bad": 0.6}.items()
    }
    return pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N)],
            "sex": rng.choice(["f", "m"], N),
            "age": rng.integers(18, 80, N),
            **said,
            "sure": rng.random(N).round(2),
            "stars": rng.integers(1, 4, N),
            "speaker": rng.integers(0, 5, N),
            "text": [f"text of {i}" for i in range(N)],
            "label": truth,
        }
    )


GOOD, BAD = {"name": "good", "column": "good"}, {"name": "bad", "column": "bad"}
BASE: dict[str, Any] = {
    "attribute": [{"name": "sex"}, {"name": "age", "kind": "continuous", "edges": [30, 50]}],
    "service": [GOOD],
    "label": {"choices": ["cat", "dog"], "show": {"text": "text"}},
}
CASES: dict[str, dict[str, Any]] = {
    "prediction": {},
    "no signals": {"service": [GOOD | {"signals": []}]},
    "confidence": {"service": [GOOD | {"confidence": "sure"}]},
    "two services": {"service": [GOOD, BAD]},
    "judge": {"judge": [{"name": "stars", "column": "stars"}]},
    "leak": {"attribute": [{"name": "label"}, {"name": "sex"}]},
    "clusters": {"pool": {"cluster": "speaker"}},
    "population": {"assay": {"target": "population"}},
    "largest variance": {"assay": {"strategy": "largest-variance"}},
}


@pytest.fixture
def make(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Path, Path]]:
    """Return a function that makes two stores, of which the second keeps the cells."""
    pool = make_pool(rng)
    path, seed_path = tmp_path / "pool.parquet", tmp_path / "seed.parquet"
    pool.drop("label").write_parquet(path)
    pool[:30].with_columns(id=pl.col("id").replace("x3", "new")).write_parquet(seed_path)

    def both(*, has_seed: bool = False, **sections: Any) -> tuple[Path, Path]:
        if any(a["name"] == "label" for a in sections.get("attribute", [])):
            pool.write_parquet(path)
        methods = {"estimator": "beta-independent", "batch": 7, "budget": 90}
        strategy = {"name": "variance-reduction", "cover_labels": 0, "random_share": 0.0}
        assay = {"strategy": strategy, **methods, **sections.pop("assay", {})}
        tables = {"path": str(path), **sections.pop("pool", {})}
        tables |= {"seed_set": str(seed_path)} if has_seed else {}
        spec = BASE | {"assay": assay, "pool": tables} | sections
        stores = tmp_path / "rows.assay", tmp_path / "cells.assay"
        for store, least in zip(stores, (N + 1, 1), strict=True):
            monkeypatch.setattr("accuracy_assay.session.keeping._LEAST_ROWS", least)
            aa.Assay.create(store, spec).close()
        return stores

    return both


def play(store: Path, *, is_by_cells: bool) -> list[Any]:
    """Play two rounds, each in a session of its own, and return all that was seen.

    Which of the rows that are alike is asked for may differ, so the same ones are told.
    """
    truth = make_pool(np.random.default_rng(0)).select("id", "label").rows()
    seen: list[Any] = []
    for part in (truth[40:100:2], truth[101:160:2]):
        with aa.Assay.open(store) as assay:
            assert (assay.session.parts().snapshots.cells is not None) == is_by_cells
            batch = assay.ask(annotator="ann")
            assert batch["text"].to_list() == [f"text of {i[1:]}" for i in batch["id"]]
            seen.append(batch.select("arm", "why").to_dicts())
            assay.give_back(batch["id"], "ann")
            ids, labels = zip(*part, strict=True)
            assay.tell(ids, labels, "ann")
            assay.skip(["x200", "x201"], "ann")
    with aa.Assay.open(store) as assay:
        for service in assay.spec.service:
            seen.append(assay.surface(service.name).to_frame().to_dicts())
        seen.append([service.predicted for service in assay.status().services])
        seen.append([i.id for i in listed(assay, {assay.space.names[0]: batch_value(assay)})])
        seen.append(predictions_of(assay.session.parts().snapshots, ["x3", "x70"]))
        seen.append(assay.end("ann"))
    return seen


def batch_value(assay: aa.Assay) -> Any:
    """Return a value of the first attribute."""
    return assay.space.attributes[0].values[0]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("case", CASES)
def test_what_is_asked_and_estimated_is_the_same(
    make: Callable[..., tuple[Path, Path]], case: str
) -> None:
    rows, cells = make(**CASES[case])
    assert play(cells, is_by_cells=True) == play(rows, is_by_cells=False)


def test_a_seed_set_counts_in_both_and_its_rows_are_not_asked_for(
    make: Callable[..., tuple[Path, Path]],
) -> None:
    rows, cells = make(has_seed=True)
    by_cells = play(cells, is_by_cells=True)
    assert by_cells == play(rows, is_by_cells=False)
    with aa.Assay.open(cells) as assay:
        asked = set(assay.ask(80)["id"])
    assert not asked & {f"x{i}" for i in range(30) if i != 3}


def test_the_first_labels_cover_the_same_arms(make: Callable[..., tuple[Path, Path]]) -> None:
    strategy = {"name": "variance-reduction", "random_share": 0.0}
    rows, cells = make(assay={"strategy": strategy})
    arms = []
    for store in (rows, cells):
        with aa.Assay.open(store) as assay:
            arms.append(assay.ask(20)["arm"].to_list())
    assert arms[0] == arms[1]


def test_without_signals_the_very_rows_are_the_same(
    make: Callable[..., tuple[Path, Path]],
) -> None:
    asked = []
    for store in make(service=[GOOD | {"signals": []}]):
        with aa.Assay.open(store) as assay:
            asked.append([assay.ask(20, annotator=who)["id"].to_list() for who in ("ann", "bob")])
    assert asked[0] == asked[1]


@pytest.mark.parametrize(("strategy", "budget"), [("random", N), ("variance-reduction", 120)])
def test_no_row_is_asked_for_twice(
    make: Callable[..., tuple[Path, Path]], strategy: str, budget: int
) -> None:
    _, store = make(assay={"strategy": strategy, "budget": budget})
    with aa.Assay.open(store) as assay:
        asked = assay.ask(50)["id"].to_list()
        assert "tables" not in vars(
            assay.session.parts().rows
        )  # the texts to show are looked up in the file
        asked += assay.ask(budget)["id"].to_list()
        assert len(set(asked)) == len(asked) == budget
        assert assay.ask(1).height == 0


def test_a_pool_may_be_a_folder_of_files(
    make: Callable[..., tuple[Path, Path]], tmp_path: Path
) -> None:
    pool = pl.read_parquet(tmp_path / "pool.parquet")
    (tmp_path / "parts").mkdir()
    for part in range(3):
        pool[part * 160 : (part + 1) * 160].write_parquet(tmp_path / "parts" / f"{part}.parquet")
    rows, cells = make(pool={"path": str(tmp_path / "parts")})
    assert play(cells, is_by_cells=True) == play(rows, is_by_cells=False)
    with aa.Assay.open(cells) as assay:
        assay.ask(5)
        assert "tables" not in vars(assay.session.parts().rows)
    pool[:160].write_parquet(tmp_path / "parts" / "9.parquet")
    with pytest.raises(InputError, match="unique values"):
        aa.Assay.open(cells)


def test_texts_of_a_pool_that_changed_are_not_shown(
    make: Callable[..., tuple[Path, Path]], tmp_path: Path
) -> None:
    _, store = make()
    pool = pl.read_parquet(tmp_path / "pool.parquet")
    with aa.Assay.open(store) as assay:
        assert assay.ask(2).height == 2
        pool.reverse().write_parquet(tmp_path / "pool.parquet")
        with pytest.raises(InputError, match="stay as it is while"):
            assay.ask(2)


def test_other_commands_find_all_rows(make: Callable[..., tuple[Path, Path]]) -> None:
    found = []
    for store in make(service=[GOOD, BAD]):
        play(store, is_by_cells=store.name == "cells.assay")
        with aa.Assay.open(store) as assay:
            found.append(
                [
                    assay.measure("recall:cat", "good").to_frame().to_dicts(),
                    contested_rows(assay.session).to_dicts(),
                    [i.id for i in listed(assay, {}, labelled_only=False)],
                    assay.pool.height,
                ]
            )
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "sections",
    [
        {"service": [{"name": "own", "callable": "statistics:mean"}]},
        {"attribute": [{"name": "sex"}, {"name": "pet", "from_label": True}]},
        {"attribute": [{"name": "sex"}, {"name": "age"}, {"name": "sure", "values": [0, 1]}]},
    ],
)
def test_a_pool_that_has_no_cells_of_its_own_keeps_none(
    make: Callable[..., tuple[Path, Path]], sections: dict[str, Any]
) -> None:
    if "sure" in str(sections):
        sections = {"attribute": [{"name": "speaker"}, {"name": "stars"}, {"name": "age"}]}
    _, store = make(**sections)
    with aa.Assay.open(store) as assay:
        assert assay.session.parts().rows.kept is not None
        assert assay.session.parts().snapshots.cells is None


def test_ranks_count_the_rows_that_are_left(tmp_path: Path) -> None:
    space = AttributeSpace((Attribute("a", ("p", "q")),))
    strata = AttributeSpace((Attribute("s", ("u", "v", "w")),))
    rng = np.random.default_rng(2)
    arm, stratum = rng.integers(0, 2, 50), rng.integers(0, 2, 50)
    signals = pl.DataFrame({"sure": rng.random(50)})
    both = {"one": (strata, stratum), "two": (None, None)}
    card = write_cells(tmp_path, arm, both, [signals, pl.DataFrame()], 45)
    assert card is not None
    cells = open_cells(tmp_path, card, space)
    assert cells.n_kinds == cells.count.size == 4
    assert cells.signals["one"].take([49, 3], ["sure"]).equals(signals[[49, 3]])
    assert cells.signals["two"].columns == []
    kind = arm * 2 + stratum
    assert cells.kinds_of(np.arange(50)).tolist() == kind.tolist()
    assert cells.count.tolist() == np.bincount(kind[:45]).tolist()
    assert cells.strata["two"] == (None, None)
    space_of_one, of_kind = cells.strata["one"]
    assert space_of_one == strata
    assert of_kind.tolist() == [0, 1, 0, 1]
    taken = np.array([3, 4, 17, 30])
    left = {k: [r for r in range(45) if kind[r] == k and r not in taken] for k in range(4)}
    assert cells.left(taken).tolist() == [len(left[k]) for k in range(4)]
    kinds, ranks = [0, 0, 3, 0, 3], [2, 2, 0, 0, 1]
    expected = [left[k].pop(r) for k, r in zip(kinds, ranks, strict=True)]
    assert cells.locate(np.array(kinds), np.array(ranks), taken) == expected


def test_kinds_of_a_huge_space_are_numbered_in_the_order_of_their_arms(tmp_path: Path) -> None:
    attributes = tuple(Attribute(f"a{k}", tuple(range(10))) for k in range(16))
    arm = np.array([10**15, 5, 10**15, 10**15, 7] * 4)
    arm[17:] = [10**15, 7, 3]
    card = write_cells(tmp_path, arm, {}, [], 17)
    assert card is not None
    cells = open_cells(tmp_path, card, AttributeSpace(attributes))
    assert cells.arm.tolist() == [5, 7, 10**15, 3]  # what the pool does not have comes last
    assert cells.count.tolist() == [4, 3, 10, 0]
    assert cells.kinds_of(range(17, 20)).tolist() == [2, 1, 3]
    assert cells.n_kinds == 3


def test_kinds_that_are_nearly_as_many_as_rows_are_not_kept(tmp_path: Path) -> None:
    assert write_cells(tmp_path, np.arange(20) // 3, {}, [], 20) is None
    assert list(tmp_path.iterdir()) == []
    assert write_cells(tmp_path, np.arange(20) // 4, {}, [], 20) is not None
