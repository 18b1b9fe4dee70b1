"""A look says the same as the commands that it names."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accuracy_assay as aa
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.study.look.look import look

N = 600


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    light = rng.choice(["day", "night"], N)
    truth = rng.choice(["a", "b"], N)

    def said(chance: np.ndarray) -> np.ndarray:
        return np.where(rng.random(N) < chance, truth, "c")

    return pl.DataFrame(
        {
            "id": np.arange(N),
            "light": light,
            "road": rng.choice(["town", "country"], N),
            "label": truth,
            "pred:good": said(np.where(light == "day", 0.95, 0.6)),
            "pred:bad": said(np.full(N, 0.5)),
        }
    )


def test_the_best_service_comes_first_and_its_weakest_slice_is_found(rows: pl.DataFrame) -> None:
    seen = look(rows)
    assert [each.service for each in seen.scores] == ["good", "bad"]
    right = (rows["pred:good"] == rows["label"]).to_numpy().mean()
    assert seen.scores[0].mean == pytest.approx(right, abs=1e-12)
    assert seen.slices[0].where == {"light": "night"}
    assert "light = night" in str(seen)


def test_the_surface_is_that_of_estimate(rows: pl.DataFrame) -> None:
    seen = look(rows, "bad")
    assert seen.service == "bad"
    direct = aa.estimate(rows, list(seen.attributes), y_true="label", y_pred="pred:bad")
    assert seen.surface is not None
    assert seen.surface.to_frame().equals(direct.to_frame())


def test_missing_answers_are_wrong_and_counted(rows: pl.DataFrame) -> None:
    gaps = rows.with_columns(pl.when(pl.col("id") >= 60).then("pred:good").alias("pred:good"))
    (found,) = [each for each in look(gaps).scores if each.service == "good"]
    kept = (rows["pred:good"] == rows["label"]).to_numpy()[60:].sum()
    assert (found.labels, found.missing) == (N, 60)
    assert found.mean == pytest.approx(kept / N)


def test_without_labels_the_way_to_labels_is_named(rows: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    rows.drop("label").write_csv(path)
    seen = look(path)
    assert (seen.surface, seen.scores) == (None, ())
    assert "No row has a label" in str(seen)
    assert list(seen.commands.values()) == [f"assay init --from {path}"]


def test_without_attributes_the_truth_itself_is_one(rows: pl.DataFrame) -> None:
    seen = look(rows.select("label", pl.col("pred:good").alias("prediction")))
    assert seen.attributes == ("label",)


def test_with_few_labels_nothing_is_said_about_slices(rows: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    rows.head(15).write_csv(path)
    seen = look(path)
    assert seen.surface is None
    assert "labels are too few" in str(seen)
    (whole,) = seen.commands.values()
    assert whole.startswith(f"assay surface {path} -a ")
    rows.head(15).with_columns(label=pl.when(pl.int_range(15) < 10).then("label")).write_csv(path)
    assert list(look(path).commands.values()) == [f"assay init --from {path}"]


def test_unknown_services_and_metrics_are_refused(rows: pl.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="goood"):
        look(rows, "goood")
    with pytest.raises(InputError, match="exact"):
        look(rows, "good", "exact")


def test_a_metric_is_chosen_by_name() -> None:
    rng = np.random.default_rng(1)
    right = (rng.random(N) < 0.6).astype(float)
    rows = pl.DataFrame(
        {"light": rng.choice(["day", "night"], N), "a_acc": right, "a_f1": 0.5 * right + 0.25}
    )
    assert look(rows).metric == "acc"
    seen = look(rows, metric="f1")
    assert (seen.metric, seen.scores[0].is_graded) == ("f1", True)
    assert seen.scores[0].mean == pytest.approx(0.5 * right.mean() + 0.25)


names = st.sampled_from(
    ["id", "label", "answer", "pred:m", "m_pred", "m_correct", "score", "judge", "x:y", "", "n"]
)
values = st.sampled_from(
    [
        list(range(6)),
        ["a", "b\n", None, "a", "\x1b[1m", "b"],
        [0.5, None, float("nan"), float("inf"), 1.0, 0.0],
        [1, 0, 1, 1, 0, 1],
        [True, False, None, True, True, False],
        [[1], [2], [], None, [1], [2]],
        ["how are you to day", "where is it that you go", None, "", "x", "y"],
        [None] * 6,
    ]
)


@given(st.dictionaries(names, values, min_size=1, max_size=6))
def test_whatever_the_columns_a_few_rows_can_be_looked_at(
    columns: dict[str, list[object]],
) -> None:
    seen = look(pl.DataFrame({n: pl.Series(v, strict=False) for n, v in columns.items()}))
    assert "6 rows" in str(seen)
    assert seen.surface is None


def test_answers_of_people_are_read_as_estimate_reads_them() -> None:
    rng = np.random.default_rng(3)
    truth, light = rng.choice(["a", "b", "c"], 200), rng.choice(["day", "night"], 200)
    pred = np.where(rng.random(200) < 0.9, truth, "c")
    of = np.repeat(np.arange(200), 3)
    answers = pl.DataFrame(
        {
            "item": of,
            "worker": [f"w{k}" for k in np.tile(np.arange(3), 200)],
            "answer": np.where(rng.random(600) < 0.75, truth[of], "a"),
            "pred": pred[of],
            "light": light[of],
            "gold": [str(truth[k]) if k < 40 else None for k in of],
        }
    )
    asked = {"y_true": "answer", "y_pred": "pred", "id": "item", "annotator": "worker"}
    for rows, gold in ((answers, "gold"), (answers.drop("gold"), None)):
        seen = look(rows)
        said = aa.estimate(rows, ["light"], gold=gold, **asked)
        assert seen.attributes == ("light",)
        assert seen.surface is not None
        assert seen.surface.overall == said.overall
        assert str(said.label_trust) in str(seen)
        assert seen.scores[0].labels == said.n_labels
        bare = look(rows.drop("light"))
        assert bare.surface is None
        assert str(bare.trust) in str(bare)
        assert "the truth itself" not in str(bare)


def test_rows_with_times_may_be_watched(rows: pl.DataFrame, tmp_path: Path) -> None:
    dated = rows.with_columns(day=pl.date(2026, 1, 1) + pl.duration(days=pl.col("id") // 4))
    dated.write_parquet(path := tmp_path / "rows.parquet")
    typed = look(path).commands["Whether it got worse over time"]
    assert typed.startswith("assay watch")
    assert "--time day" in typed
    assert "Whether it got worse over time" not in look(dated.drop("day")).commands


def test_rows_with_a_judge_may_give_it_a_certificate(rows: pl.DataFrame, tmp_path: Path) -> None:
    judged = rows.with_columns(judge=(pl.col("pred:good") == pl.col("label")).cast(pl.Int8))
    judged.write_parquet(path := tmp_path / "rows.parquet")
    typed = look(path).commands["Where a judge may decide in place of people"]
    assert typed.endswith("--judge judge --certificate certificate.json")
