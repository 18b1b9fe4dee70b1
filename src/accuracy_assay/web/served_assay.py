"""An assay behind a page: its fitter, its request queue and its live updates."""

from __future__ import annotations

from dataclasses import dataclass

from accuracy_assay.session.assay import Assay
from accuracy_assay.web.fitter import Fitter, LocalFitter
from accuracy_assay.web.live import LiveUpdates
from accuracy_assay.web.request_queue import RequestQueue

__all__ = ["ServedAssay"]


@dataclass(frozen=True)
class ServedAssay:
    """Everything that the pages of one assay share."""

    assay: Assay
    fitter: Fitter
    queue: RequestQueue
    live: LiveUpdates

    @classmethod
    def open(cls, assay: Assay, fitter: Fitter | None = None) -> ServedAssay:
        """Start serving an assay.

        Without a ``fitter``, fits run in this process; the assay must then have been opened with
        background fits.
        """
        fitter = fitter or LocalFitter(assay)
        assay.status()  # load what is looked up often before anybody waits for it
        assay.session.show(assay.pool.get_column(assay.spec.pool.id).head(1))
        live = LiveUpdates(assay, fitter)
        queue = RequestQueue(assay, fitter, live.poke)
        live.on_fit = queue.choose_again
        return cls(assay, fitter, queue, live)

    def close(self) -> None:
        """Carry out what was sent, and stop. The assay itself stays open."""
        self.queue.leave()
        self.live.leave()
        self.fitter.close()
        self.queue.close()
        self.live.close()
