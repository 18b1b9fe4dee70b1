"""Watchers see a label at once, its surface soon, and the exact one when answers pause."""

import asyncio
import time

import pytest
from patience import PATIENCE_S

from accuracy_assay.web import live as live_module


def wait_until(is_so, seconds: float = PATIENCE_S) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_a_label_shows_in_the_surface_without_being_asked_for(served) -> None:
    wait_until(lambda: served.live.version > 0)
    served.assay.tell(["x1", "x2"], ["cat", "cat"], "ann")
    served.live.poke()
    wait_until(lambda: served.live.surface("reader").n_labels == 2.0)


def test_a_label_of_another_process_is_seen_as_well(served) -> None:
    wait_until(lambda: served.live.version > 0)
    served.assay.tell(["x1"], ["cat"], "ann")  # and nobody pokes
    wait_until(lambda: served.live.surface("reader").n_labels == 1.0)


def test_the_version_rises_for_the_label_and_for_the_fit(served) -> None:
    wait_until(lambda: served.live.version >= 2)
    before = served.live.version
    served.assay.tell(["x1"], ["cat"], "ann")
    wait_until(lambda: served.live.version >= before + 2)


def test_after_a_pause_the_surface_is_that_of_every_other_command(
    make_served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module, "_PAUSE_S", 0.2)
    served = make_served(assay={"estimator": "anova-gp"})
    ids = served.assay.pool["id"][:30]
    served.assay.tell(ids, served.assay.pool["truth"][:30], "ann")
    served.live.poke()
    exact = served.assay.surface()
    wait_until(lambda: served.live.surface("reader") is exact)


def test_watchers_hear_of_labels_in_their_own_loop(served) -> None:
    async def watch() -> dict[str, int]:
        with served.live.watching() as watcher:
            assert served.live.n_watchers == 1
            served.assay.tell(["x1"], ["cat"], "ann")
            served.live.poke()
            news = await asyncio.wait_for(watcher.get(), PATIENCE_S)
            while news["labels"] < 1:
                news = await asyncio.wait_for(watcher.get(), PATIENCE_S)
            return news

    assert asyncio.run(watch())["labels"] == 1
    assert served.live.n_watchers == 0


def test_a_service_that_has_not_predicted_stops_nobody(make_served) -> None:
    services = [
        {"name": "reader", "column": "guess"},
        {"name": "later", "callable": "json:dumps"},
    ]
    served = make_served(service=services)
    served.assay.tell(["x1"], ["cat"], "ann")
    served.live.poke()
    wait_until(lambda: served.live.surface("reader").n_labels == 1.0)
