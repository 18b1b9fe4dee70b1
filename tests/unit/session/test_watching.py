"""A session is watched by the labels that were drawn at random, and by no others."""

import numpy as np
import polars as pl
import pytest
from drifting_rows import drifting_rows

import accuracy_assay as aa
from accuracy_assay.errors import InputError
from accuracy_assay.session.watching import NoGuaranteeError
from accuracy_assay.spec.read import read_spec
from accuracy_assay.storage.memory import MemoryStore

ROWS = drifting_rows(n=900, lost=0.7).with_columns(
    id=pl.int_range(900).cast(pl.String),
    truth=pl.when(right=1).then(pl.lit("yes")).otherwise(pl.lit("no")),
    said=pl.lit("yes"),
)


def made(strategy: str = "random", time: str | None = None, **assay: object) -> aa.Assay:
    spec = {
        "assay": {
            "name": "log",
            "budget": 900,
            "strategy": strategy,
            "estimator": "beta-independent",
            **assay,
        },
        "pool": {"id": "id", "time": time},
        "attribute": [{"name": "region"}, {"name": "sex"}],
        "service": [{"name": "it", "column": "said"}],
        "label": {"choices": ["yes", "no"]},
    }
    pool = ROWS.drop("truth", "right").with_columns(empty=pl.lit(None, pl.String))
    return aa.Assay.create(MemoryStore(), spec, pool=pool)


def labelled(assay: aa.Assay, n: int) -> aa.Assay:
    truth = dict(zip(ROWS["id"], ROWS["truth"], strict=True))
    batch = assay.ask(n, annotator="ann")
    assay.tell(batch["id"], [truth[i] for i in batch["id"]], annotator="ann")
    return assay


def test_labels_at_random_are_watched_as_the_same_rows_outside() -> None:
    assay = labelled(made(), 700)
    inside = assay.watch(time="day", baseline=9, every=10)
    ids = assay.labels().filter("at_random")["id"].to_list()
    rows = ROWS.filter(pl.col("id").is_in(ids))
    outside = aa.watch(rows, ["region", "sex"], "right", time="day", baseline=9, every=10)
    assert inside.labels == outside.labels
    shown = ["slice", "before", "labels_before", "after", "labels"]
    assert inside.slices.select(shown).equals(outside.slices.select(shown))
    # Rows of one day come in another order, which moves the evidence a little.
    assert inside.verdict == outside.verdict


def test_without_a_column_the_time_of_the_label_counts() -> None:
    assay = made()
    for _ in range(6):
        labelled(assay, 20)
    found = assay.watch()
    assert sum(found.labels) == 120
    assert found.timeline()["time"].dtype == pl.Datetime


def test_labels_that_were_chosen_are_left_out_and_it_is_said() -> None:
    rng = np.random.default_rng(0)
    assay = labelled(made(), 100)
    others = rng.choice(ROWS["id"].to_numpy(), 60, replace=False).tolist()
    told = set(assay.labels()["id"])
    others = [i for i in others if i not in told]
    assay.tell(others, ["yes"] * len(others), annotator="ann")
    found = assay.watch(time="day", baseline=9)
    assert sum(found.labels) == 100
    assert f"Of {100 + len(others)} labels only the 100" in found.remarks[0]


def test_without_labels_at_random_nothing_is_promised_and_it_says_what_would_help() -> None:
    assay = made()
    assay.tell(ROWS["id"][:100], ROWS["truth"][:100], annotator="ann")
    with pytest.raises(NoGuaranteeError, match="400 more labels"):
        assay.watch()
    off = made("largest-variance", random_share=0.0)
    with pytest.raises(NoGuaranteeError, match="Set random_share"):
        off.watch()


def test_guessed_attributes_are_refused() -> None:
    pool = ROWS.select("id", "said").with_columns(p__a=0.5, p__b=0.5)
    spec = {
        "assay": {"name": "log", "calibration": "raw"},
        "pool": {"id": "id"},
        "attribute": [{"name": "kind", "evidence": "p__*"}],
        "service": [{"name": "it", "column": "said"}],
        "label": {"choices": ["yes", "no"]},
    }
    with pytest.raises(InputError, match="guessed"):
        aa.Assay.create(MemoryStore(), spec, pool=pool).watch()


def test_the_surface_now_rests_on_all_labels_in_the_order_of_their_times() -> None:
    assay = made()
    with pytest.raises(InputError, match="at least 40 labels"):
        assay.surface(now=True)
    truth = dict(zip(ROWS["id"], ROWS["truth"], strict=True))
    found = []
    for days in (range(0, 30, 5), range(25, -1, -5)):
        assay = made()
        for day in days:
            ids = ROWS.filter(pl.col("day").is_between(day, day + 4))["id"][:80].to_list()
            assay.tell(ids, [truth[i] for i in ids], annotator="ann")
        found.append(assay.surface(now=True).at(region="north").mean)
    assert found[0] < found[1] - 0.1


def told(assay: aa.Assay, days: range) -> None:
    truth = dict(zip(ROWS["id"], ROWS["truth"], strict=True))
    rows = ROWS.filter(pl.col("day").is_in(list(days)))
    assay.tell(rows["id"], [truth[i] for i in rows["id"]], annotator="ann")


def test_the_surface_now_is_one_at_every_door_and_about_the_whole_pool() -> None:
    assay = labelled(labelled(made(), 200), 200)
    now = assay.surface(now=True)
    assert assay.watch().surface().overall == now.overall
    assert now.support.sum() == ROWS.height


def test_times_of_the_pool_order_labels_at_every_door_and_averages_are_over_rows_of_now() -> None:
    assay = labelled(made(time="day"), 300)
    found = assay.watch()
    assert found.last == "29"
    assert found.labels == assay.watch(time="day").labels
    assert found.surface().overall == assay.surface(now=True).overall
    assert found.surface().support.sum() < ROWS.height / 3


def test_times_of_the_pool_that_order_nothing_are_refused_when_the_assay_is_made() -> None:
    for name, words in (("region", "another column"), ("nope", "nope"), ("empty", "some row")):
        with pytest.raises(InputError, match=words):
            made(time=name)


def test_a_version_of_the_spec_is_an_event_that_the_watch_knows() -> None:
    assay = made()
    service = {"name": "it", "column": "said"}
    assay.edit({"service": [{**service, "version": "2026-01"}]})
    labelled(assay, 100)
    assay.edit({"service": [{**service, "version": "2026-06"}]})
    labelled(assay, 100)
    found = assay.watch(baseline="30%")
    assert found.versions["version"].to_list() == ["2026-01", "2026-06"]
    assert found.versions["labels"].to_list() == [100, 100]
    assert "New versions: 2026-06" in str(found)


def test_rows_without_a_label_warn_where_the_pool_has_times() -> None:
    assay = labelled(made(), 300)
    found = assay.watch(time="day", baseline=9)
    assert found.shifts["slice"][0] == "overall"
    assert labelled(assay, 50).watch().shifts.is_empty()


def test_the_goal_now_asks_where_labels_are_old() -> None:
    def asked(goal: str) -> int:
        assay = made("variance-reduction", goal=goal, random_share=0.0, estimator="anova-gp")
        for week in range(8):  # answers of every week are other ones; north is of the first alone
            is_north = ROWS["region"] == "north"
            rows = ROWS.filter(is_north)[:90] if week == 0 else ROWS.filter(~is_north)
            rows = rows if week == 0 else rows[60 * week : 60 * week + 60]
            labels = ["yes" if (i + week) % 6 > week % 3 else "no" for i in range(rows.height)]
            assay.tell(rows["id"], labels, annotator="ann")
        chosen = assay.ask(30, annotator="ann")
        return ROWS.join(chosen, on="id", how="semi").filter(region="north").height

    assert asked("now") > asked("surface") + 5


def test_the_goal_now_asks_for_rows_that_come_now_and_that_labels_have_not_seen() -> None:
    rng = np.random.default_rng(0)
    n = 600
    day = np.sort(rng.integers(0, 40, n))
    region = np.where((day >= 30) & (rng.random(n) < 0.6), "new", rng.choice(["a", "b", "c"], n))
    region[0] = "new"
    rows = pl.DataFrame({"id": np.arange(n).astype(str), "day": day, "region": region})
    rows = rows.with_columns(said=pl.lit("yes"), sex=pl.Series(rng.choice(["F", "M"], n)))
    old = rows.filter(pl.col("day") < 30)["id"][::5].to_list()
    labels = np.where(rng.random(len(old)) < 0.8, "yes", "no").tolist()

    def asked(**pool: str) -> tuple[int, float]:
        spec = {
            "assay": {"name": "log", "goal": "now", "random_share": 0.0},
            "pool": {"id": "id", **pool},
            "attribute": [{"name": "region"}, {"name": "sex"}],
            "service": [{"name": "it", "column": "said"}],
            "label": {"choices": ["yes", "no"]},
        }
        assay = aa.Assay.create(MemoryStore(), spec, pool=rows)
        assay.tell(old, labels, annotator="ann")
        chosen = rows.join(assay.ask(20, annotator="ann"), on="id", how="semi")
        return chosen.filter(region="new").height, assay.surface(now=True).support.sum()

    without, with_times = asked(), asked(time="day")
    assert without[1] == n
    assert with_times[1] < n  # averages are over the rows of now
    assert with_times[0] > without[0]


def test_the_goal_now_needs_known_attributes() -> None:
    with pytest.raises(InputError, match="goal = 'now'"):
        read_spec(
            {
                "assay": {"goal": "now"},
                "attribute": [{"name": "kind", "evidence": "p__*"}],
                "service": [{"name": "it", "column": "said"}],
            }
        )
