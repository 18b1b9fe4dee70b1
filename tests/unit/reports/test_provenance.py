"""Where a surface comes from is said in words."""

from dataclasses import replace

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.provenance import facts_of, model_numbers, pool_digest


def test_what_the_makers_knew_is_told_in_words(surface: AccuracySurface) -> None:
    said = {"service": "reader", "cost": 12.5, "version": "9.9", "pool_digest": "ab" * 32}
    facts = facts_of(replace(surface, details={"estimator": "x", "provenance": said}))
    assert facts["service"] == "reader"
    assert facts["cost of predictions"] == "12.50"
    assert facts["software"] == "accuracy-assay 9.9"
    assert facts["fingerprint of the pool"] == "abababababab"
    assert (facts["labels"], facts["pool rows"]) == ("25.5", "105")


def test_names_of_the_code_are_explained_or_left_out(surface: AccuracySurface) -> None:
    details = {"own_variance": 0.25, "secret_knob": 3.0, "joint_weight": {"a": 1.0}}
    made = replace(surface, details=details)
    numbers = model_numbers(made)
    assert list(numbers.values()) == ["0.25"]
    assert not any("_" in words for words in (*numbers, *facts_of(made)))
    assert "secret_knob" not in facts_of(made)


def test_the_fingerprint_follows_the_rows_of_the_pool_alone(surface: AccuracySurface) -> None:
    same = replace(surface, mean=surface.mean * 0.99, sd=surface.sd / 2, lower=surface.lower / 2)
    other = replace(surface, support=surface.support + 1.0)
    assert pool_digest(same) == pool_digest(surface) != pool_digest(other)
