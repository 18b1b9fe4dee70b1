"""How many rows are labelled, and what that is worth, in words."""

from accuracy_assay.domain.label_count import LabelCount


def test_certain_labels_are_worth_themselves() -> None:
    count = LabelCount(1200, 1200)
    assert count.share == 1.0
    assert str(count) == "1,200 labels"
    assert count.of(24_000) == "1,200 of 24,000 rows labelled"


def test_labels_of_people_who_err_are_worth_less() -> None:
    count = LabelCount(120, 94.4)
    assert str(count) == "120 labels, worth 94 certain ones"
    assert count.of(400) == "120 of 400 rows labelled, worth 94 certain labels"


def test_no_labels_are_worth_nothing_less() -> None:
    assert LabelCount(0, 0).share == 1.0
