"""A session counts a judge that scored only some rows as ``estimate`` does."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.session.opinions import judge_report
from accuracy_assay.session.part_judges import opinions_of
from accuracy_assay.storage.memory import MemoryStore
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.reader import read

N, LABELS = 600, 120
SPEC: dict[str, Any] = {
    "assay": {"strategy": "random", "budget": 1_000, "estimator": "beta-independent"},
    "attribute": [{"name": "kind"}, {"name": "size"}],
    "service": [{"name": "own", "column": "said"}],
    "judge": [{"name": "llm", "column": "llm"}],
    "label": {"choices": ["right", "wrong"]},
}
DEFAULT = {"strategy": "random", "budget": 1_000}


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    """Return rows whose judge is right in 85% of them, and has scored every second."""
    right = rng.random(N) < 0.7
    llm = np.where(rng.random(N) < 0.85, right, ~right).astype(float)
    return pl.DataFrame(
        {
            "id": [f"q{i}" for i in range(N)],
            "kind": rng.choice(["a", "b"], N),
            "size": rng.choice(["s", "m", "l"], N),
            "said": "right",
            "truth": np.where(right, "right", "wrong"),
            "llm": llm,
        }
    ).with_columns(llm=pl.when(pl.int_range(N) % 2 == 0).then("llm"))


def session(rows: pl.DataFrame, labels: int = LABELS, **others: Any) -> aa.Assay:
    assay = aa.Assay.create(MemoryStore(), {**SPEC, **others}, pool=rows.drop("truth"))
    if labels:
        assay.tell(rows["id"][:labels], rows["truth"][:labels], annotator="ann")
    return assay


def estimated(assay: aa.Assay, *judges: str, **others: Any) -> aa.AccuracySurface:
    call = {"judges": judges, "target": "pool", "estimator": "beta-independent", **others}
    return aa.estimate(assay.judged_rows(), ["kind", "size"], "people", **call)


def same(one: aa.AccuracySurface, other: aa.AccuracySurface) -> None:
    for name in ("mean", "lower", "upper"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9)
        assert getattr(one.overall, name) == pytest.approx(getattr(other.overall, name), abs=1e-9)


def test_its_surface_is_that_of_the_same_rows(rows: pl.DataFrame) -> None:
    assay = session(rows, assay=DEFAULT)
    found = assay.surface()
    same(found, estimated(assay, "llm", estimator="anova-gp"))
    assert found.said_of_rows == (
        "the judge 'llm of own' scored 300 of 600 rows; the others count as rows like them",
    )


def test_several_judges_and_another_signal_count_too(rows: pl.DataFrame) -> None:
    sure = pl.Series("sure", np.random.default_rng(1).random(N))
    both = rows.with_columns(
        sure,
        bot=pl.when(pl.int_range(N) % 3 > 0).then(pl.lit("good")),
        all=pl.when(sure < 0.4).then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    is_bad = pl.int_range(N) % 7 == 0
    both = both.with_columns(bot=pl.when(is_bad).then(pl.lit("bad")).otherwise("bot"))
    judges = [{"name": name, "column": name} for name in ("bot", "all", "llm")]
    service = [{"name": "own", "column": "said", "confidence": "sure"}]
    assay = session(both, judge=judges, service=service)
    columns = Columns(("kind", "size"), "people", signals=("sure",), judges=("bot", "all", "llm"))
    table = read(columns, assay.judged_rows().with_columns(sure), None, How.of()).problem.support
    parts = assay.session.parts()
    solved = parts.fits.cold(assay.spec.service[0]).solved
    own = solved.problem.support
    assert own.cells.tolist() == table.cells.tolist()
    assert own.size.tolist() == table.size.tolist()
    assert own.others == pytest.approx(table.others)
    assert solved.judged.scored == {"bot of own": 429, "llm of own": 300}


def test_it_counts_once_it_has_scored_enough(rows: pl.DataFrame) -> None:
    few = rows.with_columns(llm=pl.when(pl.int_range(N) % 10 == 0).then("llm"))
    assay = session(few)
    assert assay.surface().part_judged is None
    with pytest.raises(aa.AssayError, match="a quarter of the labelled rows; got 12 of 120"):
        estimated(assay, "llm")
    only = rows.with_columns(llm=pl.when(pl.int_range(N) < LABELS).then("llm"))
    with pytest.raises(aa.AssayError, match="more rows than have labels; got 60 and 120"):
        estimated(session(only), "llm")
    assert session(only).surface().part_judged is None
    assert session(rows, labels=0).surface().part_judged is None


def test_questions_are_chosen_by_it(rows: pl.DataFrame) -> None:
    assay = session(rows, assay={"budget": 1_000})
    assert len(assay.ask(5)) == 5


def test_a_new_opinion_makes_a_new_surface(
    rows: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def judge(rows): return [float(int(row['id'][1:]) % 3 > 0) for row in rows]\n"
    (tmp_path / "third_judge.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    judge = [{"name": "llm", "callable": "third_judge:judge"}]
    assay = session(rows.drop("llm"), judge=judge, assay=DEFAULT)
    before = assay.surface()
    assert assay.judge(limit=300) == 300
    after = assay.surface()
    assert after.overall != before.overall
    same(after, estimated(assay, "llm", estimator="anova-gp"))
    assert assay.judge() == 300
    assert assay.surface().part_judged is None


def test_where_rows_cannot_be_compared_it_must_score_every_row(rows: pl.DataFrame) -> None:
    grouped = rows.with_columns(group=pl.int_range(N) // 4)
    pool = {"cluster": "group"}
    found, without = (session(grouped, pool=pool, judge=j) for j in (SPEC["judge"], []))
    assert found.surface().part_judged is None
    assert found.surface().overall == without.surface().overall


def test_its_report_is_about_the_rows_that_it_has_scored(rows: pl.DataFrame) -> None:
    assay = session(rows)
    found = judge_report(assay.session)
    table = assay.judged_rows().rename({"llm": "llm of own"})
    call = {"judges": ["llm of own"], "target": "pool", "estimator": "beta-independent"}
    of_table = aa.judge_report(table, ["kind", "size"], "people", **call)
    assert found.judges["labels"].to_list() == [LABELS // 2]
    for name in ("values", "arms"):
        one, other = getattr(found, name), getattr(of_table, name)
        keys = [c for c in one.columns if one[c].dtype == pl.String]
        one, other = one.sort(keys), other.sort(keys)
        assert one["bias"].to_numpy() == pytest.approx(other["bias"].to_numpy(), abs=0.02)
    assert assay.status().judges[0].judged == N // 2


def test_a_seed_set_without_its_opinions_does_not_leave_it_out(rows: pl.DataFrame) -> None:
    every = rows.with_columns(llm=pl.col("llm").fill_null(1.0))
    seed = every[:60].drop("llm").with_columns(label="truth")
    spec = {**SPEC, "label": {**SPEC["label"], "column": "label"}}
    pool = every[60:].drop("truth")
    assay = aa.Assay.create(MemoryStore(), spec, pool=pool, seed_set=seed)
    assay.tell(every["id"][60:120], every["truth"][60:120], annotator="ann")
    assert assay.surface().part_judged.scored == {"llm of own": N - 60}


def test_opinions_are_numbers_where_all_that_are_given_are() -> None:
    said = {"a": ("0.5", None), "b": ("", None), "c": ("1", None)}
    assert opinions_of(said, "llm", ["a", "b", "c", "d"]).to_list() == [0.5, None, 1.0, None]
    said["b"] = ("fine", None)
    assert opinions_of(said, "llm", list("abcd")).to_list() == ["0.5", "fine", "1", None]
