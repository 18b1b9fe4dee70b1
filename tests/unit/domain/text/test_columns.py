"""Columns are derived alike for all tables of an assay, and in every process."""

from pathlib import Path

import polars as pl
import pytest
from fake_embedder import install_embedder
from made_texts import make_texts
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.domain.text.attribute import FEATURES, RULES, TextAttribute
from accuracy_assay.domain.text.columns import add_text_attributes, with_text_columns
from accuracy_assay.errors import InputError, UnknownNameError

TEXTS, _ = make_texts()
POOL = TEXTS.to_frame().with_row_index("id")
EVIL = ["", None, "\x00", "[x](y){z}*\\", "\U0001f600" * 3, "a" * 10_000, "\u202eabc\n\r\t"]


def attributes(*features: str) -> list[TextAttribute]:
    few = {"topic": 3, "main-topic": 3}
    return [TextAttribute("said", feature, topics=few.get(feature)) for feature in features]


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    install_embedder(monkeypatch)


def test_every_feature_gives_a_row_for_every_text_however_odd() -> None:
    odd = pl.DataFrame({"said": EVIL})
    made = with_text_columns(attributes(*FEATURES), [POOL, odd])[1]
    exact = [a.name for a in attributes(*FEATURES) if not a.is_guessed]
    missing = made.select(exact).filter(pl.Series([text is None for text in EVIL]))
    assert missing.null_count().row(0) == (1,) * len(exact)
    assert made.select(exact).null_count().row(0) == (1,) * len(exact)
    probabilities = made.select(pl.col("^p_topic__.*$"))
    assert probabilities.sum_horizontal(ignore_nulls=False).round(3).to_list() == [
        None if text is None else 1.0 for text in EVIL
    ]


def test_the_main_topic_is_the_most_probable_one() -> None:
    (made,) = with_text_columns(attributes("topic", "main-topic"), [POOL])
    table = made.select(pl.col("^p_topic__.*$"))
    best = [max(row, key=row.__getitem__) for row in table.to_dicts()]
    assert ["p_topic__" + value for value in made["main_topic"]] == best


def test_a_table_gets_what_its_texts_have_in_the_pool() -> None:
    every = attributes(*FEATURES)
    pool, some = with_text_columns(every, [POOL, POOL[40:10:-3]])
    assert_frame_equal(pool[40:10:-3], some)
    (turned,) = with_text_columns(every, [POOL.reverse()])
    assert_frame_equal(turned.reverse(), pool)


def test_probabilities_are_kept_and_made_anew_where_they_are_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    calls.touch()
    (tmp_path / "mood_tagger.py").write_text(
        "from pathlib import Path\n"
        f"calls = Path({str(calls)!r})\n"
        "def mood(texts):\n"
        "    calls.write_text(calls.read_text() + 'x')\n"
        "    return [[0.25, 0.75]] * len(texts)\n"
    )
    wanted = [TextAttribute("said", "mood_tagger:mood", values=("good", "bad"))]
    kept = tmp_path / "kept"
    monkeypatch.syspath_prepend(tmp_path)
    (first,) = with_text_columns(wanted, [POOL], kept=kept)
    (again,) = with_text_columns(wanted, [POOL.reverse()], kept=kept)
    assert_frame_equal(again, first.reverse())
    assert calls.read_text() == "x"
    (file,) = kept.iterdir()
    file.write_bytes(b"damaged")
    with_text_columns(wanted, [POOL], kept=kept)
    pl.DataFrame({"good": [0.5]}).write_parquet(file)
    with_text_columns(wanted, [POOL], kept=kept)
    assert calls.read_text() == "xxx"
    with_text_columns(wanted, [POOL[:50]], kept=kept)
    assert calls.read_text() == "xxxx"
    assert first["p_mood__bad"].unique().to_list() == [0.75]


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    (made,) = with_text_columns(attributes("main-topic"), [POOL], kept=taken)
    assert made["main_topic"].null_count() == 0


def test_a_tagger_sees_each_text_once() -> None:
    seen: list[str] = []

    def mood(texts: list[str]) -> list[list[float]]:
        seen.extend(texts)
        return [[1.0, 0.0]] * len(texts)

    rows = pl.DataFrame({"said": ["b", "a", None, "b"]})
    wanted = [TextAttribute("said", mood, values=("x", "y"))]
    made = with_text_columns(wanted, [rows, rows])[1]
    assert seen == ["a", "b"]
    assert made["p_mood__x"].to_list() == [1.0, 1.0, None, 1.0]


@pytest.mark.parametrize("feature", RULES)
def test_a_column_of_categories_is_a_column_of_texts(feature: str) -> None:
    plain = add_text_attributes(POOL, "said", [feature])
    packed = add_text_attributes(
        POOL.with_columns(pl.col("said").cast(pl.Categorical)), "said", [feature]
    )
    assert plain[plain.columns[-1]].to_list() == packed[packed.columns[-1]].to_list()


def test_what_cannot_be_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="got 'spoken'"):
        add_text_attributes(POOL, "spoken", ["length"])
    with pytest.raises(InputError, match="column 'id' of text attribute 'length' must hold texts"):
        add_text_attributes(POOL, "id", ["length"])
    taken = POOL.with_columns(length=pl.lit(1))
    with pytest.raises(InputError, match="a table that already has the column 'length'"):
        add_text_attributes(taken, "said", ["length"])
    with pytest.raises(InputError, match="must be of column 'said'; got 'other'"):
        add_text_attributes(POOL, "said", [TextAttribute("other", "length")])


def test_the_helper_learns_from_the_pool() -> None:
    rows = POOL[:3]
    alone = add_text_attributes(rows, "said", ["rare-words"])
    within = aa.add_text_attributes(rows, "said", ["rare-words"], pool=POOL)
    assert within["rare_words"].dtype != alone["rare_words"].dtype
