"""Letting people in: what is stored, what counts, and what other processes see."""

import pytest

from accuracy_assay.domain.events import Invited, SignedIn
from accuracy_assay.errors import InputError


def test_a_link_lets_one_in_once_and_the_session_counts_everywhere(every_bench) -> None:
    assay, other = every_bench.create(), every_bench.open()
    link = assay.admission.invite("ann")
    session = other.admission.sign_in(link)
    assert session is not None
    assert other.admission.sign_in(link) is None
    assert assay.admission.sign_in(link) is None
    assert assay.admission.who(session).annotator == "ann"
    assert assay.admission.glance(session) == assay.admission.who(session)
    other.admission.revoke("ann")
    assert assay.admission.who(session) is None


def test_a_link_waits_until_it_is_used_over_or_revoked(bench) -> None:
    assay = bench.create()
    links = {name: assay.admission.invite(name, "reader") for name in ("bob", "ann", "cem")}
    assay.admission.invite("ann", days=1.0)
    assay.admission.invite("robot", is_link=False)
    waiting = [(each.annotator, each.role) for each in assay.admission.waiting()]
    assert waiting == [("ann", "annotator"), ("bob", "reader"), ("cem", "reader")]
    assay.admission.sign_in(links["bob"])
    assay.admission.revoke("cem")
    bench.clock.now += 2 * 86_400.0
    assert [each.annotator for each in assay.admission.waiting()] == ["ann"]


def test_a_glance_knows_what_this_process_has_read(bench) -> None:
    assay, other = bench.create(), bench.open()
    token = other.admission.invite("robot", is_link=False)
    assert assay.admission.glance(token) is None
    assert assay.admission.who(token).annotator == "robot"
    assert assay.admission.glance(token).annotator == "robot"


def test_no_token_is_stored(bench) -> None:
    assay = bench.create()
    link = assay.admission.invite("ann", "admin")
    session = assay.admission.sign_in(link)
    events = [e.event for e in assay.session.events() if isinstance(e.event, Invited | SignedIn)]
    assert len(events) == 2
    assert link not in repr(events)
    assert session not in repr(events)


def test_a_link_that_is_over_is_refused(bench) -> None:
    assay = bench.create()
    link = assay.admission.invite("ann", days=1.0)
    bench.clock.now += 86_401.0
    assert assay.admission.sign_in(link) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("",), "annotator must have a name"),
        (("ann", "owner"), "role must be annotator, reader or admin; got 'owner'"),
    ],
)
def test_a_bad_invitation_is_refused_and_not_recorded(bench, arguments, complaint) -> None:
    assay = bench.create()
    before = assay.status().events
    with pytest.raises(InputError, match=complaint):
        assay.admission.invite(*arguments)
    with pytest.raises(InputError, match="days must be above 0"):
        assay.admission.invite("ann", days=float("nan"))
    assert assay.status().events == before
