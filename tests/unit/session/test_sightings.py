"""What annotators had been shown of an instance: fixed at the time of their answer."""

from accuracy_assay.session.sightings import Sightings

HIDDEN = {"label": {"show": {"text": "answer"}}}
SHOWN = {"label": {"show": {"text": ["answer", "llm"]}, "choices_from": ["options"]}}


def test_what_is_shown_later_was_not_seen_and_what_was_seen_stays_seen() -> None:
    seen = Sightings()
    seen.follow(HIDDEN, ())
    seen.see("x1", "ann")
    seen.follow(SHOWN, ())
    seen.see("x2", "ann")
    seen.follow(HIDDEN, ())
    seen.see("x2", "ann")
    assert seen.seen_by("x1", ["ann"]) == {"answer"}
    assert seen.seen_by("x2", ["ann"]) == {"answer", "llm", "options"}
    assert seen.first == {"answer"}


def test_who_holds_an_instance_sees_what_a_new_spec_shows() -> None:
    seen = Sightings()
    seen.follow(SHOWN, [("x1", "ann")])
    seen.follow({"label": {}}, ())
    seen.see("x1", "bob")
    assert "llm" in seen.seen_by("x1", ["ann", "bob"])
    assert not seen.seen_by("x1", ["bob"])
