"""Where an assay stands: plain numbers that nothing is fitted for."""

import json

import pytest

from accuracy_assay.domain.events import Fitted
from accuracy_assay.session.status import expected_errors, raw_agreement


def test_every_number_is_counted_from_the_events(bench) -> None:
    label = {"choices": ["cat", "dog"], "annotators": 2}
    assay = bench.create(label=label, assay={"budget": 20})
    held = assay.ask(4, annotator="ann")["id"].to_list()
    assay.tell(held[0], "cat", "ann")
    assay.tell(held[0], "dog", "bob")
    assay.tell("x0" if "x0" not in held else "x1", "cat", "bob")
    assay.skip(held[1], "ann")
    status = assay.status()
    assert (status.name, status.pool, status.seed_labels) == ("pets", 60, 0)
    assert (status.labels, status.answers, status.disputed, status.skipped) == (2, 3, 1, 1)
    assert (status.asked, status.held) == (4, 2)
    assert (status.budget, status.spent) == (20, 3)
    assert status.annotators == {"ann": 1, "bob": 2}
    assert status.events == len(assay.session.events())


def test_the_seed_set_is_counted_apart(guessed) -> None:
    status = guessed.create().status()
    assert (status.labels, status.seed_labels, status.pool) == (0, 40, 80)


def test_it_reads_as_a_mapping_and_as_json(bench) -> None:
    status = bench.create().status()
    assert status["budget"] == status.budget == 40
    assert {"labels", "budget", "asked", "services"} <= set(status)
    assert len(status) == len(list(status)) == len(dict(status))
    assert "Budget" not in status
    with pytest.raises(KeyError):
        status["to_dict"]
    read = json.loads(json.dumps(status.to_dict()))
    assert read["services"][0]["name"] == "good"
    assert set(read) == set(status)


def test_a_service_shows_its_last_fit_and_the_forecast_of_all(bench) -> None:
    assay = bench.create()
    services = {s.name: s for s in assay.status().services}
    assert (services["good"].predicted, services["good"].cost) == (60, 0.0)
    assert services["good"].fitted_labels is services["good"].expected_macro_mse is None
    for n_labels, expected in ((10, 4.0), (20, 2.0), (40, 1.0), (80, 0.5)):
        assay.session.journal.append(
            Fitted("good", assay.status().events, n_labels, 0.1, expected)
        )
    good, bad = assay.status().services
    assert (good.fitted_labels, good.expected_macro_mse) == (80, 0.5)
    assert good.labels_to_halve == pytest.approx(80.0, rel=0.05)
    assert (bad.fitted_labels, bad.labels_to_halve) == (None, None)


def test_held_instances_are_those_whose_lease_has_not_run_out(bench) -> None:
    assay = bench.create(assay={"lease_minutes": 10})
    assay.ask(5)
    bench.clock.now += 599
    assert (assay.status().held, assay.status().spent) == (5, 5)
    bench.clock.now += 1
    assert (assay.status().held, assay.status().spent, assay.status().asked) == (0, 0, 5)


def test_raw_agreement_is_the_mean_over_the_labels(bench) -> None:
    assay = bench.create()
    assert raw_agreement(assay.session, "good") == (None, 0)
    ids = bench.pool["id"].to_list()[:10]
    assay.tell(ids, bench.truth(ids))
    predicted = bench.pool["good"].to_list()[:10]
    right = sum(t == p for t, p in zip(bench.truth(ids), predicted, strict=True))
    assert raw_agreement(assay.session, "good") == (right / 10, 10)


def test_expected_errors_are_those_of_the_fits(bench) -> None:
    assay = bench.create(assay={"estimator": "anova-gp", "batch": 5})
    assert expected_errors(assay.session, "good") == {}
    for _ in range(3):
        batch = assay.ask(5)
        assay.tell(batch["id"], bench.truth(batch["id"]))
    assay.ask(1)
    fitted = [e.event for e in assay.session.events() if type(e.event).__name__ == "Fitted"]
    of_good = {f.n_labels: f.expected_macro_mse for f in fitted if f.service == "good"}
    assert expected_errors(assay.session, "good") == of_good != {}
