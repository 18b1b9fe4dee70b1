"""Columns with another part are not offered; what texts are like is."""

import polars as pl
from made_texts import make_texts

from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.study.attributes.offered import OfferedColumns, offer_columns, text_features

TEXTS, _ = make_texts(200)
SAID = pl.Series("said", [f"{t}{'?' if i % 2 else '.'}" for i, t in enumerate(TEXTS)])
ROWS = pl.DataFrame(
    {
        "id": range(200),
        "said": SAID,
        "sex": ["f", "m"] * 100,
        "right": [1, 0, 1, 1] * 50,
        "other_pred": ["x", "y"] * 100,
        "other_correct": [0, 1, 1, 0] * 50,
        "p_sex__f": [0.5, 0.25] * 100,
    }
)


def test_what_belongs_to_other_services_is_skipped_by_name() -> None:
    offered = offer_columns(ROWS, {"right"})
    assert offered.names == ("id", "said", "sex")
    assert offered.skipped == {
        "other_pred": "is the prediction of 'other'",
        "other_correct": "is a score of 'other'",
        "p_sex__f": "is evidence of 'sex'",
    }


def test_features_of_texts_are_read_and_typed() -> None:
    offered = offer_columns(ROWS, {"right"})
    assert offered.typed["question"] == "question=text:said:question"
    table = offered.read(ROWS)
    assert table.columns == [*offered.names, *offered.texts]
    assert table["question"].to_list() == [i % 2 == 1 for i in range(200)]
    assert OfferedColumns((), offered.texts).read(ROWS).height == 200


def test_the_pool_decides_where_lengths_are_cut() -> None:
    pool = pl.DataFrame({"said": ["a b c d", "a b c d e f", "a b c d e f g h"] * 20})
    short = pool.filter(pl.int_range(pl.len()) % 3 == 0)
    offered = OfferedColumns((), {"length": TextAttribute("said", "length")})
    whole = offered.read(pool, short)["length"]
    assert set(whole[pool.height :]) == {whole[0]}


def test_a_text_that_is_used_already_offers_nothing() -> None:
    assert not offer_columns(ROWS, {"right", "said"}).texts


def test_a_feature_that_is_an_attribute_is_not_offered_again() -> None:
    used = [TextAttribute("said", "question", "asks")]
    assert "question" not in offer_columns(ROWS, {"right"}, used).texts


def test_features_of_two_texts_have_different_names() -> None:
    both = ROWS.with_columns(SAID.alias("heard"))
    found = text_features(both, ["said", "heard"])
    assert {"question", "heard_question"} <= set(found)


def test_clusters_have_names_of_their_own() -> None:
    taken = ROWS.with_columns(cluster=pl.lit(1), note=pl.col("said"))
    offered = OfferedColumns(()).with_clusters(taken, ["said", "note"])
    assert offered.typed == {
        "said_cluster": "said_cluster=text:said:cluster",
        "note_cluster": "note_cluster=text:note:cluster",
    }
