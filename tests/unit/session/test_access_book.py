"""Who may come in: by tokens of which digests are kept, once, until they end or are revoked."""

from accuracy_assay.domain.events import Invited, Revoked, SignedIn
from accuracy_assay.session.access_book import AccessBook, digest_of, new_token


def invited(
    token: str, who: str = "ann", role: str = "annotator", *, is_link: bool = True
) -> Invited:
    return Invited(who, role, digest_of(token), 100.0, is_link)


def swapped(link: str, session: str, until: float = 500.0) -> SignedIn:
    return SignedIn(digest_of(link), digest_of(session), until)


def test_a_link_is_swapped_for_a_session_once() -> None:
    book = AccessBook()
    book.apply(0.0, invited("link"))
    assert book.link("link", 1.0).annotator == "ann"
    assert book.who("link", 1.0) is None
    book.apply(1.0, swapped("link", "first"))
    book.apply(1.0, swapped("link", "second"))
    assert book.link("link", 2.0) is None
    assert book.who("first", 2.0).role == "annotator"
    assert book.who("second", 2.0) is None


def test_a_link_that_is_over_lets_nobody_in() -> None:
    book = AccessBook()
    book.apply(0.0, invited("link"))
    assert book.link("link", 100.0) is None
    book.apply(100.0, swapped("link", "late"))
    assert book.who("late", 101.0) is None


def test_a_session_ends_at_its_time() -> None:
    book = AccessBook()
    book.apply(0.0, invited("link", role="admin"))
    book.apply(1.0, swapped("link", "session", until=50.0))
    assert book.who("session", 49.9).is_admin
    assert book.who("session", 50.0) is None


def test_a_token_for_a_program_serves_until_its_time() -> None:
    book = AccessBook()
    book.apply(0.0, invited("robot", is_link=False))
    assert book.who("robot", 99.0).annotator == "ann"
    assert book.link("robot", 99.0) is None
    assert book.who("robot", 100.0) is None


def test_revoking_ends_all_that_one_person_had_and_nothing_of_others() -> None:
    book = AccessBook()
    for who in ("ann", "bob"):
        book.apply(0.0, invited(f"{who} link", who))
        book.apply(0.0, invited(f"{who} robot", who, is_link=False))
        book.apply(0.0, invited(f"{who} other link", who))
        book.apply(1.0, swapped(f"{who} link", f"{who} session"))
    book.apply(2.0, Revoked("ann"))
    assert book.invited == {"bob": "annotator"}
    for token in ("session", "robot"):
        assert book.who(f"ann {token}", 3.0) is None
        assert book.who(f"bob {token}", 3.0).annotator == "bob"
    assert book.link("ann other link", 3.0) is None
    assert book.link("bob other link", 3.0) is not None
    book.apply(4.0, invited("again"))
    assert book.link("again", 5.0).annotator == "ann"


def test_tokens_differ_and_their_digests_do_not_show_them() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) >= 43 and token not in digest_of(token) for token in tokens)


def test_any_text_is_looked_up_without_an_error() -> None:
    book = AccessBook()
    book.apply(0.0, invited("link"))
    for text in ("", "\ud800", "é" * 10_000, "\x00"):
        assert book.link(text, 1.0) is None
        assert book.who(text, 1.0) is None
