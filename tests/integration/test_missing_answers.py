"""Rows on which a service said nothing: wrong by default, at every door, and said with a count."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from command_line import Answer, assay

import accuracy_assay as aa
from accuracy_assay.domain.missing_answers import MissingAnswers, MissingAnswerWarning
from accuracy_assay.reports.card import render_card
from accuracy_assay.reports.markdown import surface_markdown
from accuracy_assay.reports.page import render_page
from accuracy_assay.reports.report import report_of

__all__ = ["assay"]

N = 400
FAST = "beta-independent"


def make_rows() -> pl.DataFrame:
    """Return rows with two services: one is silent often, as null, spaces and nothing."""
    rng = np.random.default_rng(3)
    truth = rng.choice(["cat", "dog", "fox"], N)
    right = np.where(rng.random(N) < 0.8, truth, "owl")
    silent = rng.random(N)
    shy = np.where(silent < 0.1, None, np.where(silent < 0.2, "  ", right.astype(object)))
    shy = np.where((silent >= 0.2) & (silent < 0.25), "", shy)
    return pl.DataFrame(
        {
            "id": [f"r{i}" for i in range(N)],
            "sex": rng.choice(["f", "m"], N),
            "day": rng.choice(["mon", "tue", "wed"], N),
            "truth": truth,
            "shy": pl.Series(shy.tolist(), dtype=pl.String),
            "bold": rng.choice(["cat", "dog", "fox"], N),
        }
    )


ROWS = make_rows()
IS_SILENT = (ROWS["shy"].fill_null("").str.strip_chars() == "").to_numpy()
RIGHT = float((ROWS["shy"] == ROWS["truth"]).sum() or 0)
N_SILENT = int(IS_SILENT.sum())


def observed(surface: aa.AccuracySurface) -> float:
    return float(surface.correct.sum() / surface.n.sum())


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    ROWS.write_parquet(tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def frames() -> list[Any]:
    return [ROWS, ROWS.to_pandas(), ROWS.to_arrow()]


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_model_is_right_in_its_right_answers_of_all_rows(kind: int) -> None:
    found = aa.estimate(frames()[kind], ["sex"], y_true="truth", y_pred="shy", estimator=FAST)
    assert observed(found) == RIGHT / N
    assert found.missing_answers == MissingAnswers("wrong", N_SILENT, N)


@pytest.mark.parametrize("rule", ["wrong", "drop"])
@pytest.mark.parametrize("agreement", ["equal", "wer"])
@pytest.mark.parametrize("with_pool", [False, True])
def test_streamed_rows_give_the_numbers_of_rows_in_memory(
    parquet: Path, rule: Any, agreement: str, with_pool: bool
) -> None:
    given: dict[str, Any] = {"y_true": "truth", "y_pred": "shy", "agreement": agreement}
    given |= {"missing_prediction": rule, "estimator": FAST, "signals": ["shy"]}
    labelled = ROWS[:150] if with_pool else ROWS
    source: Any = labelled if with_pool else parquet
    if rule == "drop":
        with pytest.warns(MissingAnswerWarning):
            one = aa.estimate(labelled, ["sex"], pool=ROWS if with_pool else None, **given)
        with pytest.warns(MissingAnswerWarning):
            two = aa.estimate(source, ["sex"], pool=parquet if with_pool else None, **given)
    else:
        one = aa.estimate(labelled, ["sex"], pool=ROWS if with_pool else None, **given)
        two = aa.estimate(source, ["sex"], pool=parquet if with_pool else None, **given)
    for name in ("n", "correct", "support", "mean", "lower", "upper"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-9)
    assert one.missing_answers == two.missing_answers
    assert one.missing_answers is not None
    assert one.missing_answers.rule == rule


def test_rows_that_are_left_out_leave_the_answered_ones() -> None:
    with pytest.warns(MissingAnswerWarning, match=f"{N_SILENT} of {N} labelled rows"):
        found = aa.estimate(
            ROWS, ["sex"], y_true="truth", y_pred="shy", missing_prediction="drop", estimator=FAST
        )
    assert found.n_labels == N - N_SILENT
    assert observed(found) == RIGHT / (N - N_SILENT)
    assert found.missing_answers == MissingAnswers("drop", N_SILENT, N)


@pytest.mark.parametrize("source", ["frame", "file"])
def test_refusal_counts_them_and_names_the_first_ids(source: str, parquet: Path) -> None:
    rows: Any = ROWS if source == "frame" else parquet
    first = ROWS["id"].filter(pl.Series(IS_SILENT)).head(3).to_list()
    with pytest.raises(aa.InputError, match=f"got {N_SILENT} of {N}.*id {', '.join(first)}"):
        aa.estimate(
            rows, ["sex"], y_true="truth", y_pred="shy", id="id", missing_prediction="refuse"
        )


@pytest.mark.parametrize("agreement", ["equal", "bleu", "wer"])
def test_no_answer_scores_zero_whatever_the_agreement(agreement: str) -> None:
    rows = pl.DataFrame({"sex": ["f"] * 6 + ["m"] * 6, "truth": ["x"] * 12, "said": [None] * 12})
    rows = rows.with_columns(said=pl.Series([None, "", "x"] * 4, dtype=pl.String))
    found = aa.estimate(
        rows, ["sex"], y_true="truth", y_pred="said", agreement=agreement, estimator=FAST
    )
    assert observed(found) == pytest.approx(1 / 3)


def test_no_number_scores_zero() -> None:
    said = pl.Series([None, float("nan"), 5.0, 5.0] * 3)
    rows = pl.DataFrame({"sex": ["f", "m"] * 6, "truth": [5.0] * 12, "said": said})
    given: dict[str, Any] = {"y_true": "truth", "y_pred": "said", "agreement": "absolute:0:10"}
    assert observed(aa.estimate(rows, ["sex"], estimator=FAST, **given)) == 0.5


def test_a_score_stands_and_a_signal_has_a_stratum_of_its_own() -> None:
    scored = ROWS.with_columns(score=pl.lit(1.0))
    found = aa.estimate(scored, ["sex"], "score", y_pred="shy", signals=["shy"], estimator=FAST)
    assert observed(found) == 1.0
    assert found.missing_answers is None


@pytest.mark.parametrize("n_values", [3, 60])
def test_numbers_that_are_predictions_and_signals_may_be_missing(
    n_values: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, n_values, N)
    said = pl.Series(np.where(rng.random(N) < 0.1, np.nan, numbers)).fill_nan(None)
    rows = ROWS.select("sex").with_columns(truth=pl.Series(numbers).cast(pl.Float64), said=said)
    rows.write_parquet(tmp_path / "rows.parquet")
    given: dict[str, Any] = {"y_true": "truth", "y_pred": "said", "signals": ["said"]}
    for source in (rows, tmp_path / "rows.parquet"):
        found = aa.estimate(source, ["sex"], estimator=FAST, **given)
        assert observed(found) == pytest.approx(1.0 - said.null_count() / N)


def test_every_service_of_a_comparison_is_wrong_where_it_is_silent() -> None:
    found = aa.compare(ROWS, ["sex"], services=["shy", "bold"], y_true="truth", estimator=FAST)
    assert observed(found.surfaces["shy"]) == RIGHT / N
    assert found.surfaces["bold"].n_labels == N
    assert found.surfaces["shy"].missing_answers == MissingAnswers("wrong", N_SILENT, N)
    assert found.surfaces["bold"].missing_answers is None


def test_services_of_a_comparison_stay_paired_where_rows_are_left_out() -> None:
    with pytest.warns(MissingAnswerWarning, match=f"{N_SILENT} of {N}.* of some service") as told:
        found = aa.compare(
            ROWS,
            ["sex"],
            services=["shy", "bold"],
            y_true="truth",
            missing_prediction="drop",
            estimator=FAST,
        )
    assert len(told) == 1
    assert {s.n_labels for s in found.surfaces.values()} == {float(N - N_SILENT)}


def test_a_comparison_may_refuse_them() -> None:
    with pytest.raises(aa.InputError, match="'shy' must have an answer"):
        aa.compare(
            ROWS,
            ["sex"],
            services=["bold", "shy"],
            y_true="truth",
            missing_prediction="refuse",
            estimator=FAST,
        )


def test_a_comparison_with_a_pool_takes_silence_for_dissent() -> None:
    found = aa.compare(
        ROWS[:150], ["sex"], services=["shy", "bold"], y_true="truth", pool=ROWS, estimator=FAST
    )
    n_silent = int(IS_SILENT[:150].sum())
    assert found.surfaces["shy"].missing_answers == MissingAnswers("wrong", n_silent, 150)


def test_no_answer_is_a_prediction_of_its_own_that_is_never_right() -> None:
    rows = ROWS.with_columns(animal=pl.col("truth"))
    given: dict[str, Any] = {"y_true": "truth", "y_pred": "shy", "from_label": ["animal"]}
    found = aa.estimate(rows[:300], ["sex", "animal"], pool=rows, seed=1, **given)
    assert found.overall.lower < RIGHT / N < found.overall.upper
    assert found.support.sum() == pytest.approx(N)
    assert found.missing_answers == MissingAnswers("wrong", int(IS_SILENT[:300].sum()), 300)
    known = rows.with_columns(right=(pl.col("shy") == pl.col("truth")).fill_null(value=False))
    gold = dict(known.group_by("animal").agg(pl.col("right").mean()).rows())
    for row in found.marginal("animal").iter_rows(named=True):
        assert row["lower"] - 0.05 < gold[row["animal"]] < row["upper"] + 0.05


@pytest.mark.parametrize(("measure", "meaning"), [("recall:cat", "not 'cat'"), (None, "wrong")])
def test_measures_say_what_silence_counts_as(measure: str | None, meaning: str) -> None:
    where = None if measure else "day == 'mon'"
    found = aa.estimate(
        ROWS, ["sex"], y_true="truth", y_pred="shy", measure=measure, where=where, estimator=FAST
    )
    counted = ROWS.with_columns(silent=pl.Series(IS_SILENT)).filter(
        pl.col("truth") == "cat" if measure else pl.col("day") == "mon"
    )
    wanted = MissingAnswers("wrong", counted["silent"].sum(), counted.height, meaning=meaning)
    assert found.missing_answers == wanted
    right = counted.filter(pl.col("shy") == pl.col("truth")).height
    assert observed(found) == right / counted.height


def test_replays_plans_judges_and_proposals_take_them() -> None:
    given: dict[str, Any] = {"y_true": "truth", "y_pred": "shy"}
    history = aa.simulate(
        ROWS, ["sex"], seed_size=N, budget=0, estimator=FAST, strategy="random", **given
    )
    assert observed(history.surface) == RIGHT / N
    assert history.surface.missing_answers == MissingAnswers("wrong", N_SILENT, N)
    half = ROWS.with_columns(truth=pl.when(pl.Series(np.arange(N) < 200)).then("truth"))
    columns = aa.Columns(("sex",), **given)
    assert aa.plan(half, columns, half_width=0.02, strategy="random").labels > 0
    judged = ROWS.with_columns(judge=pl.Series(np.random.default_rng(1).random(N)))
    report = aa.judge_report(judged, ["sex"], judges=["judge"], estimator=FAST, **given)
    assert f"{N_SILENT} of {N} labelled rows have no answer" in str(report)
    found = aa.propose_attributes(ROWS, ["sex"], columns=["day"], estimator=FAST, **given)
    assert found is not None


def test_it_is_said_in_every_report(tmp_path: Path) -> None:
    found = aa.estimate(ROWS, ["sex", "day"], y_true="truth", y_pred="shy", estimator=FAST)
    words = f"{N_SILENT} of {N} labelled rows have no answer and count as wrong"
    found.save(tmp_path / "s.surface")
    for surface in (found, aa.AccuracySurface.load(tmp_path / "s.surface")):
        report = report_of(surface, "pets")
        assert words in render_page(report)
        assert words in render_card(report)
        assert words in str(aa.check(surface, min=0.1))
        assert words in surface_markdown(report)
        assert words in surface._repr_html_()


@pytest.mark.filterwarnings("always::accuracy_assay.domain.missing_answers.MissingAnswerWarning")
def test_commands_take_the_rule_and_say_the_count(
    assay: Callable[..., Answer], parquet: Path
) -> None:
    given = (parquet, "-a", "sex", "--y-true", "truth", "--y-pred", "shy", "--estimator", FAST)
    said = assay("surface", *given)
    words = f"{N_SILENT} of {N} labelled rows have no answer and count as wrong"
    assert (said.code, words in said.out) == (0, True)
    found = json.loads(assay("surface", *given, "--json").out)
    assert found["missing_prediction"] == {"rule": "wrong", "rows": N_SILENT, "of": N}
    refused = assay("surface", *given, "--missing-prediction", "refuse")
    assert refused.code == 2
    assert f"got {N_SILENT} of {N} without one" in refused.err
    dropped = assay("surface", *given, "--missing-prediction", "drop")
    assert dropped.code == 0
    assert "are left out, which makes a service look better than it is" in dropped.err
    assert assay("surface", *given, "--missing-prediction", "skip").code == 2
    assert assay("surface", *given, "--out", parquet.with_name("s.surface")).code == 0
    for command in ("query", "slices"):
        assert words in assay(command, parquet.with_name("s.surface")).err
    asked: dict[str, tuple[str, ...]] = {
        "attributes": ("--no-columns",),
        "plan": ("--half-width", "0.1", "--strategy", "random"),
        "simulate": ("--strategy", "random", "--seed-size", "20", "--budget", "12"),
        "judges": ("--judge", "day"),
    }
    for command, more in asked.items():
        answer = assay(command, *given, *more)
        assert (answer.code, words in " ".join(answer.err.split())) == (0, True), command
    checked = json.loads(assay("check", *given, "--min", "0.1", "--json").out)
    assert checked["missing"] == words


def test_a_comparison_says_the_count_of_each_service(
    assay: Callable[..., Answer], parquet: Path
) -> None:
    given = (parquet, "-a", "sex", "--y-true", "truth", "--service", "shy", "--service", "bold")
    said = assay("compare", *given, "--estimator", FAST)
    assert "count as wrong answers of that service" in said.out
    (line,) = [line for line in said.out.splitlines() if "│ shy " in line]
    assert str(N_SILENT) in [cell.strip() for cell in line.split("│")]
    found = json.loads(assay("compare", *given, "--estimator", FAST, "--json").out)
    by_name = {place["name"]: place["missing_prediction"] for place in found["places"]}
    assert by_name == {"bold": None, "shy": {"rule": "wrong", "rows": N_SILENT, "of": N}}


def make_spec(**label: Any) -> dict[str, Any]:
    return {
        "assay": {"name": "pets", "estimator": FAST, "strategy": "random", "budget": 200},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "shy", "column": "shy"}, {"name": "bold", "column": "bold"}],
        "label": {"choices": ["cat", "dog", "fox"], **label},
    }


def test_silent_columns_of_an_assay_are_wrong_and_counted(tmp_path: Path) -> None:
    store = tmp_path / "pets.assay"
    with aa.Assay.create(store, make_spec(), pool=ROWS.drop("truth")) as session:
        session.tell(ROWS["id"][:150], ROWS["truth"][:150], annotator="ann")
        found = session.surface("shy")
    first = ROWS[:150]
    assert observed(found) == (first["shy"] == first["truth"]).sum() / 150
    assert found.missing_answers == MissingAnswers("wrong", int(IS_SILENT[:150].sum()), 150)


def test_an_assay_may_leave_silent_rows_out_of_its_pool(tmp_path: Path) -> None:
    spec, store = make_spec(missing_prediction="drop"), tmp_path / "pets.assay"
    ROWS.drop("truth").write_parquet(tmp_path / "pool.parquet")
    spec["pool"] = {"path": str(tmp_path / "pool.parquet")}
    with aa.Assay.create(store, spec) as session:
        assert session.status().pool == N - N_SILENT
    answered = ROWS.filter(~pl.Series(IS_SILENT))[:100]
    with aa.Assay.open(store) as session:
        session.tell(answered["id"], answered["truth"], annotator="ann")
        found = session.surface("bold")
        with pytest.raises(aa.InputError, match="missing_prediction must stay 'drop'"):
            session.edit({"label": {"missing_prediction": "wrong"}})
    assert found.support.sum() == N - N_SILENT
    words = f"{N_SILENT} of {N} pool rows have no answer of some service and are left out"
    assert str(found.missing_answers).startswith(words)


def test_an_assay_may_refuse_silent_rows(tmp_path: Path) -> None:
    first = ROWS["id"].filter(pl.Series(IS_SILENT)).head(3).to_list()
    message = (
        f"'shy' must have an answer in every row of the pool; got {N_SILENT} of {N}.*{first[0]}"
    )
    with pytest.raises(aa.InputError, match=message):
        aa.Assay.create(tmp_path / "pets.assay", make_spec(missing_prediction="refuse"), pool=ROWS)


def test_a_service_that_is_called_stays_pending_until_it_was(tmp_path: Path) -> None:
    spec = make_spec(missing_prediction="refuse")
    spec["service"] = [{"name": "later", "callable": "builtins:len"}]
    with aa.Assay.create(tmp_path / "pets.assay", spec, pool=ROWS) as session:
        session.tell(ROWS["id"][:10], ROWS["truth"][:10], annotator="ann")
        with pytest.raises(aa.InputError, match="got 10 without a prediction"):
            session.surface("later")


def test_frames_of_other_libraries_have_the_same_silence() -> None:
    wanted = aa.estimate(ROWS, ["sex"], y_true="truth", y_pred="shy", estimator=FAST)
    table = pd.DataFrame(ROWS.to_dict(as_series=False))
    table["shy"] = table["shy"].where(table["shy"].notna(), np.nan)
    for rows in (table, pa.table(ROWS.to_dict(as_series=False))):
        found = aa.estimate(rows, ["sex"], y_true="truth", y_pred="shy", estimator=FAST)
        np.testing.assert_allclose(found.mean, wanted.mean)
