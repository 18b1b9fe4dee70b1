"""The assay behind a page: its desk, where people are served, and what those who watch see."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from accuracy_assay.errors import InputError
from accuracy_assay.session.assay import Assay
from accuracy_assay.web.desk import Desk
from accuracy_assay.web.engine import Engine, LocalEngine
from accuracy_assay.web.live import Live

__all__ = ["Room"]


@dataclass(frozen=True)
class Room:
    """Everything that the pages of one assay share."""

    assay: Assay
    engine: Engine
    desk: Desk
    live: Live

    @classmethod
    def open(cls, assay: Assay, engine: Engine | None = None) -> Room:
        """Open the desk of an assay.

        Without an engine of its own, fits are made in this process; the assay must then have been
        opened with fits in the background.
        """
        engine = engine or LocalEngine(assay)
        assay.status()  # what is looked up often is read now, before anybody waits for it
        assay.session.show(assay.pool.get_column(assay.spec.pool.id).head(1))
        live = Live(assay, engine)
        desk = Desk(assay, engine, live.poke)
        live.on_fit = desk.choose_again
        return cls(assay, engine, desk, live)

    @property
    def media_folder(self) -> Path | None:
        """The folder in which images and recordings lie: declared, or that of the pool."""
        pool = self.assay.spec.pool
        if pool.media is not None:
            return Path(pool.media)
        return None if pool.path is None else Path(pool.path).absolute().parent

    def find_service(self, name: str | None) -> str:
        """Return the name of the service that is meant, by default the first."""
        names = [service.name for service in self.assay.spec.service]
        if name is not None and name not in names:
            raise InputError(f"service must be one of {names}; got {name!r}.")
        return names[0] if name is None else name

    def close(self) -> None:
        """Carry out what was sent, and stop. The assay itself stays open."""
        self.desk.leave()
        self.live.leave()
        self.engine.close()
        self.desk.close()
        self.live.close()
