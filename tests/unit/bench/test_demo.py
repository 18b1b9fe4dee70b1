from accuracy_assay.bench.demo import default_method, default_rivals
from accuracy_assay.bench.method import is_available


def test_the_default_is_at_hand() -> None:
    assert is_available(default_method())


def test_a_method_is_shown_against_random_labels_of_the_same_estimator() -> None:
    assert default_rivals("constant+signals/largest-variance")[0] == "constant+signals/random"
    assert "constant/random" not in default_rivals("constant/random")
