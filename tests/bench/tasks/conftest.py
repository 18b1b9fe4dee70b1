"""Small files in the formats of the data sets that do not ship."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from assay_bench.tasks.celeb_faces import ATTRIBUTES as CELEB_FACES
from assay_bench.tasks.celeba_files import ATTRIBUTES

N_FACES = 300
OTHERS = ("5_o_Clock_Shadow", "Attractive")


def _save(data: Path, folder: str, columns: dict[str, Any]) -> None:
    (data / folder).mkdir(parents=True)
    pl.DataFrame(columns).write_parquet(data / folder / "pool.parquet")


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A data folder with a few rows of every table that does not ship."""
    _save(
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
    _save(
        tmp_path,
        "audiomnist",
        {
            "id": [0, 1, 2],
            "digit": [3, 4, 5],
            "speaker": [7, 8, 9],
            "duration_band": ["long", "short", "mid"],
            "loudness_band": ["quiet", "loud", "mid"],
            "attr_train": [False, False, True],
            **{name: [values[0], values[1], values[0]] for name, values in guessed.items()},
            **{f"p_{n}__{v}": [0.5, 0.5, 0.5] for n, values in guessed.items() for v in values},
            **{
                f"{service}_{part}": [1, 0, 1]
                for service in ("google", "microsoft", "ibm", "deepspeech")
                for part in ("pred", "confidence", "correct")
            },
        },
    )
    flags = ("has_proper_noun", "has_apostrophe", "rare_word", "has_number_word", "is_question")
    _save(
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
    _save(
        tmp_path,
        "bbq",
        {
            "id": ["Age-0", "Age-1"],
            "category": ["Age", "Age"],
            "question_polarity": ["neg", "nonneg"],
            "context_condition": ["ambig", "disambig"],
            "group": ["old", "nonOld"],
            "truth": ["unknown", "the boy"],
            "race_pred": ["unknown", "the man"],
            "race_correct": [1, 0],
            "arc_pred": ["the man", "the man"],
            "qonly_pred": ["the man", "the boy"],
        },
    )
    _save(
        tmp_path,
        "mmlu_pair",
        {
            "id": [0, 1, 2, 3],
            "subject": ["law", "law", "art", "art"],
            "mixtral_correct": [1, 0, 1, 1],
            "n_words": [74, 73, 38, 37],
            "has_negation": [True, False, False, True],
            "has_number": [False, False, True, True],
        },
    )
    _save(
        tmp_path,
        "frank",
        {
            "document": ["x", "x", "y"],
            "model_name": ["bart", "pgn", "bart"],
            "dataset": ["cnndm", "cnndm", "cnndm"],
            "human_factuality": [1.0, 0.5, 0.0],
            "rouge_1": [0.1, 0.2, 0.3],
            "factcc": [1.0, 0.0, 0.5],
            "dep_entail": [0.2, None, 0.8],
            "feqa": [0.3, 0.1, None],
            "qags": [0.5, 0.5, 0.0],
            "bertscore_p_art": [0.9, 0.8, 0.7],
        },
    )
    known, stated = [0, 1, 1], np.array([0.02, 0.9, 0.7], np.float32)
    _save(
        tmp_path,
        "celeb_faces",
        {
            "id": ["c0", "c1", "c2"],
            **dict.fromkeys(CELEB_FACES, known),
            **{f"p_{name}__1": stated for name in CELEB_FACES},
            "correct": [1, 0, 1],
        },
    )
    return tmp_path


@pytest.fixture(scope="session")
def faces_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CelebA in small: attribute k lights a patch of the face, through noise."""
    root = tmp_path_factory.mktemp("data")
    images = root / "celeba" / "img_align_celeba"
    images.mkdir(parents=True)
    rng = np.random.default_rng(5)
    kinds = rng.random((10, 12)) < np.linspace(0.3, 0.7, 12)
    gold = kinds[rng.integers(10, size=N_FACES)]  # few kinds of face, so that arms repeat
    columns = [OTHERS[0], *sorted(ATTRIBUTES), OTHERS[1]]
    lines = [str(N_FACES), " ".join(columns)]
    for i, row in enumerate(gold):
        face = rng.normal(90.0, 35.0, (16, 12))
        for k, holds in enumerate(row):
            face[4 * (k // 3) : 4 * (k // 3) + 4, 4 * (k % 3) : 4 * (k % 3) + 4] += 60.0 * holds
        name = f"{i + 1:06d}.jpg"
        Image.fromarray(np.clip(face, 0, 255).astype(np.uint8)).convert("RGB").save(images / name)
        known = dict(zip(ATTRIBUTES, row, strict=True))
        marks = ["1" if known.get(column, False) else "-1" for column in columns]
        lines.append(f"{name}  {'  '.join(marks)}")
    (root / "celeba" / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")
    return root
