"""The rows of an assay: the pool first, the seed set behind it, and what is known of both."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from made_texts import make_texts

import accuracy_assay as aa
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.read import read_spec
from accuracy_assay.storage.memory import MemoryStore


def read(bench: Any, **sections: Any) -> AssayRows:
    return AssayRows.read(read_spec(bench.spec | sections), bench.pool, bench.seed)


def test_rows_of_the_seed_set_follow_those_of_the_pool(guessed) -> None:
    rows = read(guessed)
    assert (rows.n_pool, rows.n_rows) == (80, 120)
    assert rows.ids == tuple(str(i) for i in range(120))
    assert all(rows.ids[row] == name for name, row in rows.row_of.items())
    assert sorted(rows.seed_labels) == list(range(80, 120))
    assert "__assay_id" not in rows.frame.columns


def test_gold_is_what_the_seed_set_knows_and_nothing_else(guessed) -> None:
    rows = read(guessed)
    assert (rows.gold[:80] == -1).all()
    accent = rows.space.attribute("accent").encode(guessed.seed["accent"])
    digit = rows.space.attribute("digit").encode(guessed.seed["label"])
    np.testing.assert_array_equal(rows.gold[80:], np.stack([accent, digit], axis=1))
    assert list(rows.seed_labels.values()) == guessed.seed["label"].to_list()


def test_a_row_of_both_tables_is_one_row(guessed) -> None:
    guessed.pool = pl.concat([guessed.pool, guessed.seed[:10].select(guessed.pool.columns)])
    rows = read(guessed)
    assert (rows.n_pool, rows.n_rows) == (90, 120)
    assert (rows.gold[80:90] >= 0).all()
    assert sorted(rows.seed_labels) == list(range(80, 120))


def test_the_label_stands_in_for_the_gold_of_what_it_reveals(guessed) -> None:
    own = guessed.seed.with_columns(digit=pl.lit("0"))
    by_label = read(guessed).gold[80:, 1]
    guessed.seed = own
    assert set(by_label) == {0, 1}
    assert set(read(guessed).gold[80:, 1]) == {0}


def test_without_a_seed_set_nothing_is_gold(guessed) -> None:
    guessed.seed = None
    rows = read(guessed)
    assert rows.n_rows == rows.n_pool == 80
    assert (rows.gold == -1).all()
    assert rows.seed_labels == {}


def test_values_come_from_the_spec_the_pattern_the_choices_or_the_columns(guessed) -> None:
    guessed.pool = guessed.pool.with_columns(sex=pl.Series(["f", "m"] * 40))
    guessed.seed = guessed.seed.with_columns(sex=pl.Series(["f", "x"] * 20))
    attribute = [
        {"name": "accent", "evidence": "p_accent__*"},
        {"name": "digit", "from_label": True},
        {"name": "sex"},
    ]
    assert [a.values for a in read(guessed, attribute=attribute).space.attributes] == [
        ("uk", "us"),
        ("0", "1"),
        ("f", "m", "x"),
    ]
    attribute[2] |= {"values": ["x", "m", "f"]}
    assert read(guessed, attribute=attribute).space.attributes[2].values == ("x", "m", "f")


def test_the_digest_knows_the_ids_and_not_their_order(guessed) -> None:
    digest = read(guessed).digest
    guessed.pool = guessed.pool[::-1]
    assert read(guessed).digest == digest
    guessed.pool = guessed.pool[1:]
    assert read(guessed).digest != digest


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            pl.Series("id", ["a", None]),
            "must have a value in every row; got a missing one",
        ),
        (pl.Series("id", ["a", "a"]), "unique values"),
        (pl.Series("name", ["a", "b"]), "column of pool .* got 'id'"),
    ],
)
def test_every_row_has_an_id_of_its_own(guessed, column: pl.Series, message: str) -> None:
    guessed.pool = guessed.pool[:2].drop("id").with_columns(column)
    with pytest.raises(InputError, match=message):
        read(guessed)


def test_a_table_that_nobody_named_is_asked_for(guessed) -> None:
    with pytest.raises(InputError, match=r"pool must be a table; got none\. .*\[pool\] path"):
        AssayRows.read(read_spec(guessed.spec))


def test_a_seed_set_without_labels_is_refused(guessed) -> None:
    with pytest.raises(UnknownNameError, match=r"column of seed set .* got 'label'"):
        aa.Assay.create(
            MemoryStore(), guessed.spec, pool=guessed.pool, seed_set=guessed.seed.drop("label")
        )
    with pytest.raises(InputError, match="got 'accent'"):
        aa.Assay.create(
            MemoryStore(), guessed.spec, pool=guessed.pool, seed_set=guessed.seed.drop("accent")
        )


def test_an_id_is_found_as_the_pool_writes_it(guessed) -> None:
    rows = read(guessed)
    assert [rows.find_id(i) for i in (3, 3.0, "3", "3.0", " 3")] == ["3"] * 5
    for strange in ("03", "3.5", "", None, "100"):  # 100 is a row of the seed set alone
        with pytest.raises(InputError, match="id of the pool; got"):
            rows.find_id(strange)


def test_a_missing_label_of_the_seed_set_is_no_label(guessed) -> None:
    label = pl.col("label").cast(pl.Float64)
    guessed.seed = guessed.seed.with_columns(
        label=pl.when(pl.int_range(pl.len()) < 2).then(float("nan")).otherwise(label),
        digit=pl.lit("0"),
    )
    rows = read(guessed)
    assert sorted(rows.seed_labels) == list(range(82, 120))
    assert set(rows.seed_labels.values()) == {"0", "1"}


@pytest.mark.parametrize(
    ("missing", "values", "code"),
    [("value", ("f", "m", "(missing)"), 2), ("guess", ("f", "m"), -1), (None, ("f", "m"), -1)],
)
def test_a_missing_attribute_is_a_value_or_a_guess(
    bench, missing: Any, values: tuple[str, ...], code: int
) -> None:
    sex = pl.when(pl.col("id") == "x3").then(None).otherwise("sex")
    bench.pool = bench.pool.with_columns(sex=sex)
    assay = bench.create(attribute=[{"name": "sex", "missing": missing}])
    assert assay.session.parts().rows.space.attribute("sex").values == values
    assert assay.session.parts().rows.evidence.columns[0][3] == code


def test_the_seed_set_brings_its_own_clusters(guessed) -> None:
    guessed.pool = guessed.pool.with_columns(who=pl.int_range(80) // 10)
    guessed.seed = guessed.seed.with_columns(who=pl.lit("another"))
    rows = read(guessed, pool={"cluster": "who"})
    assert rows.frame["who"].n_unique() == 9
    guessed.seed = guessed.seed.drop("who")
    with pytest.raises(UnknownNameError, match=r"column of seed set .* got 'who'"):
        read(guessed, pool={"cluster": "who"})


def test_a_pool_without_clusters_or_with_gaps_is_refused(guessed) -> None:
    with pytest.raises(UnknownNameError, match=r"column of pool .* got 'who'"):
        read(guessed, pool={"cluster": "who"})
    guessed.seed = None
    guessed.pool = guessed.pool.with_columns(who=pl.Series(["a", "b", None, "c"] * 20))
    with pytest.raises(InputError, match="cluster 'who' must be known for every row; got 20"):
        read(guessed, pool={"cluster": "who"})


def text_spec(*features: str, **keys: Any) -> dict[str, Any]:
    attributes = [{"name": f, "from_text": "said", "feature": f, **keys} for f in features]
    return {"attribute": attributes, "service": [{"name": "ear", "column": "heard"}]}


def text_rows(n_rows: int = 60) -> pl.DataFrame:
    texts, about = make_texts(n_rows)
    said = [f"{text} {'?' if i % 2 else 'now'}" for i, text in enumerate(texts)]
    ids = [f"x{i}" for i in range(n_rows)]
    return pl.DataFrame({"id": ids, "said": said, "heard": about, "label": about})


def read_texts(spec: dict[str, Any], pool: pl.DataFrame, seed: Any = None) -> AssayRows:
    return AssayRows.read(read_spec(spec), pool.drop("label"), seed)


def test_texts_become_attributes_of_pool_and_seed_set() -> None:
    rows = text_rows(90)
    spec = text_spec("question", "length")
    found = read_texts(spec, rows[:60], rows[50:])
    assert found.space.attribute("question").values == (False, True)
    assert found.space.attribute("length").kind == "ordinal"
    question = [i % 2 for i in range(90)]
    assert found.evidence.columns[0].tolist() == question
    assert found.gold[50:, 0].tolist() == question[50:]
    assert (found.gold[:50] == -1).all()


def test_edges_of_a_text_attribute_name_its_bands() -> None:
    spec = text_spec("length", edges=[7])
    rows = read_texts(spec, text_rows())
    assert rows.space.attribute("length").values == ("up to 6 words", "7 words or more")


def test_topics_are_evidence_and_the_seed_set_must_say_what_people_think() -> None:
    rows = text_rows(90)
    spec = text_spec("topic", topics=3)
    found = read_texts(spec, rows[:60])
    assert found.evidence.is_guessed == (True,)
    assert found.space.attribute("topic").size == 4
    with pytest.raises(InputError, match=r"seed set must have a column 'topic'.*main-topic"):
        read_texts(spec, rows[:60], rows[60:])
    values = [str(v) for v in found.space.attribute("topic").values]
    gold = rows[60:].with_columns(topic=pl.Series([values[i % 4] for i in range(30)]))
    assert (read_texts(spec, rows[:60], gold).gold[60:] >= 0).all()


def test_a_missing_text_may_be_a_value_of_its_own() -> None:
    rows = text_rows().with_columns(said=pl.when(pl.col("id") != "x3").then("said"))
    found = read_texts(text_spec("question", missing="value"), rows)
    assert found.space.attribute("question").values == (False, True, "(missing)")
    assert found.evidence.columns[0][3] == 2


def test_columns_of_texts_that_are_not_there_are_named() -> None:
    rows = text_rows(90)
    with pytest.raises(UnknownNameError, match=r"column of pool .* got 'said'"):
        read_texts(text_spec("question"), rows[:60].drop("said"))
    with pytest.raises(UnknownNameError, match=r"column of seed set .* got 'said'"):
        read_texts(text_spec("question"), rows[:60], rows[60:].drop("said"))
