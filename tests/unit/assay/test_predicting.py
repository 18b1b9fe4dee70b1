"""Services that are called: every answer is kept, no call is made twice."""

from typing import Any

import pytest
from http_endpoint import Call, Reply, endpoint

from accuracy_assay.errors import InputError, ServiceError


def api(url: str, **settings: Any) -> dict[str, Any]:
    return {
        "name": "api",
        "url": url,
        "request": {"q": "{id}"},
        "response": {"prediction": "label", "confidence": "p"},
        "price": 0.01,
        **settings,
    }


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
        assert assay._fits.latest("api").solved.problem.strata is None
        assay.predict()
        assay.ask(3)
        strata = assay._fits.latest("api").solved.problem.strata
    assert strata.shape[0] == 2
    assert strata.shape[1] > 2


def test_a_secret_never_reaches_an_event(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "hunter2")
    with endpoint(answer) as server:
        headers = {"Authorization": "Bearer ${OWN_KEY}"}
        assay = bench.create(service=[api(server.url, headers=headers)])
        assay.predict()
        assert server.calls[0].headers["Authorization"] == "Bearer hunter2"
    assert "hunter2" not in str([r.event for r in assay.events()])
    assert "${OWN_KEY}" in str(assay.events()[0].event)


def test_a_column_needs_no_scoring(bench) -> None:
    assert bench.create().predict("good") == 0
