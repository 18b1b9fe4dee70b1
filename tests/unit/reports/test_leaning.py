"""What a surface rests on beside labels: the signals that tell most, in words."""

from toy_surface import toy

from accuracy_assay.reports.leaning import leaning_on


def test_the_two_signals_that_vary_most_are_named_and_attributes_are_not() -> None:
    variances = {
        "sex": 9.0,
        "length": 0.4,
        "confidence of the service": 3.5,
        "agreement of the referees": 0.5,
        "mean of length over the arm": 2.0,
        "predicted age": 8.0,
    }
    surface = toy(details={"alone_variance": variances})
    assert leaning_on(surface) == ("its confidence", "whether other services agree")


def test_a_signal_that_says_nothing_is_not_named() -> None:
    assert leaning_on(toy(details={"alone_variance": {"length": 0.001}})) == ()
    assert leaning_on(toy()) == ()
