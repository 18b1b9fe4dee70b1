"""A service behind an HTTP endpoint: one call per row, several at once, retried when they fail.

Status codes 408, 425, 429 and 5xx, timeouts and lost connections are retried until the row's
deadline. Any other refusal ends the run, since every row would be refused. A row that cannot be
sent, or whose answer is too large or cannot be read, is left out and the run continues.
"""

from __future__ import annotations

import json
import os
import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import httpx
import polars as pl

from accuracy_assay.errors import InputError, ServiceError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.protocols import Prediction
from accuracy_assay.runtime.http_client import (
    THREAD_NAMES,
    Answer,
    AnswerError,
    BoundedClient,
    quiet_logs,
)
from accuracy_assay.runtime.http_retries import Patience, send_patiently
from accuracy_assay.services.address import Address, refuse_rows_in_host
from accuracy_assay.services.pace import Pace
from accuracy_assay.services.predictions import prediction_of
from accuracy_assay.services.template import Secrets, columns_of, fill, find

__all__ = ["HttpService"]

_HOPELESS = 10
"""Consecutive failures after which the service counts as down, chosen by hand: more than bad luck,
and few enough that hopeless retries cost minutes, not hours."""
_SHOWN_CHARACTERS = 100
"""Of an answer in an error message: enough to recognise an HTML page or an API error."""
_READ_FOR_MESSAGES = 4096
"""Bytes of an answer that a message is made from: what is shown, and room for what is hidden."""
_HEADER_TEXT = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")
"""One line of visible characters, as HTTP allows it."""


@dataclass(frozen=True)
class HttpService:
    """Ask an endpoint for the prediction of each row.

    Parameters
    ----------
    name, url, method
        How errors call it, and what is called; ``{column}`` in the path or in the query of the
        URL is a row's value, encoded for its place.
    headers, request
        What is sent; ``{column}`` stands for a row's value, ``${NAME}`` for an environment
        variable. The request is sent as JSON, or as the query of a GET.
    response
        Dotted paths of ``prediction`` and, optionally, ``confidence`` in the JSON answer.
    concurrency, requests_per_second
        Calls at once, and calls started per second.
    timeout_s, retries, deadline_s
        Seconds of one call until its whole answer is there, further calls for a row that failed,
        and seconds of a row over all its calls and pauses. Waiting for a turn does not count.
    max_answer_mb
        Largest answer, in units of 2^20 bytes.
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
    deadline_s: float = 300.0
    max_answer_mb: float = 10.0
    transport: httpx.BaseTransport | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    sleep: Callable[[float], object] | None = None

    def predict(self, rows: pl.DataFrame) -> Iterator[Sequence[Prediction]]:
        """Yield predictions as they come; an error about the others follows at the end.

        At most ``concurrency`` calls are made whose answers the caller has not stored yet.
        """
        what = f"rows for service {self.name!r}"
        require_columns(
            rows, sorted(columns_of([self.url, self.request, self.headers])), what=what
        )
        address = Address.read(self.url, f"url of service {self.name!r}")
        secrets = Secrets(self.environment, self.headers, self.request)
        stopping = threading.Event()
        pace = Pace(self.requests_per_second, sleep=stopping.wait)
        with quiet_logs(), closing(BoundedClient(self.transport)) as client:
            caller = _Caller(self, address, client, secrets, pace, stopping)
            caller.check_headers()
            yield from self._predict(rows, caller)

    def _predict(self, rows: pl.DataFrame, caller: _Caller) -> Iterator[Sequence[Prediction]]:
        tally = _Tally()
        waiting: set[Future[Prediction]] = set()
        numbered = enumerate(rows.iter_rows(named=True))
        pool = ThreadPoolExecutor(self.concurrency, THREAD_NAMES)
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
            caller.stopping.set()  # whoever pauses or waits for a turn stops at once
            pool.shutdown(wait=True, cancel_futures=True)
        if tally.worst is not None:
            raise ServiceError(
                f"service {self.name!r} must answer every row; got {tally.n_failures} failures in "
                f"{rows.height} rows: {tally.worst}. Answers that came are kept; run it again for "
                "the rest."
            )


class _RowError(Exception):
    """Why a row has no prediction.

    ``is_final`` where no row would get one; ``was_sent`` unless the service never saw the row.
    """

    def __init__(self, message: str, *, is_final: bool = False, was_sent: bool = True) -> None:
        super().__init__(message)
        self.is_final, self.was_sent = is_final, was_sent


@dataclass
class _Tally:
    """The failures of a run: how many in all and in a row, and the most telling one."""

    n_failures: int = 0
    in_a_row: int = 0
    worst: _RowError | None = None

    @property
    def is_hopeless(self) -> bool:
        """Whether to stop asking: a final refusal, or nothing but failures for a while."""
        is_final = self.worst is not None and self.worst.is_final
        return is_final or self.in_a_row >= _HOPELESS

    def take(self, done: set[Future[Prediction]]) -> list[Prediction]:
        """Return the predictions among finished calls and note the failures."""
        made: list[Prediction] = []
        for future in done:
            try:
                made.append(future.result())
                self.in_a_row = 0
            except _RowError as failure:
                self.n_failures += 1
                self.in_a_row += failure.was_sent
                if self.worst is None or (failure.is_final and not self.worst.is_final):
                    self.worst = failure
        return made


@dataclass(frozen=True)
class _Caller:
    """One run's address, client, secrets and pace, and whether the run is over."""

    service: HttpService
    address: Address
    client: BoundedClient
    secrets: Secrets
    pace: Pace
    stopping: threading.Event

    def check_headers(self) -> None:
        """Refuse headers that cannot be sent, before any call; those of rows are seen later."""
        refuse_rows_in_host(self.service.headers, f"service {self.service.name!r}")
        try:
            self._headers(dict.fromkeys(columns_of(self.service.headers), "x"))
        except ValueError as error:
            raise InputError(f"{error}.") from None

    def call(self, position: int, row: Mapping[str, Any]) -> Prediction:
        """Return the prediction of a row, after as many attempts as the settings allow."""
        try:
            request = self._request(row)
        except Exception as error:  # a value that JSON, an address or a header cannot hold
            said = self.secrets.hide(f"row {position} cannot be sent: {error}")
            raise _RowError(said, was_sent=False) from None
        try:
            return self._read(position, self._send(position, request))
        except _RowError:
            raise
        except Exception as error:  # one row must not lose the answers to the others
            raise self._row_error(error) from None

    def _send(self, position: int, request: httpx.Request) -> Answer:
        service = self.service
        patience = Patience(
            service.timeout_s,
            int(service.max_answer_mb * 2**20),
            service.retries,
            service.deadline_s,
            service.sleep or self.stopping.wait,
            random.Random(position),
        )
        got, n_calls = send_patiently(self.client, request, patience, self._wait_for_turn)
        if isinstance(got, Answer) and got.is_success:
            return got
        why = self._refusal(got) if isinstance(got, Answer) else self._row_error(got)
        if why.is_final:
            raise why
        late = f"; the next would come after the deadline_s of {service.deadline_s:g}"
        is_late = n_calls <= service.retries
        raise _RowError(f"{why} (after {n_calls} attempts{late if is_late else ''})")

    def _wait_for_turn(self) -> None:
        self.pace.wait()
        if self.stopping.is_set():
            raise _RowError("the run was stopped", was_sent=False)

    def _request(self, row: Mapping[str, Any]) -> httpx.Request:
        service = self.service
        url = self.address.fill(row)
        content = fill(service.request, row, self.secrets)
        if content and service.method == "GET":
            # Not by httpx, whose parameters would replace the query in the address.
            url += f"{'&' if '?' in url else '?'}{httpx.QueryParams(content)}"
            content = None
        return httpx.Request(service.method, url, headers=self._headers(row), json=content or None)

    def _headers(self, row: Mapping[str, Any]) -> dict[str, str]:
        filled = {
            name: str(fill(text, row, self.secrets)) for name, text in self.service.headers.items()
        }
        for name, text in filled.items():
            if not _HEADER_TEXT.fullmatch(text):
                raise ValueError(
                    f"header {name!r} of service {self.service.name!r} must be one line of "
                    "visible ASCII characters; got another text, which is not shown, since it "
                    "may hold a secret"
                )
        return filled

    def _read(self, position: int, answer: Answer) -> Prediction:
        found: dict[str, Any] = {}
        try:
            content = json.loads(answer.content)
            for part, path in self.service.response.items():
                found[part] = find(content, path)
        except (ValueError, RecursionError):
            raise _RowError(f"an answer that is not JSON: {self._start(answer)}") from None
        except LookupError as missing:
            raise _RowError(
                f"an answer without {missing.args[0]!r} of {dict(self.service.response)}: "
                f"{self._start(answer)}"
            ) from None
        try:
            made = prediction_of(
                self.service.name, position, found["prediction"], found.get("confidence")
            )
        except ServiceError as error:
            raise _RowError(self.secrets.hide(str(error))) from None
        if self.secrets.are_in(made.prediction):
            raise _RowError("a prediction that holds the secret of the service; it is not kept")
        return made

    def _refusal(self, answer: Answer) -> _RowError:
        # Not the server's own phrase, which may hold anything; its answer is shown with care.
        phrase = httpx.codes.get_reason_phrase(answer.status)
        said = f"status {answer.status} {phrase}".strip()
        return _RowError(f"{said}: {self._start(answer)}", is_final=not answer.is_passing)

    def _row_error(self, error: Exception) -> _RowError:
        said = str(error) if isinstance(error, AnswerError) else f"{type(error).__name__}: {error}"
        is_final = isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError)
        return _RowError(self.secrets.hide(said), is_final=is_final)

    def _start(self, answer: Answer) -> str:
        text = answer.content[:_READ_FOR_MESSAGES].decode("utf-8", "replace").strip()
        text = self.secrets.hide(text)
        return repr(
            text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
        )
