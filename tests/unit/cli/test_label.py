import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.cli.label import find_answer


@pytest.fixture
def label(assay, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Call ``assay label`` with typed lines, and return what was shown."""

    def call(store: str, typed: str, *options: object) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed.replace(" ", "\n")))
        answer = assay("label", store, *options)
        assert answer.code == 0, answer.err
        return str(answer.out)

    return call


def status(assay, store: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(assay("status", store, "--json").out)
    return found


def labels(store: str) -> dict[str, str]:
    with aa.Assay.open(store) as opened:
        return dict(opened.labels().select("id", "label").iter_rows())


def test_keys_first_letters_and_whole_words_are_answers(assay, label, store: str) -> None:
    text = label(store, "1 d =cat q ", 4, "--annotator", "ann")
    assert "1 cat   2 dog" in text
    assert "4 instances to label" in text
    assert list(labels(store).values()) == ["cat", "dog", "cat"]
    assert status(assay, store)["annotators"] == {"ann": 3}


def test_quitting_gives_back_what_was_not_answered_and_skips_nothing(
    assay, label, store: str
) -> None:
    assert "gave 3 unanswered instances back" in label(store, "1 q ", 4)
    found = status(assay, store)
    assert (found["held"], found["spent"], found["skipped"]) == (0, 1, 0)


def test_the_end_of_the_input_is_as_good_as_quitting(assay, label, store: str) -> None:
    label(store, "", 4)
    assert status(assay, store)["held"] == 0


def test_what_was_held_before_is_shown_first_and_stays_held(assay, label, store: str) -> None:
    held = json.loads(assay("ask", store, 2, "--json").out)
    text = label(store, "1 q ")
    assert held[0]["id"] in text
    assert status(assay, store)["held"] == 1


def test_undo_shows_the_instance_again_and_skip_does_not(assay, label, store: str) -> None:
    text = label(store, "1 u 2 s q ", 3)
    assert [line for line in text.splitlines() if line.startswith("1 of 3")][1:]
    assert list(labels(store).values()) == ["dog"]
    assert status(assay, store)["skipped"] == 1
    assert "you have no answer to undo" in label(store, "u q ", 1, "--annotator", "bob")


def test_back_keeps_an_answer_on_enter_and_replaces_it_otherwise(label, store: str) -> None:
    assert "your answer: cat" in label(store, "1 b\n\n2 b 1 q ", 3)
    assert list(labels(store).values()) == ["cat", "cat"]


def test_a_wrong_answer_is_named_and_asked_for_again(label, store: str) -> None:
    text = label(store, "bird\n\n? 1 q ", 2)
    assert "must be one of [cat, dog]; got 'bird'" in text
    assert "type an answer" in text
    assert "goes back to the previous one" in text
    assert list(labels(store).values()) == ["cat"]


def test_each_round_says_what_it_did_to_the_surface(assay, label, store: str) -> None:
    text = label(store, "1 2 " * 20, 10)
    said = [line for line in text.splitlines() if "good: accuracy" in line]
    assert len(said) == 3
    assert ", was" not in said[0]
    assert ", was" in said[1]
    assert "nothing more to ask for" in text
    assert status(assay, store)["labels"] == 30


def test_guessed_attributes_are_asked_for_and_may_be_left_open(assay, label, folder: Path) -> None:
    pool = pl.read_parquet("pool.parquet").drop("sex")
    chance = pl.Series("p_sex__f", [0.3, 0.8] * (pool.height // 2))
    pool.with_columns(chance, (1.0 - chance).alias("p_sex__m")).write_parquet("guessed.parquet")
    spec = {
        "assay": {
            "budget": 9,
            "estimator": "beta-independent",
            "strategy": "random",
            "calibration": "raw",
        },
        "pool": {"path": str(folder / "guessed.parquet")},
        "attribute": [{"name": "sex", "evidence": "p_sex__*"}],
        "service": [{"name": "good", "column": "good_pred"}],
    }
    aa.Assay.create("guessed.assay", spec).close()
    text = label("guessed.assay", "cat 2 dog\n\nbird x ", 3)
    assert "sex?  1 f   2 m   Enter: not sure" in text
    assert "got 'x'" in text
    with aa.Assay.open("guessed.assay") as opened:
        told = [e.event for e in opened.session.events() if type(e.event).__name__ == "Told"]
    assert [e.attributes for e in told] == [({"sex": "m"},), ({},)]
    assert "sex?" not in label("guessed.assay", "cat q ", 1, "--no-attributes")


def test_the_question_is_asked_with_the_choices_of_each_row_or_for_several_labels(
    label, assay, folder: Path, store: str
) -> None:
    plain = (folder / "assay.toml").read_text()
    dropped = ("choices", "agreement")
    kept = [line for line in plain.splitlines() if not line.startswith(dropped)]
    keys = {
        "own": 'choices_from = "good_pred"',
        "sets": 'choices = ["cat", "dog"]\nanswer = "several"\nagreement = "overlap"',
    }
    for name, more in keys.items():
        lines = "\n".join(kept).replace('name = "pool"', f'name = "{name}"')
        text = lines.replace("[label]", f'[label]\nquestion = "Which animal?"\n{more}')
        (folder / f"{name}.toml").write_text(text)
        assert assay("init", f"{name}.assay", "--spec", f"{name}.toml").code == 0
    shown = label("own.assay", "bird 1 q ", 2)
    assert "Which animal?" in shown
    assert "must be one of" in shown
    assert set(labels("own.assay").values()) <= {"cat", "dog"}
    assert len(labels("own.assay")) == 1
    assert "several: divide them by |" in label("sets.assay", "dog|cat q ", 2)
    assert list(labels("sets.assay").values()) == ["cat | dog"]


def test_free_text_is_the_label(label, assay, folder: Path, store: str) -> None:
    spec = (folder / "assay.toml").read_text().replace('name = "pool"', 'name = "free"')
    lines = [line for line in spec.splitlines() if not line.startswith("choices")]
    (folder / "free.toml").write_text("\n".join(lines))
    assert assay("init", "free.assay", "--spec", "free.toml").code == 0
    assert "type the label" in label("free.assay", "bird =s :q ", 3)
    assert list(labels("free.assay").values()) == ["bird", "s"]


@pytest.mark.parametrize(
    ("word", "choices", "answer"),
    [
        ("1", ("cat", "dog"), "cat"),
        ("1", ("0", "1"), "1"),
        ("DO", ("cat", "dog"), "dog"),
        ("c", ("cat", "cow"), "c"),
        ("cow", ("cow", "cowboy"), "cow"),
        ("=1", ("cat", "dog"), "1"),
        ("=", (), "="),
    ],
)
def test_a_word_means_at_most_one_choice(word: str, choices: tuple[str, ...], answer: str) -> None:
    assert find_answer(word, choices) == answer


def test_a_choice_comes_before_a_key_of_the_same_letter(label, assay, folder: Path) -> None:
    pool = pl.read_parquet("pool.parquet").with_columns(good_pred=pl.lit("s"))
    pool.write_parquet("sizes.parquet")
    spec = {
        "assay": {"estimator": "beta-independent", "strategy": "random", "budget": 9},
        "pool": {"path": str(folder / "sizes.parquet")},
        "attribute": [{"name": "sex"}],
        "service": [{"name": "good", "column": "good_pred"}],
        "label": {"choices": ["s", "m", "l"]},
    }
    aa.Assay.create("sizes.assay", spec).close()
    assert ":s skip" in label("sizes.assay", "s :s l :q ", 4)
    assert list(labels("sizes.assay").values()) == ["s", "l"]
    assert status(assay, "sizes.assay")["skipped"] == 1
