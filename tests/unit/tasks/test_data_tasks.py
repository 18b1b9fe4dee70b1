"""The real tables, as small files of the same format that the test makes."""

from pathlib import Path

import polars as pl
import pytest

from accuracy_assay.tasks.registry import load_task


def save(data: Path, folder: str, columns: dict[str, list[object]]) -> None:
    (data / folder).mkdir(parents=True)
    pl.DataFrame(columns).write_parquet(data / folder / "pool.parquet")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    save(
        tmp_path,
        "adult_llama",
        {
            "id": [0, 1, 2],
            "age_band": ["65p", "17_24", "25_34"],
            "sex": ["Female", "Male", "Male"],
            "race3": ["Black", "White", "Other"],
            "education_band": ["advanced", "lt_hs", "hs"],
            "marital": ["never", "married", "never"],
            "occupation_group": ["service", "unknown", "service"],
            "label": [0, 1, 0],
            "llm_pred": [0, 0, 0],
            "correct": [1, 0, 1],
            "in_prompt": [False, False, True],
        },
    )
    guessed = {
        "gender": ["female", "male"],
        "native_speaker": ["no", "yes"],
        "accent_group": ["german", "other"],
        "age_band": ["22_24", "30p"],
    }
    save(
        tmp_path,
        "audiomnist",
        {
            "id": [0, 1, 2],
            "digit": [3, 4, 5],
            "duration_band": ["long", "short", "mid"],
            "loudness_band": ["quiet", "loud", "mid"],
            "attr_train": [False, False, True],
            **{name: [values[0], values[1], values[0]] for name, values in guessed.items()},
            **{f"p_{n}__{v}": [0.5, 0.5, 0.5] for n, values in guessed.items() for v in values},
            **{
                f"{service}_{part}": [1, 0, 1]
                for service in ("google", "deepspeech")
                for part in ("pred", "confidence", "correct")
            },
        },
    )
    flags = ("has_proper_noun", "has_apostrophe", "rare_word", "has_number_word", "is_question")
    save(
        tmp_path,
        "whisper_text",
        {
            "id": [0, 1],
            "len_band": ["long_12p", "short_1_7"],
            "word_len_band": ["gt5", "lt4.25"],
            **{flag: [0, 1] for flag in flags},
            "agreement": [0.5, 1.0],
            "sentence": ["a b", "c"],
            "prediction": ["a d", "c"],
        },
    )
    return tmp_path


@pytest.mark.parametrize(
    ("name", "n_rows", "n_attributes", "score", "signals"),
    [
        ("adult5", 2, 5, "correct", ("llm_pred",)),
        ("adult6", 2, 6, "correct", ("llm_pred",)),
        ("am2g", 2, 5, "google_correct", ("google_confidence",)),
        ("am2d", 2, 5, "deepspeech_correct", ("deepspeech_confidence",)),
        ("am1n", 2, 5, "google_correct", ("google_confidence",)),
        ("am1n-deepspeech", 2, 5, "deepspeech_correct", ("deepspeech_confidence",)),
        ("whisper-text", 2, 7, "agreement", ()),
    ],
)
def test_rows_used_for_training_are_left_out_and_columns_have_their_part(
    data: Path, name: str, n_rows: int, n_attributes: int, score: str, signals: tuple[str, ...]
) -> None:
    task = load_task(name, data)
    assert task.n_rows == n_rows
    assert len(task.attributes) == n_attributes
    assert (task.score, task.signals) == (score, signals)


@pytest.mark.parametrize(
    ("name", "attribute", "values"),
    [
        ("adult5", "education_band", ("lt_hs", "advanced")),
        ("am2g", "duration_band", ("short", "long")),
        ("am1n", "age_band", ("22_24", "30p")),
        ("whisper-text", "len_band", ("short_1_7", "long_12p")),
    ],
)
def test_bands_are_ordinal_in_their_true_order(
    data: Path, name: str, attribute: str, values: tuple[str, ...]
) -> None:
    by_name = {a.name: a for a in load_task(name, data).arguments()["attributes"]}
    assert (by_name[attribute].kind, by_name[attribute].values) == ("ordinal", values)


def test_speakers_attributes_are_guessed_and_the_digit_comes_from_the_label(data: Path) -> None:
    task = load_task("am1n", data)
    assert set(task.evidence) == {"gender", "native_speaker", "accent_group", "age_band"}
    assert task.from_label == ("digit",)
