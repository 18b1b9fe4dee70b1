"""Services of a session side by side, from labels that scored them all."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.session.comparing import prices_of

from .conftest import Bench, GuessedBench, make_spec

THREE = [{"name": name, "column": name} for name in ("good", "bad", "third")]


def with_third(bench: Bench) -> Bench:
    third = pl.Series("third", np.where(np.arange(bench.pool.height) % 3, "cat", "dog"))
    bench.pool = bench.pool.with_columns(third)
    return bench


def tell(bench: Bench, assay: Any, n: int) -> None:
    ids = bench.pool["id"][:n]
    assay.tell(ids, bench.truth(ids))


def gold(bench: Bench, first: str, second: str) -> float:
    pool = bench.pool
    a, b = ((pool[s] == pool["truth"]).cast(pl.Float64) for s in (first, second))
    return float((a - b).mean())


def test_a_pool_that_is_labelled_has_its_exact_difference(bench: Bench) -> None:
    with bench.create(assay={"budget": 60, "estimator": "anova-gp"}) as assay:
        tell(bench, assay, 60)
        found = assay.compare()
        assert found.names == ("good", "bad")
        assert found.is_paired
        difference = found.difference("good", "bad")
        assert difference.mean == pytest.approx(gold(bench, "good", "bad"))
        assert difference.sd == pytest.approx(0.0, abs=1e-6)
        assert found[0].behind == 0.0
        assert found[1].behind == pytest.approx(difference.mean)


def test_accuracies_are_those_of_the_surfaces_and_nothing_is_fitted_beside_them(
    bench: Bench,
) -> None:
    with with_third(bench).create(service=THREE, assay={"estimator": "anova-gp"}) as assay:
        tell(bench, assay, 30)
        shown = {name: assay.surface(name) for name in ("good", "bad", "third")}
        found = assay.compare()
        assert all(found.surfaces[name] is surface for name, surface in shown.items())
        mix = pl.DataFrame({"sex": ["f", "m"], "weight": [3.0, 1.0]})
        for asked, of in (
            (found, lambda s: s.overall),
            (found.at(sex="f"), lambda s: s.at(sex="f")),
            (found.under(mix), lambda s: s.under(mix)),
        ):
            for place in asked:
                said = of(shown[place.name])
                assert place.estimate.mean == pytest.approx(said.mean, abs=1e-12)
                assert (place.estimate.lower, place.estimate.upper) == pytest.approx(
                    (said.lower, said.upper), abs=1e-12
                )
                assert place.behind == pytest.approx(asked[0].estimate.mean - said.mean, abs=1e-12)


def test_services_are_all_unless_some_are_named(bench: Bench) -> None:
    with with_third(bench).create(service=THREE) as assay:
        tell(bench, assay, 30)
        assert assay.compare().names == ("good", "bad", "third")
        assert assay.compare(["third", "good"]).names == ("third", "good")
        assert set(assay.compare().ranks["service"]) == {"good", "bad", "third"}


def test_a_question_is_asked_of_the_same_labels(bench: Bench) -> None:
    with bench.create() as assay:
        tell(bench, assay, 30)
        by_where = assay.compare(where={"sex": "f"})
        assert by_where[0].estimate == assay.compare().at(sex="f")[0].estimate
        mix = pl.DataFrame({"sex": ["f"]})
        assert assay.compare(mix=mix)[0].estimate.mean == pytest.approx(by_where[0].estimate.mean)


def test_prices_are_those_of_the_spec_unless_others_are_given(bench: Bench) -> None:
    services = [
        {"name": "good", "column": "good", "price": 0.006},
        {"name": "bad", "column": "bad"},
    ]
    with bench.create(service=services) as assay:
        tell(bench, assay, 20)
        assert assay.compare().prices == {"good": 0.006, "bad": 0.0}
        other = {"good": 1.0, "bad": 2.0}
        assert assay.compare(prices=other).prices == other


def test_a_spec_without_prices_has_none(bench: Bench) -> None:
    with bench.create() as assay:
        assert prices_of(assay.spec, assay.spec.service) == {}


def test_one_service_is_too_few(bench: Bench) -> None:
    with bench.create() as assay:
        tell(bench, assay, 5)
        with pytest.raises(InputError, match=r"two or more different ones; got \['good'\]"):
            assay.compare(["good"])
        with pytest.raises(InputError, match=r"got \['good', 'good'\]"):
            assay.compare(["good", "good"])
        with pytest.raises(InputError, match="got 'nobody'"):
            assay.compare(["good", "nobody"])


def test_guessed_attributes_are_compared_too(guessed: GuessedBench) -> None:
    services = [{"name": "ear", "column": "heard"}, {"name": "deaf", "column": "silence"}]
    silent = pl.lit("0").alias("silence")
    guessed.pool = guessed.pool.with_columns(silent)
    guessed.seed = guessed.seed.with_columns(silent)
    with guessed.create(service=services) as assay:
        found = assay.compare()
        # The seed set alone says that hearing something beats answering the same to all.
        assert found[0].name == "ear"
        assert found.difference("ear", "deaf").probability > 0.9


def test_a_service_must_have_answered_what_is_labelled(bench: Bench) -> None:
    services = [make_spec()["service"][0], {"name": "cats", "callable": "builtins:len"}]
    with bench.create(service=services) as assay:
        tell(bench, assay, 5)
        with pytest.raises(InputError, match="'cats' must have predicted every labelled instance"):
            assay.compare()
