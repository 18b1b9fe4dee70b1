"""The spec of an assay, key by key: the models behind ``assay.toml``.

A section of the file is one class; a key is one field with its default. Every rule that needs
nothing but the spec itself is checked here, so a bad file fails before any table is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)

from accuracy_assay.domain.space import Kind, Value
from accuracy_assay.errors import InputError, UnknownNameError

__all__ = [
    "AssaySection",
    "AttributeSection",
    "LabelSection",
    "Method",
    "PoolSection",
    "ServiceSection",
    "Show",
    "Spec",
]

Show = Literal["text", "image", "audio", "table"]

Method: TypeAlias = str | Mapping[str, JsonValue]
"""A method by its name or ``module:Class``, or a table with that ``name`` and its settings."""

_SOURCES = ("column", "callable", "url", "kind")
_SECRET_NAME = re.compile(r"auth|key|token|secret|password|cookie", re.IGNORECASE)
_SECRET_KEYS = ("api_key", "apikey", "key", "token", "access_token", "password", "secret")
_PLACEHOLDER = re.compile(r"\{[^{}]+\}")
_SECRET_IN_URL = re.compile(
    r"\$\{|//[^/?#]*:[^/?#]*@|[?&][^=&]*(auth|key|token|secret|password)[^=&]*=", re.IGNORECASE
)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_min_length=1)


class AssaySection(_Section):
    """``[assay]``: name, size and methods."""

    name: str = "assay"
    budget: int = Field(default=1000, ge=0)
    batch: int = Field(default=12, ge=1)
    seed: int = Field(default=0, ge=0)
    estimator: Method = "anova-gp"
    strategy: Method = "variance-reduction"
    calibration: Method = "full"
    target: Literal["pool", "population"] = "pool"
    refit_every: int | None = Field(default=None, ge=1)
    lease_minutes: float = Field(default=30.0, gt=0.0)

    @field_validator("estimator", "strategy", "calibration", mode="before")
    @classmethod
    def _is_a_method(cls, given: Any, info: ValidationInfo) -> Method:
        """Return a name, or a table of JSON values; a table without settings is its name."""
        name = given.get("name") if isinstance(given, Mapping) else given
        if not isinstance(name, str) or not name:
            raise ValueError(
                f"{info.field_name} must be a name, module:Class or a table such as "
                f"{{ name = 'anova-gp', level = 0.95 }}; got {given!r}"
            )
        if isinstance(given, str) or len(given) == 1:
            return name
        return {
            str(key): _as_json(value, f"setting {key!r} of {info.field_name} {name!r}")
            for key, value in given.items()
        }

    @property
    def estimator_name(self) -> str:
        """The estimator without its settings."""
        return _name_of(self.estimator)

    @property
    def strategy_name(self) -> str:
        """The strategy without its settings."""
        return _name_of(self.strategy)

    @property
    def calibration_name(self) -> str:
        """The calibration without its settings."""
        return _name_of(self.calibration)

    @property
    def labels_per_fit(self) -> int:
        """New labels after which a fit is due; a round unless the spec says otherwise."""
        return self.refit_every or self.batch


class PoolSection(_Section):
    """``[pool]``: the rows that may be labelled, and the seed set with gold attributes."""

    path: str | None = None
    id: str = "id"
    seed_set: str | None = None


class AttributeSection(_Section):
    """``[[attribute]]``: an exact column, a guessed attribute, or one that the label reveals."""

    name: str
    kind: Kind | None = None
    values: tuple[Value, ...] = ()
    edges: tuple[float, ...] | None = None
    evidence: str | None = None
    from_label: bool = False

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        if self.evidence is not None and self.from_label:
            raise ValueError(
                f"attribute {self.name!r} must be guessed (evidence) or revealed (from_label), "
                "not both"
            )
        if self.evidence is not None and self.evidence.count("*") != 1:
            raise ValueError(
                f"evidence of attribute {self.name!r} must be a pattern with one star, such as "
                f"'p_{self.name}__*'; got {self.evidence!r}"
            )
        return self


class ServiceSection(_Section):
    """``[[service]]``: a column of predictions, a Python function, an HTTP endpoint, or a class.

    ``kind`` names the class, by ``module:Class`` or as an installed package declares it, and
    ``settings`` are that class's own.
    """

    name: str
    column: str | None = None
    callable: str | None = None
    url: str | None = None
    kind: str | None = None
    settings: Mapping[str, JsonValue] = Field(default_factory=dict)
    confidence: str | None = None
    signals: tuple[str, ...] | None = None
    price: float = Field(default=0.0, ge=0.0)
    batch_rows: int = Field(default=64, ge=1)
    method: Literal["GET", "POST", "PUT"] = "POST"
    headers: Mapping[str, str] = Field(default_factory=dict)
    request: Mapping[str, JsonValue] = Field(default_factory=dict)
    response: Mapping[Literal["prediction", "confidence"], str] = Field(default_factory=dict)
    concurrency: int = Field(default=4, ge=1, le=256)
    requests_per_second: float | None = Field(default=None, gt=0.0)
    timeout_s: float = Field(default=30.0, gt=0.0)
    retries: int = Field(default=5, ge=0)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        given = [k for k in _SOURCES if getattr(self, k) is not None]
        if len(given) != 1:
            raise ValueError(
                f"service {self.name!r} must have exactly one of column, callable, url and kind; "
                f"got {given or 'none'}"
            )
        if self.settings and self.kind is None:
            raise ValueError(
                f"settings of service {self.name!r} must go with a kind; got "
                f"{sorted(self.settings)}. The keys of column, callable and url stand beside them"
            )
        if self.url is not None and "prediction" not in self.response:
            raise ValueError(
                f"service {self.name!r} must say where the prediction stands in the answer, such "
                "as response = { prediction = 'result.label' }"
            )
        if self.url is not None and not self.request and "{" not in self.url:
            raise ValueError(
                f"service {self.name!r} must say what to send, such as request = {{ text = "
                "'{column}' }"
            )
        if self.callable is not None and ":" not in self.callable:
            raise ValueError(
                f"callable of service {self.name!r} must read module:function; got "
                f"{self.callable!r}"
            )
        return self

    @model_validator(mode="after")
    def _holds_no_secret(self) -> Self:
        """Refuse a key that is written out, without showing it, and any in a URL."""
        if _SECRET_IN_URL.search(self.url or ""):
            raise ValueError(
                f"url of service {self.name!r} must hold no secret, since addresses are logged; "
                "got one. Send it as a header, such as { Authorization = 'Bearer ${API_KEY}' }"
            )
        named = [*self.headers.items(), *self.request.items(), *self.settings.items()]
        for name, text in named:
            is_secret = _SECRET_NAME.search(name) if name in self.headers else name in _SECRET_KEYS
            if is_secret and isinstance(text, str) and not _PLACEHOLDER.search(text):
                raise ValueError(
                    f"{name!r} of service {self.name!r} must take its secret from the "
                    "environment, such as 'Bearer ${API_KEY}'; got one that is written out"
                )
        return self

    def made_from(self) -> tuple[str, dict[str, Any]]:
        """Return the kind of the service and its settings, as `registry.build_service` takes them.

        A kind of ours is handed the whole section, any other its own settings and the name.
        """
        if self.kind is not None:
            return self.kind, {"name": self.name, **self.settings}
        kind = next(k for k in _SOURCES if getattr(self, k) is not None)
        return kind, {key: getattr(self, key) for key in type(self).model_fields}


class LabelSection(_Section):
    """``[label]``: what an annotator sees and may answer."""

    choices: tuple[str, ...] = ()
    agreement: str = "equal"
    show: Mapping[Show, str | tuple[str, ...]] = Field(default_factory=dict)
    column: str = "label"
    annotators: int = Field(default=1, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _choices_are_texts(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and isinstance(given.get("choices"), list | tuple):
            return {**given, "choices": [_choice(c) for c in given["choices"]]}
        return given

    @model_validator(mode="after")
    def _choices_differ(self) -> Self:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError(f"choices must differ; got {list(self.choices)!r}")
        return self


class Spec(_Section):
    """All of ``assay.toml``."""

    assay: AssaySection = AssaySection()
    pool: PoolSection = PoolSection()
    attribute: tuple[AttributeSection, ...] = Field(min_length=1)
    service: tuple[ServiceSection, ...] = Field(min_length=1)
    label: LabelSection = LabelSection()

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        for what in ("attribute", "service"):
            names = [section.name for section in getattr(self, what)]
            if len(set(names)) < len(names):
                raise ValueError(f"{what}s must have different names; got {names!r}")
        return self

    def find_service(self, name: str | None = None) -> ServiceSection:
        """Return the service called ``name``, or the only one."""
        names = [s.name for s in self.service]
        if name is None and len(names) > 1:
            raise InputError(
                f"service must be named where there are several; got none of {names}."
            )
        if name is not None and name not in names:
            raise UnknownNameError("service", name, names)
        return self.service[0 if name is None else names.index(name)]


def _choice(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else value


def _name_of(method: Method) -> str:
    return method if isinstance(method, str) else str(method["name"])


def _as_json(value: Any, what: str) -> Any:
    """Return a setting as it comes back from JSON, so that a stored spec reads back equal."""
    if isinstance(value, Mapping):
        return {str(k): _as_json(v, what) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(v, what) for v in value]
    is_finite = not isinstance(value, float) or math.isfinite(value)
    if value is None or (isinstance(value, str | int | float) and is_finite):
        return value
    raise ValueError(f"{what} must be what JSON can write; got {value!r}")
