"""Progress is what the fits expected, and the forecast is their fall carried on."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from surface_world import make_about, make_surface

from accuracy_assay.metrics.known_to import known_to
from accuracy_assay.metrics.labels_to_halve import labels_to_halve
from accuracy_assay.study.plan.forecast import Forecast
from accuracy_assay.web.surface.progress_view import error_ahead, progress_view


def known(expected: dict[int, float], pool: int = 1_000) -> tuple[Any, Any]:
    """Return as much of an assay and its status as progress is read from."""
    halve = labels_to_halve(list(expected), list(expected.values()))
    service = SimpleNamespace(name="reader", labels_to_halve=halve)
    labels = max(expected, default=0)
    status = SimpleNamespace(
        services=[service], pool=pool, labels=labels, spent=labels, goal="worst"
    )
    spec = SimpleNamespace(assay=SimpleNamespace(batch=12))
    ledger = SimpleNamespace(
        expectations={"reader": expected}, known_to={"reader": {100: (0.02, 0.08)}}
    )
    journal = SimpleNamespace(reading=lambda: nullcontext(ledger))
    return SimpleNamespace(session=SimpleNamespace(journal=journal), spec=spec), status


def test_the_curve_goes_on_from_the_last_fit_and_halves_where_it_should() -> None:
    expected = {100: 4.0, 200: 2.0, 400: 1.0}
    view = progress_view(make_about(), *known(expected))
    assert [(p.labels, p.error) for p in view.points] == list(expected.items())
    assert view.labels_to_halve == 400.0
    assert (view.ahead[0].labels, view.ahead[0].error) == (400.0, 1.0)
    assert view.ahead[-1].labels == 900.0
    assert view.ahead[-1].error < 0.5 < view.ahead[-6].error
    assert error_ahead(400, 1.0, 400.0, 400.0) == pytest.approx(0.5)
    assert view.remarks == []
    first, second = view.points[:2]
    assert (first.typical, first.overall, first.slice) == (pytest.approx(0.2), 0.02, 0.08)
    assert (second.typical, second.overall) == (pytest.approx(0.1 * 2**0.5), None)


def test_how_closely_the_latest_fit_knows_the_whole_is_read_off_it() -> None:
    surface = make_surface()
    before = surface.n_labels - 20
    expected = {100: 4.0, before: 3.0, surface.n_labels: 2.0}
    points = progress_view(make_about(), *known(expected), surface=surface).points
    closeness = {p.labels: (p.overall, p.slice) for p in points}
    assert closeness[100] == (0.02, 0.08)  # as recorded
    assert closeness[before] == (None, None)
    assert closeness[surface.n_labels] == known_to(surface)


def test_the_curve_ends_where_the_pool_does() -> None:
    view = progress_view(make_about(), *known({100: 4.0, 200: 2.0, 400: 1.0}, pool=450))
    assert view.ahead[-1].labels == 450.0


def test_nothing_is_forecast_too_early() -> None:
    view = progress_view(make_about(), *known({100: 4.0}))
    assert view.ahead == []
    assert "Too early to forecast" in view.remarks[0]
    silent = progress_view(make_about(told=40), *known({}))
    assert silent.remarks == ["This estimator does not report its expected error."]


def test_a_forecast_has_words_and_numbers() -> None:
    plan = Forecast("overall to within 2.0%", 0.03, 0.02, 100, 900, 50, 30, 80, 0.9, True)
    found = progress_view(make_about(), *known({}), plan).forecast
    assert found is not None
    assert found.said == str(plan)
    assert (found.labels, found.lower, found.upper, found.cost) == (50, 30, 80, None)
