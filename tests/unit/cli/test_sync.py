"""``assay sync`` as a user meets it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from label_studio_fake import TOKEN, FakeLabelStudio, fake_label_studio


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLabelStudio]:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
    with fake_label_studio() as running:
        yield running


@pytest.fixture
def sync(assay: Callable[..., Any], store: str, fake: FakeLabelStudio) -> Callable[..., Any]:
    def call(*options: object, project: str = "pets [1]") -> Any:
        return assay(
            *("sync", "label-studio", store, "--url", fake.url, "--project", project),
            *("--batch", 4, *options),
        )

    return call


def test_a_round_pushes_tells_and_says_so_on_one_line(sync, fake: FakeLabelStudio) -> None:
    first = sync("--once")
    assert first.code == 0, first.err
    assert first.out == (
        "0 new answers; 4 tasks pushed; 4 waiting; 0 instances labelled; order 'assay 1'\n"
    )
    project = next(iter(fake.projects))
    best = fake.serve(project)[0]
    fake.answer(best, "cat")
    made = json.loads(sync("--once", "--json").out)
    assert (made["new"], made["pushed"], made["waiting"], made["labels"]) == (1, 1, 4, 1)
    assert made["version"] == "assay 2"


def test_it_goes_on_until_there_is_nothing_more_to_label(
    sync, fake: FakeLabelStudio, assay, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(_: float) -> None:
        for task in fake.serve(next(iter(fake.projects)))[:3]:
            fake.answer(task, "dog")

    monkeypatch.setattr("time.sleep", work)
    done = sync("--every", 0.1)
    assert done.code == 0, done.err
    assert "done: the budget is spent" in done.out.splitlines()[-1]
    status = json.loads(assay("status", store, "--json").out)
    assert (status["labels"], status["spent"], status["held"]) == (30, 30, 0)
    assert len(set(fake.ids())) == len(fake.ids()) == 30


def test_a_server_that_is_away_is_waited_for(
    sync, fake: FakeLabelStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:
            fake.status = 503
        if len(pauses) == 9:
            fake.status = None
            fake.answer(fake.serve(next(iter(fake.projects)))[0], "cat")
        if len(pauses) > 12:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    stopped = sync("--every", 3)
    assert stopped.code == 130
    assert pauses[:7] == [3.0, 0.5, 1.0, 2.0, 4.0, 3.0, 0.5]
    assert "waiting: Label Studio at http://127.0.0.1" in stopped.err
    assert "1 new answer" in stopped.out
    fake.status = 503
    monkeypatch.setattr("time.sleep", lambda _: None)
    away = sync("--once")
    assert away.code == 1
    assert TOKEN not in stopped.out + stopped.err + away.out + away.err


def test_what_cannot_be_told_is_named_once_and_the_rest_is_told(
    sync, fake: FakeLabelStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sync("--once").code == 0
    first, second = fake.serve(next(iter(fake.projects)))[:2]
    fake.answer(first, "[bold]cow[/bold]")
    fake.answer(second, "cat")
    n_rounds = iter(range(3))

    def pause(_: float) -> None:
        if next(n_rounds) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    stopped = sync()
    assert stopped.code == 130
    assert stopped.err.count("left out: ") == 1
    assert "'[bold]cow[/bold]'" in stopped.err
    assert "1 new answer" in stopped.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sync", "prodigy"), "labelling tool must be one of [label-studio]; got 'prodigy'"),
        (("sync", "label-studio", "--project", "7"), "got 404"),
        (("sync", "label-studio", "--project", "x" * 60), "no more than 50 characters"),
    ],
)
def test_mistakes_are_named(
    assay, store: str, fake: FakeLabelStudio, arguments: tuple[str, ...], message: str
) -> None:
    answer = assay(*arguments, store, "--url", fake.url, "--project", "7")
    if "--project" in arguments:
        answer = assay(*arguments, store, "--url", fake.url)
    assert answer.code == 2
    assert message in answer.err


def test_a_token_is_needed_and_never_shown(
    sync, fake: FakeLabelStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LABEL_STUDIO_API_KEY")
    missing = sync("--once")
    assert missing.code == 2
    assert "export LABEL_STUDIO_API_KEY=..." in missing.err
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "wrong-token-123")
    wrong = sync("--once")
    assert wrong.code == 2
    assert "wrong-token-123" not in wrong.out + wrong.err
