"""The numbers that a page's script gets."""

import json
from dataclasses import replace

import numpy as np
import pytest

from accuracy_assay.reports.page_data import page_data
from accuracy_assay.reports.report import Report


def test_data_is_plain_json_with_no_number_that_json_lacks(report: Report) -> None:
    text = json.dumps(page_data(report, 100), allow_nan=False)
    assert json.loads(text)["attributes"][1]["values"] == ["<30", "30-60", ">60"]


def test_arms_of_the_pool_come_first_and_worst_first(report: Report) -> None:
    arms = page_data(report, 100)["arms"]
    assert arms["mean"] == [0.4, 0.5, 0.6, 0.8, 0.9, 0.7]
    assert arms["status"] == [1, 1, 1, 1, 0, 2]
    assert arms["truth"] == [0.5, 0.6, 0.8, 0.8, 0.7, None]
    assert arms["codes"][0] == [0, 2]


def test_arms_are_those_of_the_frame_unrounded(report: Report) -> None:
    third = replace(report.surface, mean=report.surface.mean / 3.0, lower=np.zeros(6))
    arms = page_data(replace(report, surface=third), 100)["arms"]
    frame = third.to_frame()[arms["place"]]
    for name in ("n", "correct", "support", "mean", "sd", "lower", "upper"):
        assert arms[name] == frame.get_column(name).to_list()


def test_axes_hold_all_that_is_drawn(report: Report) -> None:
    data = page_data(report, 100)
    assert data["arms_axis"]["low"] <= min(data["arms"]["lower"])
    assert data["arms_axis"]["high"] >= max(data["arms"]["upper"])
    narrow = replace(report.surface, lower=report.surface.mean, upper=report.surface.mean)
    zoomed = page_data(replace(report, truth=None, surface=narrow), 100)["pairs_axis"]
    assert (zoomed["low"], zoomed["high"]) == (0.4, 1.0)


def test_limit_keeps_the_arms_of_lowest_mean(report: Report) -> None:
    assert page_data(report, 2)["arms"]["mean"] == [0.4, 0.5]


def test_pairs_hold_the_marginal_and_its_truth(report: Report) -> None:
    (pair,) = page_data(report, 100)["pairs"]
    assert pair["of"] == [0, 1]
    assert pair["codes"] == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]
    assert pair["mean"] == [0.9, 0.8, 0.4, 0.5, 0.6]
    assert pair["truth"] == [0.7, 0.8, 0.5, 0.6, 0.8]


def test_curves_keep_their_order_and_metrics(report: Report) -> None:
    first, second = page_data(report, 100)["curves"]
    assert (first["name"], second["name"]) == ("chosen", "random")
    assert second["macro_mse"] == pytest.approx([6.0, 4.5, 3.0])


def test_of_a_rate_of_errors_the_highest_come_first(errors: Report) -> None:
    data = page_data(errors, 2)
    assert (data["measure"], data["is_error"]) == ("false-positive rate", True)
    assert data["arms"]["mean"] == [0.9, 0.8]
