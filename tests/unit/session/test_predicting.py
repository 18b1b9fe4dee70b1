"""Services that are called: every answer is kept, no call is made twice."""

import os
import pickle
import platform
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pytest
from http_endpoint import Call, Reply, endpoint

import accuracy_assay as aa
from accuracy_assay.domain.events import Claimed
from accuracy_assay.errors import InputError, ServiceError, UnknownNameError
from accuracy_assay.runtime.engine import LOCAL
from accuracy_assay.services.function import FunctionService
from accuracy_assay.services.http import HttpService
from accuracy_assay.session import predicting
from accuracy_assay.session.predicting import judge_of, n_missing, spread
from accuracy_assay.spec.answerers import JudgeSection, ServiceSection


def api(url: str, **settings: Any) -> dict[str, Any]:
    return {
        "name": "api",
        "url": url,
        "request": {"q": "{id}"},
        "response": {"prediction": "label", "confidence": "p"},
        "price": 0.01,
        **settings,
    }


def n_unjudged(assay: aa.Assay, service: str) -> int:
    return n_missing(assay.session, judge_of(assay.spec, None, service))


def answer(call: Call) -> Reply:
    return Reply({"label": "cat", "p": 0.5})


def test_every_row_is_paid_for_once_and_the_cost_is_told(every_bench) -> None:
    with endpoint(answer) as server:
        assay = every_bench.create(service=[api(server.url)])
        progress: list[tuple[int, int, float]] = []
        assert assay.predict(on_progress=lambda *p: progress.append(p)) == 60
        assert len(server.calls) == 60
        assert progress[-1][:2] == (60, 60)
        assert progress[-1][2] == pytest.approx(0.6)
        again = every_bench.open()
        assert again.predict("api") == 0
        assert len(server.calls) == 60
    status = again.status().services[0]
    assert (status.predicted, status.cost) == (60, pytest.approx(0.6))


def test_a_claim_holds_as_long_as_answers_come(bench) -> None:
    others: list[int] = []

    def slow(call: Call) -> Reply:
        bench.clock.now += 100.0  # 6,000 seconds in all, of which a claim holds 1,800
        if len(server.calls) == 50:
            others.append(bench.open().predict(limit=1))
        return answer(call)

    with endpoint(slow) as server:
        assay = bench.create(service=[api(server.url, concurrency=1)])
        assert assay.predict() == 60
        assert others == [0]
        assert len(server.calls) == 60


def test_a_run_goes_on_where_it_stopped(bench) -> None:
    broken = [True]

    def shaky(call: Call) -> Reply:
        number = int(call.content["q"][1:])
        return Reply("down", 400) if broken[0] and number >= 30 else answer(call)

    with endpoint(shaky) as server:
        assay = bench.create(service=[api(server.url, retries=0, concurrency=1)])
        with pytest.raises(ServiceError, match="status 400"):
            assay.predict()
        assert assay.status().services[0].predicted == 30
        broken[0] = False
        assert bench.open().predict() == 30
        assert len(server.calls) == 61
    asked = [call.content["q"] for call in server.calls]
    assert sorted(set(asked)) == sorted(bench.pool["id"])


def test_rows_that_fail_do_not_keep_the_others_waiting(
    bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.session.predicting._ROWS_PER_CLAIM", 10)

    def mostly(call: Call) -> Reply:
        return Reply("oops", 200) if call.content["q"] in ("x3", "x30") else answer(call)

    with endpoint(mostly) as server:
        assay = bench.create(service=[api(server.url)])
        with pytest.raises(ServiceError, match="1 failures in 10 rows: an answer without 'label'"):
            assay.predict()
        assert len(server.calls) == 60
        assert assay.status().services[0].predicted == 58


def test_a_service_that_is_down_is_given_up_in_its_first_rows(
    bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.session.predicting._ROWS_PER_CLAIM", 20)
    with endpoint(lambda _: Reply("down", 500)) as server:
        assay = bench.create(service=[api(server.url, retries=0, concurrency=1)])
        with pytest.raises(ServiceError, match="10 failures in 20 rows: status 500"):
            assay.predict()
        assert len(server.calls) == 10


def test_a_surface_needs_the_predictions_of_labelled_instances(bench) -> None:
    with endpoint(answer) as server:
        assay = bench.create(service=[api(server.url)])
        ids = assay.ask(10)["id"]
        assay.tell(ids, bench.truth(ids))
        with pytest.raises(InputError, match=r"10 without a prediction.*assay run"):
            assay.surface()
        assert assay.ask(10).height == 10
        assay.predict()
        surface = assay.surface()
    right = sum(label == "cat" for label in bench.truth(ids))
    assert surface.correct.sum() == pytest.approx(right)


def test_predictions_become_signals_once_the_pool_is_predicted(bench) -> None:
    def sure(call: Call) -> Reply:
        number = int(call.content["q"][1:])
        return Reply({"label": "cat" if number % 2 else "dog", "p": number / 60})

    with endpoint(sure) as server:
        assay = bench.create(service=[api(server.url)])
        assay.ask(3)
        assert assay.session.parts().fits.latest("api").solved.problem.strata is None
        assay.predict()
        assay.ask(3)
        strata = assay.session.parts().fits.latest("api").solved.problem.strata
    assert strata.shape[0] == 2
    assert strata.shape[1] > 2


def test_a_secret_never_reaches_an_event(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "hunter2")
    with endpoint(answer) as server:
        headers = {"Authorization": "Bearer ${OWN_KEY}"}
        assay = bench.create(service=[api(server.url, headers=headers)])
        assay.predict()
        assert server.calls[0].headers["Authorization"] == "Bearer hunter2"
    assert "hunter2" not in str([r.event for r in assay.session.events()])
    assert "${OWN_KEY}" in str(assay.session.events()[0].event)


def test_a_column_needs_no_scoring(bench) -> None:
    assert bench.create().predict("good") == 0


def test_two_runs_at_once_share_the_work_and_pay_once(
    every_bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.session.predicting._ROWS_PER_CLAIM", 10)
    with endpoint(answer) as server:
        every_bench.create(service=[api(server.url, concurrency=2)])
        sessions = [every_bench.open() for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            predicted = list(pool.map(lambda session: session.predict(), sessions))
        assert sum(predicted) == 60
        assert len(server.calls) == 60
        assert sorted(call.content["q"] for call in server.calls) == sorted(every_bench.pool["id"])
    assert every_bench.open().status().services[0].cost == pytest.approx(0.6)


def claim(assay: aa.Assay, n: int, runner: str, minutes: float = 5.0) -> None:
    ids = tuple(assay.pool["id"][:n])
    assay.session.journal.append(
        Claimed("api", ids, runner, assay.session.journal.clock() + 60.0 * minutes)
    )


def test_rows_that_another_run_is_at_are_left_to_it_until_its_claim_ends(bench) -> None:
    with endpoint(answer) as server:
        assay = bench.create(service=[api(server.url)])
        claim(assay, 20, f"{platform.node()}:{os.getpid()}:other")
        assert assay.predict() == 40
        bench.clock.now += 301
        assert assay.predict() == 20
        assert len(server.calls) == 60


def test_the_claim_of_a_run_that_was_killed_here_counts_no_more(bench) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    with endpoint(answer) as server:
        assay = bench.create(service=[api(server.url)])
        claim(assay, 20, f"{platform.node()}:{ended.pid}:gone")
        claim(assay, 5, "far-away:1:there")
        assert assay.predict() == 60


def test_a_run_that_fails_gives_its_rows_back(bench) -> None:
    with endpoint(lambda call: Reply("down", 400)) as server:
        assay = bench.create(service=[api(server.url, retries=0)])
        with pytest.raises(ServiceError):
            assay.predict()
    now = bench.clock.now
    claims = assay.session.journal.ledger.claims["api"].values()
    assert all(until <= now for _, until in claims)


def test_only_so_many_or_only_the_labelled_are_predicted(bench) -> None:
    with endpoint(answer) as server:
        assay = bench.create(service=[api(server.url)])
        assert n_missing(assay.session, assay.spec.find_service()) == 60
        assert assay.predict(limit=7) == 7
        ids = assay.ask(10)["id"]
        assay.tell(ids, bench.truth(ids))
        known = set(assay.session.journal.ledger.predictions["api"])
        wanted = set(ids) - known
        assert n_missing(assay.session, assay.spec.find_service(), labelled_only=True) == len(
            wanted
        )
        assert assay.predict(labelled_only=True) == len(wanted)
        assert assay.surface().n_labels == 10
        assert len(server.calls) == 7 + len(wanted)
        with pytest.raises(InputError, match="limit must be at least 0; got -1"):
            assay.predict(limit=-1)


def judge(url: str, **settings: Any) -> dict[str, Any]:
    return {
        "name": "llm",
        "url": url,
        "request": {"id": "{id}", "answer": "{prediction}"},
        "response": {"verdict": "score"},
        "price": 0.01,
        **settings,
    }


def strict(call: Call) -> Reply:
    return Reply({"score": 0.9 if call.content["answer"] == "cat" else 0.2})


def test_a_judge_sees_the_answer_and_is_paid_once_for_each(every_bench) -> None:
    with endpoint(strict) as server:
        assay = every_bench.create(judge=[judge(server.url)])
        assert assay.judge("llm", "good") == 60
        assert every_bench.open().judge(service="good") == 0
        assert len(server.calls) == 60
        said = {call.content["id"]: call.content["answer"] for call in server.calls}
        assert n_unjudged(assay, "good") == 0
        assert n_unjudged(assay, "bad") == 60
    assert said == dict(zip(every_bench.pool["id"], every_bench.pool["good"], strict=True))
    good, bad = assay.status().judges
    assert (good.name, good.service, good.judged) == ("llm", "good", 60)
    assert good.cost == pytest.approx(0.6)
    assert (bad.service, bad.judged, bad.cost) == ("bad", 0, 0.0)


def test_a_judge_of_other_services_is_not_asked(bench) -> None:
    with endpoint(strict) as server:
        assay = bench.create(judge=[judge(server.url, services=["bad"])])
        assert assay.judge(service="good") == n_unjudged(assay, "good") == 0
        assert assay.judge(service="bad", limit=7) == 7
        assert len(server.calls) == 7


def test_what_is_not_predicted_is_not_judged(bench) -> None:
    with endpoint(answer) as server, endpoint(strict) as judging:
        assay = bench.create(service=[api(server.url)], judge=[judge(judging.url)])
        assay.predict(limit=12)
        assert assay.judge() == 12
        assert len(judging.calls) == 12


def test_a_judge_without_an_opinion_is_named_and_the_others_are_kept(bench) -> None:
    def silent(call: Call) -> Reply:
        return Reply({"score": None if call.content["id"] == "x3" else 1})

    with endpoint(silent) as server:
        assay = bench.create(judge=[judge(server.url, services=["good"])])
        with pytest.raises(ServiceError, match=r"'llm of good' must return a verdict .* for 'x3'"):
            assay.judge(service="good")
    assert assay.status().judges[0].judged == 59


def test_the_key_of_a_judge_comes_from_the_environment_and_is_never_kept(
    bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sesame-123456")

    def repeats(call: Call) -> Reply:
        is_first = call.content["id"] == "x0"
        return Reply({"score": f"key {call.headers['Authorization']}" if is_first else "good"})

    headers = {"Authorization": "Bearer ${JUDGE_KEY}"}
    with endpoint(repeats) as server:
        assay = bench.create(judge=[judge(server.url, services=["good"], headers=headers)])
        with pytest.raises(ServiceError, match="holds the secret of the service") as told:
            assay.judge(service="good")
    assert "sesame" not in str(told.value)
    assert assay.status().judges[0].judged == 59
    assert not any("sesame" in str(entry) for entry in assay.session.events())


ENDPOINT = {
    "name": "api",
    "url": "http://127.0.0.1:9/{text}",
    "response": {"prediction": "label"},
    "batch_rows": 10,
}


class Four:
    """An engine with four workers, or fewer where that is all that may work."""

    def __init__(self, name: str, gpus: float, most_workers: int | None) -> None:
        self.given = (name, gpus, most_workers)
        self.n_workers = 4 if most_workers is None else min(4, most_workers)

    map = map_as_done = staticmethod(LOCAL.map)


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "find_engine", Four)


def made_of(section: ServiceSection) -> HttpService:
    made = pickle.loads(pickle.dumps(spread(section, "ray").build))()
    assert isinstance(made, HttpService)
    return made


@pytest.mark.usefixtures("four")
def test_a_function_is_called_with_its_gpus_and_as_often_as_there_are_workers() -> None:
    service = spread(ServiceSection(name="m", callable="mod:predict", gpus=0.5), "ray")
    assert service.engine.given == ("ray", 0.5, None)
    made = pickle.loads(pickle.dumps(service.build))()
    assert made == FunctionService("m", "mod:predict", 64)


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(("allowed", "workers", "each"), [(1, 1, 1), (3, 3, 1), (9, 4, 2)])
def test_no_more_calls_are_made_at_once_than_by_one_process(
    allowed: int, workers: int, each: int
) -> None:
    section = ServiceSection(**ENDPOINT, concurrency=allowed)
    assert spread(section, "ray").engine.n_workers == workers
    assert made_of(section).concurrency == each
    assert workers * each <= allowed


@pytest.mark.usefixtures("four")
def test_workers_share_the_calls_per_second_first_calls_included() -> None:
    section = ServiceSection(**ENDPOINT, requests_per_second=40.0)
    each = made_of(section).requests_per_second
    assert each is not None
    seconds_of_a_part = (section.batch_rows - 1) / each
    assert 4 * section.batch_rows / seconds_of_a_part == pytest.approx(40.0)
    assert made_of(ServiceSection(**ENDPOINT)).requests_per_second is None


def test_a_judge_is_spread_as_a_service_is() -> None:
    judge = JudgeSection(name="j", callable="operator:itemgetter").of("m")
    assert spread(judge, "local").name == "j of m"


def test_an_engine_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownNameError, match="engine must be one of"):
        spread(ServiceSection(name="m", callable="mod:predict"), "rya")


def test_the_local_engine_predicts_as_the_service_itself() -> None:
    section = ServiceSection(name="m", callable="accuracy_assay.demo.run:nothing", batch_rows=2)
    service = spread(section, "local")
    assert (service.rows_per_part, service.engine) == (2, LOCAL)
    assert list(service.predict(pl.DataFrame({"a": []}))) == []
