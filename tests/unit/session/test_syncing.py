"""A project and an assay in step: whatever fails, nothing is lost and nothing is doubled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from label_studio_fake import TOKEN, FakeLabelStudio, fake_label_studio

from accuracy_assay.domain.events import Told
from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.labelers.label_studio_server import LabelStudioServer
from accuracy_assay.runtime.http_client import BoundedClient
from accuracy_assay.session.assay import Assay
from accuracy_assay.session.syncing import Sync, SyncRound, open_project

ONE_SERVICE = [{"name": "good", "column": "good"}]
TWO_ANSWERS = {"choices": ["cat", "dog"], "annotators": 2, "show": {"audio": "file"}}


class KilledError(BaseException):
    """The process is gone: nothing that would handle an error may run."""


@dataclass
class Fate:
    """Kills right after the n-th step, which is right before the next; a step calls or writes."""

    at: int | None = None
    n_steps: int = 0

    def step(self, act: Callable[[], Any]) -> Any:
        self.n_steps += 1
        done = act()
        if self.n_steps == self.at:
            raise KilledError
        return done


@dataclass
class MortalTransport(httpx.BaseTransport):
    """Real HTTP, until the process is killed."""

    fate: Fate
    real: httpx.HTTPTransport = field(default_factory=lambda: httpx.HTTPTransport(verify=False))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response: httpx.Response = self.fate.step(lambda: self.real.handle_request(request))
        return response


@dataclass
class Desk:
    """One assay and one server, at which processes come and go."""

    bench: Any
    fake: FakeLabelStudio
    batch: int | None = 4
    media: str = ""
    transports: list[httpx.BaseTransport] = field(default_factory=list)

    def process(self, fate: Fate | None = None) -> Sync:
        fate = fate or Fate()
        assay = self.bench.open()
        store = assay.session.journal.store
        mortal = SimpleNamespace(read=store.read, now=store.now, list=store.list)
        mortal.append = lambda *args: fate.step(lambda: store.append(*args))
        assay.session.journal.store = mortal
        transport = MortalTransport(fate)
        self.transports.append(transport.real)
        server = LabelStudioServer(self.fake.url, TOKEN, transport=transport)
        return Sync(
            assay.session, open_project(assay.session, server, "pets"), self.batch, self.media
        )

    @property
    def project(self) -> int:
        (number,) = self.fake.projects
        return number

    def serve(self) -> list[str]:
        return [self.instance(task) for task in self.fake.serve(self.project)]

    def instance(self, task: int) -> str:
        name: str = self.fake.tasks[task]["data"]["assay_id"]
        return name

    def task(self, instance: str) -> int:
        (number,) = (n for n in self.fake.tasks if self.instance(n) == instance)
        return number

    def answer(self, count: int, who: int = 1) -> list[str]:
        """Let a person answer the tasks that come first."""
        done = self.serve()[:count]
        for instance in done:
            self.fake.answer(self.task(instance), self.bench.truth([instance])[0], who)
        return done


@contextmanager
def open_desk(bench: Any, **options: Any) -> Iterator[Desk]:
    with fake_label_studio() as fake:
        desk = Desk(bench, fake, **options)
        try:
            yield desk
        finally:
            for transport in desk.transports:
                transport.close()


@pytest.fixture
def desk(bench: Any) -> Iterator[Desk]:
    bench.create(assay={"budget": 12, "lease_minutes": 30}, service=ONE_SERVICE)
    with open_desk(bench) as desk:
        yield desk


def labels(assay: Assay) -> dict[str, str]:
    return dict(assay.labels().select("id", "label").iter_rows())


def work(desk: Desk, sync: Sync, each: int = 2) -> SyncRound:
    """Answer and sync until there is nothing more to do."""
    n_rounds = 12
    for _ in range(n_rounds):
        desk.answer(each)
        made = sync.round()
        desk.bench.clock.now += 40.0
        if made.end:
            return made
    raise AssertionError(f"not done after {n_rounds} rounds: {made}")


def test_a_batch_is_pushed_answers_are_told_and_the_place_is_filled_again(desk: Desk) -> None:
    sync = desk.process()
    made = sync.round()
    assert (made.pushed, made.waiting, made.version) == (4, 4, "assay 1")
    assert not sync.round().is_eventful
    done = desk.answer(3)
    made = sync.round()
    assert (made.new, made.pushed, made.waiting, made.labels) == (3, 3, 4, 3)
    assert made.version == "assay 2"
    assert labels(Assay(sync.session)) == dict(zip(done, desk.bench.truth(done), strict=True))
    assert Assay(sync.session).status().annotators == {"ann@x.org": 3}
    assert len(set(desk.fake.ids())) == 7


def test_it_ends_when_the_budget_is_spent(desk: Desk) -> None:
    sync = desk.process()
    made = work(desk, sync)
    assert made.end == "the budget is spent"
    status = Assay(sync.session).status()
    assert (status.labels, status.spent, status.held) == (12, 12, 0)


def test_tasks_are_served_in_the_order_of_what_they_are_worth_and_anew_with_labels(
    bench: Any,
) -> None:
    bench.create(assay={"strategy": "largest-variance", "budget": 40}, service=ONE_SERVICE)
    with open_desk(bench, batch=8) as desk:
        sync = desk.process()
        sync.round()
        assert desk.serve() == sync.session.parts().asking.rank(desk.serve())
        before = desk.serve()
        women = bench.pool.filter((bench.pool["sex"] == "f") & ~bench.pool["id"].is_in(before))
        Assay(sync.session).tell(women["id"], women["truth"], "elsewhere")
        made = sync.round()
        assert (made.new, made.pushed, made.version) == (0, 0, "assay 2")
        assert desk.serve() != before
        assert desk.serve() == sync.session.parts().asking.rank(before)
        assert {p["model_version"] for p in desk.fake.predictions} == {"assay 2"}


def test_what_waits_in_the_project_is_given_to_nobody_else(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    waiting = set(desk.serve())
    for _ in range(10):
        desk.bench.clock.now += 900.0
        sync.round()
    assert set(desk.serve()) == waiting
    elsewhere = Assay(sync.session).ask(20, annotator="cem")["id"].to_list()
    assert len(elsewhere) == 12 - 4
    assert not set(elsewhere) & waiting


def test_an_answer_that_is_told_twice_or_was_changed_counts_once(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    instance = desk.serve()[0]
    given = desk.fake.answer(desk.task(instance), "cat")
    assert sync.round().new == 1
    assert sync.round().new == 0
    assert desk.process().round().new == 0
    assert sum(isinstance(entry.event, Told) for entry in sync.session.events()) == 1
    desk.fake.change(given, "dog")
    assert sync.round().new == 1
    assert labels(Assay(sync.session)) == {instance: "dog"}
    assert Assay(sync.session).status().answers == 1


def test_answers_of_two_people_to_one_task_are_both_kept(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    instance = desk.serve()[0]
    desk.fake.answer(desk.task(instance), "cat", who=1)
    desk.fake.answer(desk.task(instance), "dog", who=2)
    assert sync.round().new == 2
    status = Assay(sync.session).status()
    assert (status.labels, status.answers, status.disputed) == (1, 2, 1)


def test_a_skipped_task_makes_room_and_is_not_pushed_again(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    skipped, answered = desk.serve()[:2]
    given = desk.fake.answer(desk.task(answered), "cat")
    desk.fake.skip(desk.task(skipped))
    made = sync.round()
    assert (made.new, made.pushed, made.waiting) == (1, 2, 4)
    given |= {"was_cancelled": True, "result": [], "updated_at": "2027"}
    assert (sync.round().labels, Assay(sync.session).status().skipped) == (0, 2)
    work(desk, sync)
    assert desk.fake.ids().count(skipped) == desk.fake.ids().count(answered) == 1
    assert {skipped, answered}.isdisjoint(labels(Assay(sync.session)))
    assert Assay(sync.session).status().labels == 12


def test_a_deleted_task_comes_back_while_it_is_wanted_and_its_answer_stays(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    answered, deleted = desk.serve()[:2]
    desk.fake.answer(desk.task(answered), "cat")
    sync.round()
    del desk.fake.tasks[desk.task(answered)], desk.fake.tasks[desk.task(deleted)]
    desk.bench.clock.now += 91.0
    assert sync.round().pushed == 1
    assert desk.fake.ids().count(deleted) == 1
    assert answered not in desk.fake.ids()
    assert labels(Assay(sync.session)) == {answered: "cat"}


def test_what_cannot_be_told_is_named_stays_held_and_is_told_when_it_is_put_right(
    desk: Desk,
) -> None:
    sync = desk.process()
    sync.round()
    wrong, good = desk.serve()[:2]
    given = desk.fake.answer(desk.task(wrong), "cow [x]")
    desk.fake.answer(desk.task(good), "cat")
    made = sync.round()
    assert made.new == 1
    assert len(made.mistakes) == 1
    assert "'cow [x]'" in made.mistakes[0]
    assert wrong in Assay(sync.session).pending("Label Studio at " + sync.project.place)["id"]
    desk.fake.change(given, "dog")
    made = sync.round()
    assert (made.new, made.mistakes) == (1, ())
    assert labels(Assay(sync.session)) == {good: "cat", wrong: "dog"}


def test_a_task_that_someone_answered_elsewhere_is_served_last(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    first = desk.serve()[0]
    Assay(sync.session).tell(first, "cat", "elsewhere")
    made = sync.round()
    assert made.unwanted == 1
    assert desk.serve()[-1] == first
    desk.fake.answer(desk.task(first), "dog")
    assert sync.round().new == 1
    assert Assay(sync.session).status().disputed == 1


def test_tasks_of_others_and_of_another_pool_are_left_alone(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    for number, data in ((900, {"assay_id": "not of this pool"}), (901, {"own": "x"})):
        desk.fake.tasks[number] = {
            "id": number,
            "project": desk.project,
            "data": data,
            "annotations": [],
        }
    desk.fake.answer(900, "cat")
    made = sync.round()
    assert (made.waiting, made.new) == (4, 0)
    assert "not of this pool" in made.mistakes[0]


def test_several_opinions_are_collected_and_paid_for(bench: Any) -> None:
    bench.create(assay={"budget": 9}, label=TWO_ANSWERS)
    with open_desk(bench) as desk:
        sync = desk.process()
        sync.round()
        assert desk.fake.projects[desk.project]["maximum_annotations"] == 2
        for who in (1, 2):
            desk.answer(9, who)
            made = sync.round()
        assert made.new == 4
        status = Assay(sync.session).status()
        assert (status.labels, status.answers, status.spent, status.held) == (4, 8, 8, 0)
        assert (made.waiting, made.pushed, made.end) == (0, 0, None)


def test_images_and_sounds_get_an_address_and_texts_stay(desk: Desk) -> None:
    desk.media = "/data/local-files/?d=sounds/"
    desk.process().round()
    shown = {task["data"]["file"] for task in desk.fake.tasks.values()}
    assert all(file.startswith("/data/local-files/?d=sounds/") for file in shown)


def test_a_server_that_was_away_finds_all_as_it_was(desk: Desk) -> None:
    sync = desk.process()
    sync.round()
    desk.answer(2)
    desk.fake.status = 503
    sync.project.server._sleep = lambda _: None
    for _ in range(3):
        with pytest.raises(ServiceError, match="Look at its log") as caught:
            sync.round()
        assert TOKEN not in str(caught.value)
    desk.fake.status = None
    assert sync.round().new == 2
    assert len(set(desk.fake.ids())) == len(desk.fake.ids()) == 6


def live_and_die(bench: Any, fate: Fate) -> None:
    """Create an assay and go through two rounds of a process that fate may end."""
    bench.create(assay={"budget": 6, "lease_minutes": 30}, service=ONE_SERVICE)
    with open_desk(bench) as desk:
        fake = desk.fake
        try:
            sync = desk.process(fate)
            sync.round()
            desk.answer(2)
            sync.round()
        except KilledError:
            assert fate.at is not None
        bench.clock.now += 91.0  # what was on its way has arrived or never will
        sync = desk.process()
        end = work(desk, sync, each=4).end
        where = f"killed after step {fate.at}"
        assert (end, len(fake.projects)) == ("the budget is spent", 1), where
        assert len(set(fake.ids())) == len(fake.ids()), where
        answered = {desk.instance(n) for n, t in fake.tasks.items() if t["annotations"]}
        assert labels(Assay(sync.session)).keys() == answered, where
        assert Assay(sync.session).status().answers == len(answered) == 6, where
        granted = [i for ids in sync.session.journal.ledger.granted.values() for i in ids]
        assert len(set(granted)) == len(granted) == 6, where


def test_killed_at_every_step_nothing_is_lost_or_doubled(new_bench: Callable[[], Any]) -> None:
    whole = Fate()
    live_and_die(new_bench(), whole)
    assert whole.n_steps > 20
    for at in range(1, whole.n_steps + 1):
        live_and_die(new_bench(), Fate(at))


def test_two_who_sync_at_once_push_nothing_twice(desk: Desk) -> None:
    first, second = desk.process(), desk.process()
    first.round()
    for _ in range(12):
        desk.answer(2)
        for sync in (first, second):
            made = sync.round()
        desk.bench.clock.now += 40.0
        if made.end:
            break
    assert made.end == "the budget is spent"
    assert len(set(desk.fake.ids())) == len(desk.fake.ids()) == 12
    assert Assay(sync.session).status().answers == 12


def test_who_was_slow_looks_again_before_it_pushes(desk: Desk) -> None:
    other = desk.process()
    other.round()
    done = desk.answer(2)

    @dataclass
    class Slow(Fate):
        """Others go through a whole round after the first look at the project."""

        is_over: bool = False

        def step(self, act: Callable[[], Any]) -> Any:
            seen = act()
            if desk.fake.calls[-1] == "GET /api/tasks/" and not self.is_over:
                self.is_over = True
                seen.read()
                other.round()
                desk.bench.clock.now += 100.0
            return seen

    made = desk.process(Slow()).round()
    assert (made.new, made.pushed) == (0, 0)
    assert set(labels(Assay(other.session))) == set(done)
    assert len(set(desk.fake.ids())) == len(desk.fake.ids()) == 6


def test_what_may_be_on_its_way_is_not_sent_again_before_that_is_certain(desk: Desk) -> None:
    sync = desk.process()
    real = httpx.Client()
    lost: list[httpx.Request] = []

    class Lossy(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/import") and not lost:
                lost.append(request)
                raise httpx.ReadTimeout("no answer", request=request)
            return real.send(request)

    sync.project.server.close()
    sync.project.server._client = BoundedClient(Lossy())
    with pytest.raises(ServiceError, match="no whole answer"):
        sync.round()
    assert (sync.round().pushed, desk.process().round().pushed) == (0, 0)
    real.send(lost[0])  # it arrives after all
    assert sync.round().pushed == 0
    desk.bench.clock.now += 91.0
    assert sync.round().pushed == 0
    assert len(set(desk.fake.ids())) == len(desk.fake.ids()) == 4
    real.close()


def test_who_was_too_slow_to_push_in_time_does_not_push(desk: Desk) -> None:
    @dataclass
    class Slow(Fate):
        """The look after the claim takes longer than a call may."""

        def step(self, act: Callable[[], Any]) -> Any:
            n_looks = desk.fake.calls.count("GET /api/tasks/")
            seen = act()
            if n_looks == 1 and desk.fake.calls[-1] == "GET /api/tasks/":
                desk.bench.clock.now += 31.0
            return seen

    sync = desk.process(Slow())
    assert (sync.round().pushed, desk.fake.ids()) == (0, [])
    assert sync.round().pushed == 0
    desk.bench.clock.now += 61.0
    assert sync.round().pushed == 4


def test_a_project_that_may_be_on_its_way_is_waited_for(desk: Desk) -> None:
    assay, clock = desk.bench.open(), desk.bench.clock
    with pytest.raises(KilledError):
        desk.process(Fate(at=2))  # the look, and the claim
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock.now += seconds

    server = LabelStudioServer(desk.fake.url, TOKEN)
    made = open_project(assay.session, server, "pets", sleep)
    assert sum(pauses) == pytest.approx(90.0, abs=2.0)
    assert list(desk.fake.projects) == [made.number]
    server.close()


def test_a_project_by_number_is_set_up_and_one_that_does_not_exist_is_named(desk: Desk) -> None:
    assay = desk.bench.open()
    server = LabelStudioServer(desk.fake.url, TOKEN)
    with pytest.raises(InputError, match="got 404"):
        open_project(assay.session, server, "7")
    made = open_project(assay.session, server, "pets")
    assert open_project(assay.session, server, str(made.number)) == made
    assert open_project(desk.bench.open().session, server, "pets") == made
    assert 'value="$file"' in desk.fake.projects[made.number]["label_config"]
    server.close()
