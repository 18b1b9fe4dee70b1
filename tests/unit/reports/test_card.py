"""A card says what the surface says, in Markdown and in metadata that programs read."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from markdown_it import MarkdownIt

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.reports.card import render_card
from accuracy_assay.reports.report import Report

WICKED = "a|b\n- c: [x](http://y) <img src=x onerror=1> `k` *s* # & \"q\" 'r' \\ {{ --- "


def metadata(card: str) -> dict:
    start, front, _ = card.split("---\n", 2)
    assert start == ""
    (model,) = yaml.safe_load(front)["model-index"]
    return model


def test_metadata_has_what_a_model_index_must_have(report: Report) -> None:
    card = render_card(report, model="org/reader", task="image-classification", dataset="My pool")
    model = metadata(card)
    assert model["name"] == "org/reader"
    (result,) = model["results"]
    assert result["task"] == {"type": "image-classification"}
    assert result["dataset"] == {"name": "My pool", "type": "my-pool"}
    values = [(metric["type"], metric["value"]) for metric in result["metrics"]]
    (found,) = report.slices
    means = (report.overall.mean, report.equal.mean, found.estimate.mean)
    assert values == [("accuracy", pytest.approx(mean, abs=1e-4)) for mean in means]
    assert "age = >60" in result["metrics"][2]["name"]


def test_the_text_has_both_mixes_weak_slices_and_caveats(report: Report, flat: Report) -> None:
    text = render_card(report)
    assert f"Accuracy **{report.overall.mean:.1%}** {report.overall.about}" in text
    assert f"**{report.equal.mean:.1%}** with arms weighted equally" in text
    (found,) = report.slices
    row = f"| {found.estimate.mean:.1%} | {found.estimate.lower:.1%} to"
    assert f"age = &gt;60 (few labels of its own) {row}" in text
    assert "4 of 5 arms have few labels and rest mostly on arms like them" in text
    assert "No slice is clearly weaker than the whole" in render_card(flat)


def test_a_pool_without_rows_has_a_card_without_slices(bare: Report) -> None:
    none = replace(bare, surface=replace(bare.surface, support=np.zeros(6)))
    card = render_card(none)
    assert "No slice has enough pool rows to be looked at." in card
    assert "nan" not in card


def test_another_measure_is_named(errors: Report) -> None:
    card = render_card(errors)
    metrics = metadata(card)["results"][0]["metrics"]
    assert metrics[0]["type"] == "false-positive-rate"
    assert metrics[0]["name"].startswith("false-positive rate of rows like these")
    assert "False-positive rate **72.4%** of rows like these" in card
    assert "lower is better" in card


def test_a_disagreement_with_the_check_by_design_is_a_caveat(bare: Report) -> None:
    far = {"design_check": {"mean": 0.3, "lower": 0.2, "upper": 0.4}}
    text = render_card(replace(bare, surface=replace(bare.surface, details=far)))
    assert "- Warning: the model says" in text


def test_names_from_outside_are_shown_as_they_are(report: Report) -> None:
    space = AttributeSpace((Attribute("x\n# y", (WICKED, "M")), Attribute("age", tuple("abc"))))
    shown = replace(report, title=WICKED, surface=replace(report.surface, space=space))
    card = render_card(shown, model=WICKED)
    model = metadata(card)
    assert model["name"] == WICKED
    assert model["results"][0]["dataset"]["name"] == WICKED
    html = MarkdownIt("commonmark").enable("table").render(card.split("---\n", 2)[2])
    assert "<img" not in html
    assert "<a " not in html
    rows = [line.count("<td") for line in html.split("<tr>")[1:]]
    assert set(rows) == {0, 5, 6}  # heads, values of attributes and slices: no pipe made a column
