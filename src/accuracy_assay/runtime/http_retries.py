"""HTTP calls made again after failures that may pass: timeouts, lost connections, 429 and 5xx.

Pauses double from half a second to a minute, unless the server says how long to wait.
"""

from __future__ import annotations

import email.utils
import math
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

import httpx

from accuracy_assay.runtime.http_client import Answer, BoundedClient

__all__ = ["Patience", "send_patiently"]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
"""The first is chosen by hand; after a minute the usual rate limit has passed."""
_SECONDS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Patience:
    """How long to wait for an answer, and how often to ask again.

    Parameters
    ----------
    timeout_s, max_bytes
        Limits of one call: seconds until its whole answer is there, and its size.
    retries, deadline_s
        Further calls after one that failed, and seconds over all calls and pauses.
    sleep
        What pauses between two calls.
    rng
        Shortens pauses by up to a half, so that callers who failed together come back one by one.
    """

    timeout_s: float
    max_bytes: int
    retries: int
    deadline_s: float = math.inf
    sleep: Callable[[float], object] = time.sleep
    rng: random.Random | None = None


def send_patiently(
    client: BoundedClient,
    request: httpx.Request,
    patience: Patience,
    before_each: Callable[[], object] = lambda: None,
) -> tuple[Answer | httpx.HTTPError, int]:
    """Return the last answer, or the error in place of one, and the number of calls made.

    ``before_each`` runs before each call; the time it takes does not count.

    Raises
    ------
    AnswerError
        If an answer is too large or cannot be unpacked, as it would be again.
    """
    left_s = patience.deadline_s
    for n_calls in count(1):
        before_each()
        started = time.monotonic()
        got: Answer | httpx.HTTPError
        try:
            got = client.send(request, min(patience.timeout_s, left_s), patience.max_bytes)
        except httpx.HTTPError as error:
            got = error
        left_s -= time.monotonic() - started
        growing = min(_FIRST_PAUSE_S * 2.0 ** (n_calls - 1), _LONGEST_PAUSE_S)
        share = 1.0 if patience.rng is None else patience.rng.uniform(0.5, 1.0)
        pause_s = _retry_after(got) or growing * share
        if not _may_pass(got) or n_calls > patience.retries or pause_s >= left_s:
            break
        patience.sleep(pause_s)
        left_s -= pause_s
    return got, n_calls


def _may_pass(got: Answer | httpx.HTTPError) -> bool:
    if isinstance(got, Answer):
        return got.is_passing
    return not isinstance(got, httpx.UnsupportedProtocol | httpx.LocalProtocolError)


def _retry_after(got: Answer | httpx.HTTPError) -> float | None:
    """Return the seconds that the server asks to wait, as a number or until a date."""
    text = got.headers.get("Retry-After", "").strip() if isinstance(got, Answer) else ""
    if _SECONDS.fullmatch(text):
        return min(float(text), _LONGEST_PAUSE_S)
    try:
        until = email.utils.parsedate_to_datetime(text).astimezone(UTC)
        away_s = (until - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(away_s, _LONGEST_PAUSE_S) if away_s > 0.0 else None
