"""Events are written as JSON and read back equal, or refused by name."""

from dataclasses import FrozenInstanceError

import pytest

from accuracy_assay.domain.events import (
    Asked,
    AssayOpened,
    Claimed,
    Edited,
    Event,
    Extended,
    Fitted,
    Invited,
    PoolChanged,
    Predicted,
    Released,
    Revoked,
    Settled,
    SignedIn,
    Skipped,
    Told,
    Undone,
    decode,
    encode,
)
from accuracy_assay.errors import StoreError

EVERY_KIND: list[Event] = [
    AssayOpened({"assay": {"name": "a"}, "list": [1, {"x": None}]}, 3, "abc"),
    Predicted("google", ("x1", "x2"), ("cat", "dog"), (0.5, None), 0.012),
    Asked(("x1",), "ann", 1e9, "google", ("largest",), (0.1 + 0.2,)),
    Told(("x1", "ü\x00"), ("cat", ""), "ann", ({"sex": "f"}, {}), (1.5, None), True),
    Skipped(("x2",), "bob", "too dark"),
    Released(("x1",), "ann"),
    Extended(("x1",), "ann", 2e9),
    Edited({"assay": {"budget": 5}}, ("assay.budget",)),
    PoolChanged({"sex": "ab"}),
    Claimed("google", ("x1",), "host:1:ab", 5.5, ("host:2:cd",)),
    Undone((), "ann", 2e9),
    Settled(("x1",), ("dog",), "admin"),
    Invited("ann", "annotator", "ab12", 2e9, False),
    SignedIn("ab12", "cd34", 3e9),
    Revoked("ann"),
    Fitted("google", 4, 2, 0.25, 1.5),
]


@pytest.mark.parametrize("event", EVERY_KIND, ids=lambda event: type(event).__name__)
def test_an_event_is_read_back_equal(event: Event) -> None:
    assert decode(*encode(event)) == event


@pytest.mark.parametrize("event", EVERY_KIND, ids=lambda event: type(event).__name__)
def test_an_event_never_changes(event: Event) -> None:
    with pytest.raises(FrozenInstanceError):
        event.ids = ()  # type: ignore[misc,union-attr]


def test_fields_that_came_later_have_their_defaults_in_events_of_before() -> None:
    assert decode("Told", '{"ids":["x"],"labels":["a"],"annotator":"ann"}') == Told(
        ("x",), ("a",), "ann", (), (), False
    )


def test_predictions_of_version_0_1_are_still_read() -> None:
    event = EVERY_KIND[1]
    kind, payload = encode(event)
    assert kind == "Predicted"
    assert decode("Scored", payload) == event


def test_a_number_that_json_does_not_have_is_never_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(Undone(("x",), "ann", float("nan")))


def test_a_kind_of_a_newer_version_asks_for_an_upgrade() -> None:
    with pytest.raises(StoreError, match=r"kind in .*'Told'.*; got 'Merged'\. Upgrade"):
        decode("Merged", "{}")


@pytest.mark.parametrize(
    "payload", ["", "{", "[]", "3", "{}", '{"ids":[],"annotator":"a","reason":"","more":1}']
)
def test_a_damaged_event_is_refused_with_its_kind(payload: str) -> None:
    with pytest.raises(StoreError, match="got a damaged Skipped: "):
        decode("Skipped", payload)


def test_half_a_character_that_was_stored_is_marked_and_the_event_is_read() -> None:
    event = Told(("x1",), ("a\ud800",), "an\udfffn", ({"sex": "\ud800f"},), (None,))
    kind, payload = encode(event)
    read = decode(kind, payload)
    assert read == Told(("x1",), ("a\ufffd",), "an\ufffdn", ({"sex": "\ufffdf"},), (None,))
    assert decode(*encode(read)) == read
    assert decode(*encode(Skipped(("ü😀",), "ann"))).ids == ("ü😀",)  # type: ignore[union-attr]


def test_events_of_stores_that_knew_no_chances_and_no_goals_are_read() -> None:
    asked = '{"ids":["x1"],"annotator":"ann","until":1.0,"service":"s","reasons":["r"],'
    asked += '"probabilities":[0.5]}'
    assert decode("Asked", asked) == Asked(("x1",), "ann", 1.0, "s", ("r",), (0.5,))
    fitted = '{"service":"s","seen_seq":3,"n_labels":2,"seconds":0.1,"expected_macro_mse":null}'
    assert decode("Fitted", fitted) == Fitted("s", 3, 2, 0.1)
    new = Fitted("s", 3, 2, 0.1, 1.0, (0.9, 0.8, 1.0), (0.7, 0.6, 0.8), 0.1)
    assert decode(*encode(new)) == new
