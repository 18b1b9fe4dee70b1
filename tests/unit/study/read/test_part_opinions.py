"""A judge that scored only some rows: the others count as rows like them, and that is doubted."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.errors import InputError
from accuracy_assay.reports.page import render_page
from accuracy_assay.reports.plain_text import plain_text
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.terminal import summary
from accuracy_assay.study.read.part_opinions import fill_opinions
from accuracy_assay.study.read.spaces import resolve_space

N, LABELS, JUDGED = 1_200, 240, 480


@pytest.fixture
def rows(rng: np.random.Generator) -> pl.DataFrame:
    """Return rows of two kinds, all judged; the judge is right in 95% and 75% of them."""
    kind = rng.integers(0, 2, N)
    right = rng.random(N) < 0.7
    llm = np.where(rng.random(N) < np.array([0.95, 0.75])[kind], right, ~right)
    return pl.DataFrame(
        {
            "id": [f"q{i}" for i in range(N)],
            "kind": [f"k{k}" for k in kind],
            "right": [float(r) if i < LABELS else None for i, r in enumerate(right)],
            "llm": llm.astype(float),
        }
    )


def partly(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(llm=pl.when(pl.int_range(N) % 5 < 2).then("llm"))


def surface(rows: pl.DataFrame, **options: object) -> aa.AccuracySurface:
    asked = {"judges": ["llm"], "target": "pool", **options}
    return aa.estimate(rows, ["kind"], "right", **asked)


def width(found: aa.AccuracySurface) -> float:
    return found.overall.upper - found.overall.lower


def test_an_opinion_stays_and_a_gap_gets_that_of_a_row_like_it(rows: pl.DataFrame) -> None:
    some = partly(rows)
    # Each opinion names its row's kind and score, so that a copy shows where it comes from.
    tag = pl.format("{} {}", "kind", pl.col("right").fill_null(0.5))
    some = some.with_columns(llm=pl.when(pl.col("llm").is_not_null()).then(tag))
    columns, labels = Columns(("kind",), "right", judges=("llm",)), some[:LABELS]
    space = resolve_space(columns.attributes, some)
    tables = fill_opinions(columns, ["llm"], labels, some, labels["right"], space, is_own=True)
    assert tables.pool is not None
    for table, had in ((tables.pool, some), (tables.labelled, labels)):
        known = had["llm"].is_not_null()
        assert table["llm"].filter(known).to_list() == had["llm"].drop_nulls().to_list()
        gaps = table.filter(~known)
        of_kind = gaps["llm"].str.split(" ").list.first() == gaps["kind"]
        assert of_kind.mean() > 0.95  # all others together count as two rows of the kind
    told = tables.labelled.filter(labels["llm"].is_null())
    alike = told["llm"].str.split(" ").list.last().cast(pl.Float64) == told["right"]
    assert alike.mean() > 0.95
    first, second, *_ = tables.redrawn
    assert not first.equals(second)


def test_a_part_of_the_opinions_is_worth_less_than_all_and_more_than_none(
    rows: pl.DataFrame,
) -> None:
    every, some, none = surface(rows), surface(partly(rows)), surface(rows, judges=None)
    assert width(every) < width(some) < width(none)
    assert some.overall.mean == pytest.approx(every.overall.mean, abs=0.03)
    assert width(surface(partly(rows))) == width(some)


def test_the_pool_may_be_a_table_of_its_own(rows: pl.DataFrame) -> None:
    some = partly(rows)
    one = surface(some)
    labelled, pool = some.drop_nulls("right"), some.drop("right")
    assert surface(labelled, pool=pool, id="id").overall == one.overall
    assert surface(labelled, pool=pool).overall.mean == pytest.approx(one.overall.mean, abs=0.02)


def test_the_surface_says_so_and_its_file_has_the_same_interval(
    rows: pl.DataFrame, tmp_path: Path
) -> None:
    found = surface(partly(rows))
    said = "the judge 'llm' scored 480 of 1,200 rows; the others count as rows like them"
    assert found.said_of_rows == (said,)
    found.save(tmp_path / "s.surface")
    loaded = aa.AccuracySurface.load(tmp_path / "s.surface")
    assert loaded.said_of_rows == (said,)
    assert loaded.overall == found.overall
    assert f"Judges: {said}." in str(loaded)
    report = Report("", loaded)
    assert said in plain_text(summary(report)).replace("\n", " ")
    assert said.replace("'", "&#39;") in render_page(report)


def test_what_cannot_be_compared_is_refused(rows: pl.DataFrame) -> None:
    some = partly(rows).with_columns(place=pl.int_range(N) // 10)
    with pytest.raises(InputError, match="on every row where there is a cluster"):
        surface(some, cluster="place")
    with pytest.raises(InputError, match="on some of the rows; got none"):
        surface(some.with_columns(llm=pl.lit(None, pl.Float64)))


def test_several_judges_may_lack_different_rows(rows: pl.DataFrame) -> None:
    other = pl.when(pl.int_range(N) % 3 == 0).then(pl.lit("good")).otherwise(pl.lit("bad"))
    both = partly(rows).with_columns(bot=pl.when(pl.int_range(N) % 2 == 0).then(other))
    found = surface(both, judges=["llm", "bot"])
    assert found.part_judged is not None
    assert dict(found.part_judged.scored) == {"llm": 480, "bot": 600}
