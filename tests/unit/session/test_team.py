"""The team: what each has done, how well they agree, and what is left to settle."""

import numpy as np
import pytest

from accuracy_assay.domain.events import Asked, Event, Invited, Recorded, Settled, Skipped, Told
from accuracy_assay.session.ledger import Ledger
from accuracy_assay.session.team import count_team


def after(*events: Event) -> Ledger:
    ledger = Ledger(100, 3)
    ledger.apply(Recorded(seq, 1.0, event) for seq, event in enumerate(events, start=1))
    return ledger


def told(annotator: str, **answers: str) -> Told:
    seconds = tuple(float(len(label)) for label in answers.values())
    return Told(tuple(answers), tuple(answers.values()), annotator, seconds=seconds)


def test_nobody_is_a_team_of_none() -> None:
    team = count_team(Ledger(), 0.0)
    empty = {"members": (), "alpha": None, "shared": 0, "disputes": (), "confusions": ()}
    assert team.to_dict() == empty | {"alpha_interval": None, "trust": None}


def test_each_member_has_what_they_did() -> None:
    team = count_team(
        after(
            Invited("ann", "admin", "d", 9.0),
            Invited("cem", "annotator", "e", 9.0),
            told("ann", x="cat", y="dog", z="giraffe"),
            told("bob", x="cat", y="cat"),
            Skipped(("z",), "bob"),
            Asked(("w",), "bob", 9.0, "s", ("why",), (1.0,)),
        ),
        2.0,
    )
    ann, bob, cem = team.members
    assert (ann.name, ann.role, ann.answers, ann.agrees, ann.seconds) == (
        "ann",
        "admin",
        3,
        0.5,
        3.0,
    )
    assert (bob.role, bob.answers, bob.skipped, bob.held, bob.agrees) == (None, 2, 1, 1, 0.5)
    assert (cem.role, cem.answers, cem.agrees, cem.seconds) == ("annotator", 0, None, None)
    assert team.shared == 2
    assert [(d.id, dict(d.answers)) for d in team.disputes] == [
        ("y", {"ann": "dog", "bob": "cat"})
    ]


def test_alpha_is_that_of_krippendorffs_own_definition() -> None:
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 3, (4, 40)).astype(float)
    answers[1:, :25] = answers[0, :25]  # people agree on most
    answers[rng.random((4, 40)) < 0.3] = np.nan
    events = [
        told(f"p{k}", **{f"x{i}": f"c{int(v)}" for i, v in enumerate(row) if not np.isnan(v)})
        for k, row in enumerate(answers)
    ]
    found = count_team(after(*events), 2.0).alpha
    assert found == pytest.approx(nominal_alpha(answers))


def nominal_alpha(answers: np.ndarray) -> float:
    """Observed over expected disagreement of pairs within units, by counting every pair."""
    pairs, values = [], []
    for unit in answers.T:
        given = unit[~np.isnan(unit)]
        if given.size < 2:
            continue
        values += given.tolist()
        n_differ = sum(a != b for i, a in enumerate(given) for j, b in enumerate(given) if i != j)
        pairs.append(n_differ / (given.size - 1))
    n = len(values)
    expected = sum(a != b for i, a in enumerate(values) for j, b in enumerate(values) if i != j)
    return 1.0 - sum(pairs) / n / (expected / (n * (n - 1)))


def test_alpha_needs_two_labels_and_an_instance_that_two_answered() -> None:
    assert count_team(after(told("ann", x="cat"), told("bob", y="dog")), 2.0).alpha is None
    assert count_team(after(told("ann", x="cat"), told("bob", x="cat")), 2.0).alpha is None


def test_two_spellings_of_one_label_are_no_dispute() -> None:
    team = count_team(after(told("ann", x="2"), told("bob", x="2.0")), 2.0)
    assert team.disputes == ()
    assert team.members[0].agrees == 1.0


def test_what_is_settled_is_in_dispute_no_more() -> None:
    ledger = after(told("ann", x="cat"), told("bob", x="dog"), Settled(("x",), ("dog",), "admin"))
    assert count_team(ledger, 2.0).disputes == ()
    assert ledger.resolve("x").label == "dog"
    assert dict(ledger.resolve("x").votes) == {"cat": 1, "dog": 1}


def test_interval_of_alpha_holds_it() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    people = [np.where(rng.random(60) < 0.8, truth, 1 - truth) for _ in range(2)]
    events = [
        told(f"p{k}", **{f"x{i}": f"c{v}" for i, v in enumerate(row)})
        for k, row in enumerate(people)
    ]
    team = count_team(after(*events), 2.0)
    assert team.alpha is not None
    assert team.alpha_interval is not None
    assert team.alpha_interval[0] < team.alpha < team.alpha_interval[1]
