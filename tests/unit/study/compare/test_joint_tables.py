"""Services fitted together: laws of the surfaces and of their differences."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from several_services import NAMES, by_answers, by_scores, made_rows

import accuracy_assay as aa
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.errors import InputError


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return made_rows(np.random.default_rng(4))


@pytest.fixture(scope="module", params=[by_answers, by_scores], ids=["answers", "scores"])
def board(request: pytest.FixtureRequest, rows: pl.DataFrame) -> aa.Comparison:
    found: aa.Comparison = request.param(rows.sample(200, seed=3), rows)
    return found


@pytest.mark.parametrize("where", [{}, {"topic": "t2"}, {"topic": "t1", "form": "open"}])
def test_accuracies_are_those_of_the_surfaces_and_differences_those_of_accuracies(
    board: aa.Comparison, where: dict[str, str]
) -> None:
    asked = board.at(**where)
    for place in asked:
        tile = board.surfaces[place.name].at(**where)
        assert (place.estimate.mean, place.estimate.lower) == (tile.mean, tile.lower)
    means = {place.name: place.estimate.mean for place in asked}
    apart = asked.difference("m7", "m1")
    assert apart.mean == pytest.approx(means["m7"] - means["m1"], abs=1e-12)
    assert apart.lower <= apart.mean <= apart.upper


def test_the_same_labels_make_differences_surer_than_separate_ones(board: aa.Comparison) -> None:
    first, second = (board.surfaces[name].overall.sd for name in ("m4", "m5"))
    assert board.difference("m4", "m5").sd < np.hypot(first, second)


@pytest.mark.parametrize("ask", [by_answers, by_scores])
def test_most_intervals_hold(rows: pl.DataFrame, ask) -> None:
    """Services of one draw are unlucky together, so there are five."""
    gold = {name: rows[f"{name}_score"].mean() for name in NAMES}
    arms = rows.group_by("topic", "form").agg(pl.col("m3_score").mean().alias("gold"))
    held, arms_held = [], []
    for seed in range(3, 8):
        board = ask(rows.sample(200, seed=seed), rows)
        held += [p.estimate.lower <= gold[p.name] <= p.estimate.upper for p in board]
        found = board.surfaces["m3"].to_frame().join(arms, on=["topic", "form"])
        arms_held.append(found["gold"].is_between(found["lower"], found["upper"]).mean())
    assert np.mean(held) >= 0.8
    assert np.mean(arms_held) >= 0.85


@pytest.mark.parametrize("ask", [by_answers, by_scores])
def test_with_every_row_labelled_accuracies_are_what_was_counted(rows, ask) -> None:
    small = rows.head(300)
    board = ask(small, small)
    for name in NAMES:
        whole = board.surfaces[name].overall
        assert whole.mean == pytest.approx(small[f"{name}_score"].mean(), abs=1e-9)
        assert whole.upper - whole.lower < 0.01


def test_what_is_hard_for_all_is_learned_from_all(rows: pl.DataFrame) -> None:
    """Over six draws the error of arms is well below that of surfaces fitted one by one."""
    gold = rows.group_by("topic", "form").agg(pl.col(f"{n}_score").mean() for n in NAMES)
    together = alone = 0.0
    for seed in range(6):
        labelled = rows.sample(150, seed=seed)
        board = by_scores(labelled, rows)
        for name in ("m1", "m5"):
            score = f"{name}_score"
            single = aa.estimate(
                labelled, ["topic", "form"], score, pool=rows.select("topic", "form")
            )
            for surface, is_joint in ((board.surfaces[name], True), (single, False)):
                found = surface.to_frame().join(gold, on=["topic", "form"])
                error = float(((found["mean"] - found[score]) ** 2).mean())
                together, alone = together + error * is_joint, alone + error * (not is_joint)
    assert together < 0.9 * alone


def test_a_saved_surface_answers_as_the_fitted_one(board: aa.Comparison, tmp_path: Path) -> None:
    surface = board.surfaces["m2"]
    surface.save(tmp_path / "m2.surface")
    loaded = aa.AccuracySurface.load(tmp_path / "m2.surface")
    for where in ({}, {"topic": "t3"}, {"topic": "t3", "form": "open"}):
        mine, kept = surface.at(**where), loaded.at(**where)
        assert (kept.mean, kept.lower, kept.upper) == pytest.approx(
            (mine.mean, mine.lower, mine.upper), abs=1e-6
        )


def test_two_services_that_always_agree_do_not_differ(rows: pl.DataFrame) -> None:
    twin = rows.with_columns(pl.col("m6").alias("m5"))
    board = by_answers(twin.sample(150, seed=1), twin)
    apart = board.difference("m6", "m5")
    assert (apart.lower, apart.upper) == pytest.approx((0.0, 0.0), abs=0.01)


def test_services_of_one_family_do_not_judge_each_other(rows: pl.DataFrame) -> None:
    twin = rows.with_columns(pl.col("m0").alias("m1"))
    labelled = twin.sample(100, seed=1)
    free = by_answers(labelled, twin).surfaces["m0"].overall.mean
    kept = by_answers(labelled, twin, families={"m0": "a", "m1": "a"}).surfaces["m0"].overall.mean
    assert free != kept
    with pytest.raises(InputError, match=r"service of families.*m9"):
        by_answers(labelled, twin, families={"m9": "a"})


def test_rows_without_an_answer_are_counted_by_service(rows: pl.DataFrame) -> None:
    silent = pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise(pl.col("m0"))
    gaps = rows.with_columns(silent.alias("m0"))
    labelled = gaps.sample(100, seed=1)
    board = by_answers(labelled, gaps)
    missing = board.surfaces["m0"].missing_answers
    assert missing is not None
    assert missing.rows == labelled["m0"].null_count()
    assert board.surfaces["m1"].missing_answers is None


def test_four_services_with_known_answers_are_told_apart_by_name(rows: pl.DataFrame) -> None:
    """Each has the surface that it has alone, with the others as referees."""
    labelled, names = rows.sample(150, seed=2), NAMES[4:]
    pool = rows.drop("truth")
    board = aa.compare(labelled, ["topic", "form"], services=names, y_true="truth", pool=pool)
    alone = aa.estimate(
        labelled,
        ["topic", "form"],
        y_true="truth",
        y_pred="m5",
        referees=["m4", "m6", "m7"],
        pool=pool,
    )
    assert board.surfaces["m5"].overall.mean == pytest.approx(alone.overall.mean, abs=1e-9)


def test_four_services_of_some_families_have_referees_of_others_alone(rows: pl.DataFrame) -> None:
    labelled, names = rows.sample(150, seed=2), NAMES[4:]
    pool = rows.drop("truth")
    own = {"m4": "a", "m5": "a", "m6": "a"}
    given = {"y_true": "truth", "pool": pool}
    board = aa.compare(labelled, ["topic", "form"], services=names, families=own, **given)
    for name, referees in (("m5", ["m7"]), ("m7", ["m4", "m5", "m6"])):
        alone = aa.estimate(labelled, ["topic", "form"], y_pred=name, referees=referees, **given)
        found = board.surfaces[name].overall.mean
        assert found == pytest.approx(alone.overall.mean, abs=1e-9)


def test_rows_that_belong_together_make_differences_less_sure(rng: np.random.Generator) -> None:
    speaker = np.repeat(np.arange(40), 10)
    made = {name: (rng.random(40) < 0.5)[speaker].astype(float) for name in ("first", "second")}
    rows = pl.DataFrame({"sex": np.array(["f", "m"])[speaker % 2], "speaker": speaker, **made})
    options = {"scores": ["first", "second"]}
    free = aa.compare(rows, ["sex"], **options)  # type: ignore[arg-type]
    kept = aa.compare(rows, ["sex"], cluster="speaker", **options)  # type: ignore[arg-type]
    assert kept.difference("first", "second").sd > 2.0 * free.difference("first", "second").sd


def test_a_service_that_was_never_wrong_may_yet_be(rng: np.random.Generator) -> None:
    rows = pl.DataFrame({"sex": rng.choice(["f", "m"], 60), "always": 1.0, "never": 0.0})
    board = aa.compare(rows, ["sex"], scores=["always", "never"])
    best, worst = (board.surfaces[name].overall for name in ("always", "never"))
    assert 0.85 < best.lower < 0.97
    assert 0.03 < worst.upper < 0.15
    one = aa.compare(rows.head(1), ["sex"], scores=["always", "never"], pool=rows.select("sex"))
    assert one.surfaces["always"].overall.lower < 0.5


def test_dozens_of_services_are_one_fit(rng: np.random.Generator) -> None:
    chance = np.linspace(0.2, 0.9, 60)
    scores = (rng.random((200, 60)) < chance).astype(float)
    rows = pl.DataFrame({"sex": rng.choice(["f", "m"], 200)}).with_columns(
        pl.Series(f"m{i}", scores[:, i]) for i in range(60)
    )
    names = [f"m{i}" for i in range(60)]
    board = aa.compare(rows.head(150), ["sex"], scores=names, pool=rows.select("sex"))
    table = board.to_frame()
    assert table.height == 60
    order = np.array([names.index(name) for name in table["service"].to_list()])
    assert np.corrcoef(order, np.arange(60))[0, 1] < -0.9


def test_surfaces_say_how_many_answers_each_service_left_out(rows: pl.DataFrame) -> None:
    silent = pl.int_range(pl.len()) < 7
    said = rows.head(200).with_columns(pl.when(~silent).then(pl.col("m2")).alias("m2"))
    board = by_answers(said, said)
    counted = {name: board.surfaces[name].missing_answers for name in NAMES}
    assert counted.pop("m2") == MissingAnswers("wrong", 7, 200)
    assert set(counted.values()) == {None}


def test_a_service_is_right_or_wrong_though_the_mean_of_all_is_between(
    board: aa.Comparison,
) -> None:
    assert str(board.surfaces["m6"]).startswith("Right for ")
