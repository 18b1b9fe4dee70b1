"""A first spec from the columns of a table."""

from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_texts import make_texts

from accuracy_assay.exploration.goals import GOALS, GoalName
from accuracy_assay.spec.infer import infer_spec
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.read import read_spec

N = 60


def spec_of(pool: pl.DataFrame, folder: Path) -> Spec:
    path = folder / "assay.toml"
    path.write_text(infer_spec(pool, Path("pool.parquet")), encoding="utf-8")
    return read_spec(path)


def test_every_column_gets_the_part_that_its_name_and_values_tell(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pool = pl.DataFrame(
        {
            "clip": [f"c{i}" for i in range(N)],
            "gender": ["f", "m"] * (N // 2),
            "is_native": [True, False, False] * (N // 3),
            "accent": ["uk", "uk", "us", "us"] * (N // 4),
            "p_accent__uk": rng.random(N),
            "p_accent__us": rng.random(N),
            "seconds": rng.random(N) * 10,
            "file": [f"{i}.wav" for i in range(N)],
            "google_pred": [0, 10, 2] * (N // 3),
            "google_confidence": rng.random(N),
            "ibm_pred": [0, 1, 1] * (N // 3),
            "label": [0, 1, 2] * (N // 3),
        }
    )
    spec = spec_of(pool, tmp_path)
    assert spec.pool.id == "clip"
    assert [a.name for a in spec.attribute] == ["gender", "is_native", "accent"]
    assert spec.attribute[2].evidence == "p_accent__*"
    assert [(s.name, s.column, s.confidence) for s in spec.service] == [
        ("google", "google_pred", "google_confidence"),
        ("ibm", "ibm_pred", None),
    ]
    assert spec.label.choices == ("0", "1", "2", "10")
    assert spec.label.show == {"audio": "file"}
    assert '# name = "seconds"' in (tmp_path / "assay.toml").read_text()


def test_what_is_missing_is_marked(tmp_path: Path) -> None:
    spec = spec_of(pl.DataFrame({"id": ["x", "y"]}), tmp_path)
    assert spec.attribute[0].name == spec.service[0].column == "CHANGE ME"


def test_what_texts_are_like_is_proposed(tmp_path: Path) -> None:
    texts, about = make_texts(60)
    asked = [f"{text}{'?' if i % 2 else '.'}" for i, text in enumerate(texts)]
    pool = pl.DataFrame({"id": range(60), "said": asked, "heard_pred": about})
    spec = spec_of(pool, tmp_path)
    (first,) = spec.attribute
    assert (first.name, first.from_text, first.feature) == ("question", "said", "question")
    beside = spec_of(pool.with_columns(sex=pl.Series(["f", "m"] * 30)), tmp_path)
    assert [a.name for a in beside.attribute] == ["sex"]
    assert '# feature = "question"' in (tmp_path / "assay.toml").read_text()
    every = (tmp_path / "assay.toml").read_text().replace("# [[attribute]]", "[[attribute]]")
    for key in ("name", "from_text", "feature"):
        every = every.replace(f"# {key} =", f"{key} =")
    (tmp_path / "assay.toml").write_text(every)
    assert [a.feature for a in read_spec(tmp_path / "assay.toml").attribute][:2] == [
        None,
        "question",
    ]


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
columns = st.dictionaries(
    names,
    st.sampled_from(
        [list(range(5)), ["a", 'b"\n', "\x00\x7f", None, "]"], [0.5, None, 1, 2, 3], [True] * 5]
    ),
    min_size=1,
    max_size=5,
)


@given(columns)
def test_whatever_the_columns_the_spec_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, list[object]]
) -> None:
    pool = pl.DataFrame(
        {name: pl.Series(values, strict=False) for name, values in columns.items()}
    )
    spec_of(pool, tmp_path_factory.mktemp("spec"))


def test_the_goal_is_written_with_every_goal_in_plain_words(tmp_path: Path) -> None:
    pool = pl.DataFrame({"id": ["x", "y", "z"], "sex": ["f", "m", "f"], "a_pred": [1, 2, 1]})
    assert spec_of(pool, tmp_path).assay.goal == "surface"
    text = infer_spec(pool, Path("pool.parquet"), "mix", Path("mix.csv"))
    for name in get_args(GoalName):
        assert f"#   {name:<9}{GOALS[name]}" in text
    path = tmp_path / "assay.toml"
    path.write_text(text, encoding="utf-8")
    assay = read_spec(path).assay
    assert (assay.goal, assay.mix) == ("mix", str(tmp_path / "mix.csv"))


def test_every_model_is_a_service_and_no_score_an_attribute(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    said = {f"pred:model/{k}:x": rng.choice(["A", "B"], N) for k in range(29)}
    right = {f"model{k}_correct": rng.integers(0, 2, N) for k in range(3)}
    pool = pl.DataFrame({"id": range(N), "sex": ["f", "m"] * (N // 2), **said, **right})
    spec = spec_of(pool, tmp_path)
    assert [s.column for s in spec.service] == list(said)
    assert [a.name for a in spec.attribute] == ["sex"]


def test_attributes_that_make_more_arms_than_labels_are_left_to_choose(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    many = {f"a{k}": rng.choice(list("uvwxyz"), 3000) for k in range(5)}
    pool = pl.DataFrame({"id": range(3000), **many, "b_pred": rng.choice(["x", "y"], 3000)})
    spec = spec_of(pool, tmp_path)
    assert [a.name for a in spec.attribute] == ["a0", "a1", "a2"]  # four have 1,296 arms
    text = (tmp_path / "assay.toml").read_text()
    assert '# name = "a3"' in text
    assert "3 attributes make 216 arms: 1,000 labels are 4.6 per arm" in text


def test_what_is_left_out_is_said_with_the_reason_and_the_truth_is_offered_from_the_label(
    tmp_path: Path,
) -> None:
    race = ["a", "b", "c", "d"] * (N // 4)
    pool = pl.DataFrame(
        {
            "id": range(N),
            "race": race,
            "race3": [r.replace("d", "c") for r in race],
            "label": ["x", "y", "y"] * (N // 3),
            "b_pred": ["x", "y", "x"] * (N // 3),
        }
    )
    spec = spec_of(pool, tmp_path)
    assert [a.name for a in spec.attribute] == ["race3"]
    text = (tmp_path / "assay.toml").read_text()
    assert "# left out: race: says the same as 'race3'" in text
    assert '# name = "label"\n# from_label = true' in text


def test_missing_values_are_a_value_and_judges_and_clusters_are_named(tmp_path: Path) -> None:
    pool = pl.DataFrame(
        {
            "id": range(N),
            "sex": ["f", None, "m"] * (N // 3),
            "speaker": [k // 2 for k in range(N)],
            "b_pred": ["x", "y", "x"] * (N // 3),
            "judge_score": [1, 2, 3, 4] * (N // 4),
        }
    )
    spec = spec_of(pool, tmp_path)
    assert spec.attribute[0].missing == "value"
    assert spec.pool.cluster == "speaker"
    assert [(j.name, j.column) for j in spec.judge] == [("judge_score", "judge_score")]


def test_of_several_texts_the_longest_is_shown_and_the_others_are_named(tmp_path: Path) -> None:
    texts, about = make_texts(60)
    longer = [f"{text} and so on, {i} times" for i, text in enumerate(texts)]
    pool = pl.DataFrame({"id": range(60), "said": texts, "story": longer, "heard_pred": about})
    assert spec_of(pool, tmp_path).label.show == {"text": "story"}
    assert 'or several: text = ["story", "said"]' in (tmp_path / "assay.toml").read_text()
