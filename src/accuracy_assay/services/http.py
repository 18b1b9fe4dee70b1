"""A service behind an HTTP endpoint: one call per row, several at once, tried again when it fails.

Answers 408, 425, 429 and 5xx, timeouts and lost connections are tried again with growing pauses
(or as long as ``Retry-After`` says). Any other refusal ends the run, since it would refuse every
row. An answer that cannot be read leaves its row out and the run goes on.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import httpx
import polars as pl

from accuracy_assay.errors import ServiceError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.protocols import Prediction
from accuracy_assay.services.answer import prediction_of
from accuracy_assay.services.pace import Pace
from accuracy_assay.services.template import Secrets, columns_of, fill, find

__all__ = ["HttpService"]

_PASSING = frozenset({408, 425, 429})
"""Refusals that pass: a slow request, one that came too early, too many at once."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
"""Pauses double from half a second, chosen by hand, to the minute in which a limit per minute, the
usual kind, has passed."""
_HOPELESS = 10
"""Failures in a row after which the service is taken to be down, chosen by hand: more than bad
luck, and few enough that retries of rows that cannot succeed cost minutes and not hours."""
_SHOWN_CHARACTERS = 100
"""Of an answer in an error message: enough to recognise a page of HTML or an error of the API."""


@dataclass(frozen=True)
class HttpService:
    """Ask an endpoint for the prediction of each row.

    Parameters
    ----------
    name, url, method
        How errors call it, and what is called; ``{column}`` in the URL is a row's value.
    headers, request
        What is sent; ``{column}`` stands for a row's value, ``${NAME}`` for an environment
        variable. The request is sent as JSON, or as the query of a GET.
    response
        Dotted paths of ``prediction`` and, optionally, ``confidence`` in the JSON answer.
    concurrency, requests_per_second, timeout_s, retries
        Limits.
    transport, environment, sleep
        Replaced in tests.
    """

    name: str
    url: str
    response: Mapping[str, str]
    request: Mapping[str, Any] = field(default_factory=dict)
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    concurrency: int = 4
    requests_per_second: float | None = None
    timeout_s: float = 30.0
    retries: int = 5
    transport: httpx.BaseTransport | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    sleep: Callable[[float], None] = time.sleep

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        """Yield predictions as they come; an error about the others follows at the end.

        Never more than ``concurrency`` calls are made that the caller has not stored yet.
        """
        require_columns(rows, sorted(columns_of([self.url, self.request])))
        secrets = Secrets(self.environment, self.headers, self.request)
        tally = _Tally()
        pool = ThreadPoolExecutor(self.concurrency, "assay-http")
        with httpx.Client(timeout=self.timeout_s, transport=self.transport) as client:
            caller = _Caller(self, client, secrets, Pace(self.requests_per_second))
            waiting: set[Future[Prediction]] = set()
            numbered = enumerate(rows.iter_rows(named=True))
            try:
                while True:
                    while len(waiting) < self.concurrency and not tally.is_hopeless:
                        if (item := next(numbered, None)) is None:
                            break
                        waiting.add(pool.submit(caller.call, *item))
                    if not waiting:
                        break
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield tally.take(done)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        if tally.failures:
            raise self._error(tally.failures, rows.height)

    def _error(self, failures: list[_RowError], n_rows: int) -> ServiceError:
        worst = next((f for f in failures if f.is_final), failures[0])
        return ServiceError(
            f"service {self.name!r} must answer every row; got {len(failures)} failures in "
            f"{n_rows} rows: {worst}. Answers that came are kept; run it again for the rest."
        )


class _RowError(Exception):
    """Why a row has no prediction; ``is_final`` where no row would get one."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


@dataclass
class _Tally:
    """The failures of a run, and how many came in a row."""

    failures: list[_RowError] = field(default_factory=list)
    in_a_row: int = 0

    @property
    def is_hopeless(self) -> bool:
        """Whether to stop asking: a final refusal, or nothing but failures for a while."""
        return self.in_a_row >= _HOPELESS or any(failure.is_final for failure in self.failures)

    def take(self, done: set[Future[Prediction]]) -> list[Prediction]:
        """Return the predictions among finished calls and note the failures."""
        made: list[Prediction] = []
        for future in done:
            try:
                made.append(future.result())
                self.in_a_row = 0
            except _RowError as failure:
                self.failures.append(failure)
                self.in_a_row += 1
        return made


@dataclass(frozen=True)
class _Caller:
    """One run's client, secrets and pace."""

    service: HttpService
    client: httpx.Client
    secrets: Secrets
    pace: Pace

    def call(self, position: int, row: Mapping[str, Any]) -> Prediction:
        """Return the prediction of a row, after as many attempts as the settings allow."""
        try:
            request = self._request(row)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError, TypeError) as error:
            said = self._hidden(f"a request that cannot be sent: {error}")
            raise _RowError(said, is_final=True) from None
        pauses = random.Random(position)
        for attempt in range(self.service.retries + 1):
            self.pace.wait()
            try:
                answer = self.client.send(request)
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, OverflowError) as error:
                raise _RowError(self._hidden(f"{error}"), is_final=True) from None
            except httpx.HTTPError as error:
                why = _RowError(self._hidden(f"{type(error).__name__}: {error}"))
                pause = None
            else:
                if answer.is_success:
                    return self._read(position, answer)
                why = self._refusal(answer)
                if why.is_final:
                    raise why
                pause = _retry_after(answer)
            if attempt < self.service.retries:
                growing = min(_FIRST_PAUSE_S * 2.0**attempt, _LONGEST_PAUSE_S)
                self.service.sleep(pause or growing * pauses.uniform(0.5, 1.0))
        raise _RowError(f"{why} (after {self.service.retries + 1} attempts)")

    def _request(self, row: Mapping[str, Any]) -> httpx.Request:
        service = self.service
        content = fill(service.request, row, self.secrets)
        where = "params" if service.method == "GET" else "json"
        return self.client.build_request(
            service.method,
            fill(service.url, row, self.secrets),
            headers={name: self.secrets.reveal(text) for name, text in service.headers.items()},
            **({where: content} if content else {}),
        )

    def _read(self, position: int, answer: httpx.Response) -> Prediction:
        found: dict[str, Any] = {}
        try:
            content = answer.json()
            for part, path in self.service.response.items():
                found[part] = find(content, path)
            return prediction_of(
                self.service.name, position, found["prediction"], found.get("confidence")
            )
        except ValueError:
            raise _RowError(f"an answer that is not JSON: {self._start(answer)}") from None
        except LookupError as missing:
            raise _RowError(
                f"an answer without {missing.args[0]!r} of {dict(self.service.response)}: "
                f"{self._start(answer)}"
            ) from None
        except ServiceError as error:
            raise _RowError(self._hidden(str(error))) from None

    def _refusal(self, answer: httpx.Response) -> _RowError:
        code = answer.status_code
        is_passing = code in _PASSING or code >= 500
        said = f"status {code} {answer.reason_phrase}: {self._start(answer)}"
        return _RowError(said, is_final=not is_passing)

    def _start(self, answer: httpx.Response) -> str:
        text = self._hidden(answer.text.strip())
        return repr(
            text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
        )

    def _hidden(self, text: str) -> str:
        return self.secrets.hide(text)


def _retry_after(answer: httpx.Response) -> float | None:
    """Return the seconds that the service asks to wait, if it says so in seconds."""
    text = answer.headers.get("Retry-After", "")
    return min(float(text), _LONGEST_PAUSE_S) if text.isdigit() else None
