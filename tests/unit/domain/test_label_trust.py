"""How far labels are verified, in words and in a surface's details."""

from accuracy_assay.domain.label_trust import LabelTrust

_UNCHECKED = LabelTrust(100, 5, 300, 0, None, 0.2)


def test_details_hold_the_whole_value() -> None:
    assert LabelTrust.said_by(_UNCHECKED.details) == _UNCHECKED
    assert LabelTrust.said_by({}) is None


def test_unverified_labels_leave_more_slack_than_people_differ() -> None:
    assert _UNCHECKED.slack > _UNCHECKED.differ
    said = (
        f"(an assumption), every accuracy may be off by up to {100 * _UNCHECKED.slack:.0f} points"
    )
    assert said in str(_UNCHECKED)
    assert LabelTrust(100, 5, 300, 40, 0.7, 0.2, is_verified=True).slack == 0.0


def test_answers_that_explain_little_are_named() -> None:
    said = str(LabelTrust(100, 5, 300, 40, 0.7, 0.2, 0.1, is_verified=True))
    assert "will add little" in said
