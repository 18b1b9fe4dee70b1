"""What every service keeps to, on thirty rows of which it says the number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl
import pytest

from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["ServiceLaws"]


class ServiceLaws(Laws):
    """Laws of a `Service`; say how yours is made, what it is asked and what it must answer.

    A service that must be started and stopped overrides the fixture ``service`` instead of
    `make`.
    """

    def make(self) -> Service:
        """Return the service."""
        raise NotImplementedError("say how the service is made")

    def rows(self) -> pl.DataFrame:
        """Return rows that differ in what the service answers: ids, and a number by default."""
        return pl.DataFrame({"id": [f"x{i}" for i in range(30)], "number": range(30)})

    def answers(self, rows: pl.DataFrame) -> Sequence[str]:
        """Return what the service must say of each row: its number by default."""
        return [str(n) for n in rows.get_column("number")]

    @pytest.fixture
    def service(self) -> Iterator[Service] | Service:
        """Return the service, or yield it and stop it afterwards."""
        return self.make()

    def test_a_service_follows_the_protocol(self, service: Service) -> None:
        """It predicts rows."""
        assert missing_part(service, Service) is None

    def test_every_row_is_predicted_once(self, service: Service) -> None:
        """No row is left out and none comes twice."""
        made = _predictions(service, self.rows())
        assert sorted(p.position for p in made) == list(range(self.rows().height))

    def test_a_prediction_is_the_text_for_its_own_row(self, service: Service) -> None:
        """Positions are those of the rows that were handed over, in whatever order."""
        shuffled = self.rows().sample(fraction=1.0, shuffle=True, seed=0)
        made = {p.position: p.prediction for p in _predictions(service, shuffled)}
        assert made == dict(enumerate(self.answers(shuffled)))

    def test_no_rows_need_no_predictions(self, service: Service) -> None:
        """An empty table is no obstacle."""
        assert _predictions(service, self.rows().clear()) == []


def _predictions(service: Service, rows: pl.DataFrame) -> list[Prediction]:
    return [p for group in service.predict(rows) for p in group]
