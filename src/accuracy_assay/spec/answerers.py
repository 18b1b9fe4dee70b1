"""Who answers about a row, a service or a judge: where answers come from, and how to call it.

Both are a column of the pool, a Python function, an HTTP endpoint or a class, and are called the
same way (`accuracy_assay.services`); a judge also sees the service's answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, JsonValue, model_validator

from accuracy_assay.runtime.secrets import hide_secrets, written_secret
from accuracy_assay.services.address import Address, refuse_rows_in_host
from accuracy_assay.services.pace import SLOWEST_PER_SECOND
from accuracy_assay.services.template import columns_of
from accuracy_assay.spec.section import MOST, Number, Section, Whole

__all__ = ["JUDGED_ANSWER", "AnswererSection", "JudgeSection", "ServiceSection"]

JUDGED_ANSWER = "prediction"
"""The column in which a judge that is called finds the service's answer, beside the row's own."""

_SOURCES = ("column", "callable", "url", "kind")
_SECRET_HEADER = re.compile(
    r"auth|key|token|secret|passw|pwd|credential|cookie|signature", re.IGNORECASE
)
"""Headers that hold a secret; better to suspect too many."""
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The names that HTTP allows."""
_COLUMN_ALONE = re.compile(r"\{[^{}]+\}")
_LONGEST_WAIT_S = 86_400.0
"""A day: nobody waits longer for one answer."""
_MOST_RETRIES = 100
"""Pauses grow to a minute, so more would take hours per row."""
_LARGEST_ANSWER_MB = 1024.0
"""What a machine can hold of one answer beside its own work."""

_MOST_GPUS = 64.0
"""More than any machine has; all GPUs of a worker are on one machine."""


class AnswererSection(Section):
    """What ``[[service]]`` and ``[[judge]]`` share: where answers about a row come from.

    That is a column of the pool, a Python function, an HTTP endpoint, or a class: ``kind`` names
    it, by ``module:Class`` or as an installed package declares it, and ``settings`` are its own.
    """

    _what: ClassVar[str] = "service"
    _answer: ClassVar[str] = "prediction"
    """Key of ``response`` that says where an answer is."""

    name: str
    column: str | None = None
    callable: str | None = None
    url: str | None = None
    kind: str | None = None
    settings: Mapping[str, JsonValue] = Field(default_factory=dict)
    price: Number = Field(default=0.0, ge=0.0, le=MOST)
    batch_rows: Whole = Field(default=64, ge=1, le=MOST)
    method: Literal["GET", "POST", "PUT"] = "POST"
    headers: Mapping[str, str] = Field(default_factory=dict)
    request: Mapping[str, JsonValue] = Field(default_factory=dict)
    response: Mapping[Any, str] = Field(default_factory=dict)
    concurrency: Whole = Field(default=4, ge=1, le=256)
    requests_per_second: Number | None = Field(default=None, ge=SLOWEST_PER_SECOND, le=MOST)
    timeout_s: Number = Field(default=30.0, gt=0.0, le=_LONGEST_WAIT_S)
    retries: Whole = Field(default=5, ge=0, le=_MOST_RETRIES)
    deadline_s: Number = Field(default=300.0, gt=0.0, le=_LONGEST_WAIT_S)
    max_answer_mb: Number = Field(default=10.0, gt=0.0, le=_LARGEST_ANSWER_MB)
    gpus: Number = Field(default=0.0, ge=0.0, le=_MOST_GPUS)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        given = [k for k in _SOURCES if getattr(self, k) is not None]
        if len(given) != 1:
            raise ValueError(
                f"{self._what} {self.name!r} must have exactly one of column, callable, url and "
                f"kind; got {given or 'none'}"
            )
        if self.settings and self.kind is None:
            raise ValueError(
                f"settings of {self._what} {self.name!r} must go with a kind; got "
                f"{sorted(self.settings)}. Those of column, callable and url are keys of their own"
            )
        if self.url is not None and self._answer not in self.response:
            raise ValueError(
                f"{self._what} {self.name!r} must say where the {self._answer} is in the "
                f"answer, such as response = {{ {self._answer} = 'result.label' }}"
            )
        if self.url is not None and not self.request and "{" not in self.url:
            raise ValueError(
                f"{self._what} {self.name!r} must say what to send, such as request = {{ text = "
                "'{column}' }"
            )
        if self.callable is not None and ":" not in self.callable:
            raise ValueError(
                f"callable of {self._what} {self.name!r} must read module:function; got "
                f"{self.callable!r}"
            )
        if self.gpus > 1.0 and not self.gpus.is_integer():
            raise ValueError(
                f"gpus of {self._what} {self.name!r} must be whole, or a share of one; got "
                f"{self.gpus:g}"
            )
        return self

    @model_validator(mode="after")
    def _holds_no_secret(self) -> Self:
        """Refuse a key that is written out, without showing it, and any in a URL."""
        if self.url is not None and _has_secret(self.url):
            raise ValueError(
                f"url of {self._what} {self.name!r} must hold no secret, since addresses are "
                "logged; got one. Send it as a header, such as { Authorization = 'Bearer "
                "${API_KEY}' }"
            )
        header = next((n for n, text in self.headers.items() if _is_written(n, text)), None)
        secret = header or written_secret(self.model_dump(exclude={"url"}))
        if secret is not None:
            raise ValueError(
                f"{secret!r} of {self._what} {self.name!r} must take its secret from the "
                "environment, such as 'Bearer ${API_KEY}'; got one that is written out"
            )
        return self

    @model_validator(mode="after")
    def _can_be_called(self) -> Self:
        """Refuse an address whose host a row would name, and headers that HTTP does not know."""
        what = f"{self._what} {self.name!r}"
        if self.url is not None:
            Address.read(self.url, f"url of {what}")
        refuse_rows_in_host(self.headers, what)
        for name, text in self.headers.items():
            if not _HEADER_NAME.fullmatch(name):
                raise ValueError(f"header of {what} must have a name such as X-Id; got {name!r}")
            if not (text.isascii() and text.isprintable()):
                raise ValueError(
                    f"header {name!r} of {what} must be one line of visible ASCII characters; got "
                    "another text, which is not shown, since it may hold a secret"
                )
        return self

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns whose values are sent to a URL, sorted."""
        if self.url is None:
            return ()
        return tuple(sorted(columns_of([self.url, self.request, self.headers])))

    def made_from(self) -> tuple[str, dict[str, Any]]:
        """Return what answers and its settings, as `registry.build_service` takes them.

        A kind of ours is handed the whole section, any other its own settings and the name.
        """
        if self.kind is not None:
            return self.kind, {"name": self.name, **self.settings}
        kind = next(k for k in _SOURCES if getattr(self, k) is not None)
        return kind, {key: getattr(self, key) for key in type(self).model_fields}


class ServiceSection(AnswererSection):
    """``[[service]]``: who predicts, and what is known of its predictions for free."""

    version: str | None = None
    confidence: str | None = None
    signals: tuple[str, ...] | None = None
    referees: tuple[str, ...] | None = None
    response: Mapping[Literal["prediction", "confidence"], str] = Field(default_factory=dict)


class JudgeSection(AnswererSection):
    """``[[judge]]``: who has an opinion of every answer, and of which services."""

    _what: ClassVar[str] = "judge"
    _answer: ClassVar[str] = "verdict"

    services: tuple[str, ...] | None = None
    response: Mapping[Literal["verdict"], str] = Field(default_factory=dict)

    def of(self, service: str) -> JudgeSection:
        """Return the judge of one service, under the name that its opinions are stored by."""
        return self.model_copy(update={"name": f"{self.name} of {service}"})

    def made_from(self) -> tuple[str, dict[str, Any]]:
        """Return what answers and its settings; its verdict is what a service calls prediction."""
        kind, settings = super().made_from()
        if self.response:
            settings["response"] = {"prediction": self.response["verdict"]}
        return kind, settings

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The columns whose values are sent to a URL, without the answer that is judged."""
        return tuple(name for name in super().row_columns if name != JUDGED_ANSWER)


def _has_secret(url: str) -> bool:
    """Return whether a URL holds a secret or names one."""
    return "${" in url or hide_secrets(url) != url


def _is_written(header: str, text: str) -> bool:
    is_secret = _SECRET_HEADER.search(header) is not None
    return is_secret and "${" not in text and not _COLUMN_ALONE.fullmatch(text)
