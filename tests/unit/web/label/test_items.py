"""Instances as a page shows them: what the spec shows and nothing that gives the label away."""

import polars as pl
from page_rows import make_pool

from accuracy_assay.domain.events import Asked
from accuracy_assay.session.ledger import Answer
from accuracy_assay.web.label.items import items_of


def test_an_item_has_what_the_spec_shows(served) -> None:
    (item,) = items_of(served.assay, ["x1"])
    assert [(p.kind, p.column) for p in item.show] == [("text", "text"), ("image", "picture")]
    assert item.show[0].text == "<script>alert(1)</script>"
    assert item.show[1].media == "/media/picture?id=x1"
    assert item.arm == ""  # an attribute may hint at the answer
    assert (item.predictions, item.answer, item.confirm) == ({}, None, [])


def test_predictions_are_hidden_unless_the_spec_shows_them(make_served) -> None:
    hidden = make_served()
    shown = make_served(label={"choices": ["cat", "dog"], "show_predictions": True})
    guess = hidden.assay.pool.row(by_predicate=None, index=3, named=True)["guess"]
    assert items_of(hidden.assay, ["x3"])[0].predictions == {}
    assert "truth" not in items_of(hidden.assay, ["x3"])[0].model_dump_json()
    assert items_of(shown.assay, ["x3"])[0].predictions == {"reader": guess}


def test_ids_and_columns_of_any_text_stay_one_address(make_served) -> None:
    pool = make_pool(8).rename({"picture": "a/b ?#"})
    pool = pool.with_columns(pool["id"].replace({"x0": "../x&y=1#%20"}).alias("id"))
    served = make_served(pool, label={"choices": ["cat", "dog"], "show": {"image": "a/b ?#"}})
    (item,) = items_of(served.assay, ["../x&y=1#%20"])
    assert item.show[0].media == "/media/a%2Fb%20%3F%23?id=..%2Fx%26y%3D1%23%2520"


def test_an_address_on_another_host_is_shown_as_text(make_served) -> None:
    pool = make_pool(8).with_columns(
        picture=make_pool(8)["id"].replace_strict(
            {f"x{k}": "https://elsewhere.example/a.png" for k in range(8)}
        )
    )
    served = make_served(pool, label={"choices": ["cat", "dog"], "show": {"image": "picture"}})
    (part,) = items_of(served.assay, ["x1"])[0].show
    assert (part.kind, part.text) == ("text", "https://elsewhere.example/a.png")


def test_only_guesses_that_are_not_sure_are_asked_for(make_served) -> None:
    pool = make_pool(8)
    sure = {f"x{k}": p for k, p in enumerate([0.99, 0.6] * 4)}
    pool = pool.with_columns(
        pl.col("id").replace_strict(sure, return_dtype=pl.Float64).alias("p_age__old")
    ).with_columns((1.0 - pl.col("p_age__old")).alias("p_age__young"))
    served = make_served(
        pool,
        attribute=[{"name": "sex"}, {"name": "age", "evidence": "p_age__*"}],
        assay={"calibration": "raw"},
        label={"choices": ["cat", "dog"], "show_attributes": True},
    )
    known, unsure = items_of(served.assay, ["x0", "x1"])
    assert known.confirm == []
    assert "age=old" in known.arm
    assert [(q.attribute, q.values) for q in unsure.confirm] == [("age", ["old", "young"])]
    assert unsure.arm == ""


def test_an_answer_comes_with_its_item(served) -> None:
    (item,) = items_of(served.assay, ["x1"], {"x1": Answer("cat", {"sex": "f"})})
    assert (item.answer, item.attributes) == ("cat", {"sex": "f"})
    assert items_of(served.assay, []) == []


def test_an_instance_brings_its_own_choices_from_columns_of_lists_or_texts(make_served) -> None:
    pool = make_pool(8).with_columns(
        more=pl.Series([["c", "a"]] * 8), options=pl.lit("a | b |"), none=pl.lit(None, pl.String)
    )
    columns = ["options", "more", "none"]
    served = make_served(pool, label={"choices": [], "choices_from": columns})
    (item,) = items_of(served.assay, ["x1"])
    assert item.choices == ["a", "b", "c"]


def test_confirmations_that_have_a_price_are_shown_where_they_were_asked_for(make_served) -> None:
    pool = make_pool(8).with_columns(p_age__old=pl.lit(0.6), p_age__young=pl.lit(0.4))
    age = {"name": "age", "evidence": "p_age__*", "confirm_price": 0.1}
    served = make_served(pool, attribute=[{"name": "sex"}, age], assay={"calibration": "raw"})
    journal = served.assay.session.journal
    until = journal.clock() + 60.0
    journal.append(
        Asked(("x0", "x1"), "ann", until, "", ("", ""), (1.0, 1.0), confirm=({"age": 0.1}, {}))
    )
    priced, alone = items_of(served.assay, ["x0", "x1"])
    assert [q.attribute for q in priced.confirm] == ["age"]
    assert alone.confirm == []
    assert served.assay.status().spent == 2.1
