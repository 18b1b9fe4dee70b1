"""The status over HTTP, and the stream of updates."""

import asyncio
import json

from patience import PATIENCE_S

from accuracy_assay.web.status_api import _news


def test_the_status_is_that_of_the_session(client, served) -> None:
    served.assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    found = client("ann").get("/api/status").json()
    assert (found["name"], found["annotator"], found["role"]) == ("pets", "ann", "annotator")
    assert (found["labels"], found["own"], found["budget"], found["pool"]) == (2, 2, 40, 60)
    assert found["stop"] is None


def test_an_admin_sees_the_services(client) -> None:
    (service,) = client("root", "admin").get("/api/status").json()["services"]
    assert (service["name"], service["predicted"]) == ("reader", 60)


def test_news_are_server_sent_events(served) -> None:
    async def always() -> bool:
        return True

    async def first_two() -> list[str]:
        news = _news(served.live, always)
        start = await anext(news)
        served.assay.tell(["x1"], ["cat"], "ann")
        served.live.poke()
        following = await asyncio.wait_for(anext(news), PATIENCE_S)
        while json.loads(following.split("data: ")[1])["labels"] < 1:
            following = await asyncio.wait_for(anext(news), PATIENCE_S)
        await news.aclose()
        return [start, following]

    start, following = asyncio.run(first_two())
    assert start.startswith("event: surface\ndata: {")
    assert start.endswith("}\n\n")
    assert json.loads(following.split("data: ")[1])["labels"] == 1
    assert served.live.n_watchers == 0
