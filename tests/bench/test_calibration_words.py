"""How calibrations rank beside the paper's figure 5."""

from bench_outcomes import outcome_of

from assay_bench.calibration_words import calibration_words


def errors(raw: float, temperature: float, full: float) -> dict[str, float]:
    return {
        "beta-independent@raw": raw,
        "beta-independent@temperature": temperature,
        "beta-independent@full": full,
    }


def test_the_papers_order_is_said_to_be_it() -> None:
    words = calibration_words(outcome_of({"am1n": errors(3.0, 2.0, 1.0)}))
    assert "- **am1n**: full 1.00, temperature 2.00, raw 3.00; as in the paper." in words


def test_another_order_is_close_or_without_a_reason() -> None:
    turned = {"digits": errors(3.0, 1.0, 1.1)}
    close = calibration_words(outcome_of(turned, spread=1.0))
    assert "full and temperature are within a deviation over seeds" in close
    assert "a reason that is not known" in calibration_words(outcome_of(turned))


def test_the_seed_set_is_named_only_where_all_agree() -> None:
    same = calibration_words(outcome_of({"digits": errors(2.0, 2.0, 2.0)}, labels=500))
    assert "At 500 labels all calibrations have the same error" in same
    other = calibration_words(outcome_of({"digits": errors(3.0, 2.0, 1.0)}, labels=500))
    assert "the same error:" not in other
