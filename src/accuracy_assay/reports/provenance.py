"""Where a surface comes from, in words.

``details["provenance"]`` of a surface holds what its makers knew: when it was made, of which
service, with how many labels and at what cost. Numbers of the model are explained, not named.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from accuracy_assay.domain.label_count import LABELS_WORTH
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.number_text import count_text

__all__ = ["PROVENANCE", "facts_of", "model_numbers", "pool_digest"]

PROVENANCE = "provenance"
"""Key of the details under which it stands."""
_WORDS = {
    "service": "service",
    "assay": "assay",
    "made": "made on",
    "labelled_until": "last label on",
    "estimator": "estimator",
    "strategy": "strategy",
    "seed": "seed",
    "labels": "labels",
    "labels_worth": "certain labels that these are worth",
    "label_trust": "how far labels are verified",
    "judges": "judges",
    "missing_answers": "without an answer",
    "annotators": "annotators",
    "pool_rows": "pool rows",
    "about": "the numbers are",
    "pool_digest": "fingerprint of the pool",
    "cost": "cost of predictions",
    "version": "software",
}
"""What each fact is called, in the order of a page."""
_MODEL = {
    "own_variance": "how much single arms differ on their own (variance of the logit)",
    "joint_variance": "how much combinations of attributes differ (variance of the logit)",
    "cluster_variance": "how much rows that belong together differ (variance of the logit)",
    "dispersion": "spread of the scores relative to a coin's (1 is a coin)",
    "prior_logit_sd": "how far arms may differ before any label (standard deviation of the logit)",
    "log_evidence": "fit to the labels (log marginal likelihood, for fits of the same labels)",
    "prior_strength": "labels that the prior is worth",
}
"""Numbers of estimators in words; others are left out of a page."""
_SHOWN_DIGITS = 12
"""Of a fingerprint: enough to tell pools apart, few enough to read."""


def facts_of(surface: AccuracySurface) -> dict[str, str]:
    """Return what is known of how a surface was made, by name."""
    details = surface.details
    known: dict[str, Any] = {"labels": surface.n_labels, "pool_rows": surface.support.sum()}
    known["about"] = surface.about
    if surface.label_trust is not None:
        known["label_trust"] = surface.label_trust
    if surface.said_of_judges:
        known["judges"] = "; ".join(surface.said_of_judges)
    if surface.missing_answers is not None:
        known["missing_answers"] = surface.missing_answers
    known |= {
        k: details[k] for k in ("estimator", "strategy", "seed", LABELS_WORTH) if k in details
    }
    said = details.get(PROVENANCE)
    known |= dict(said) if isinstance(said, Mapping) else {}
    known.setdefault("pool_digest", pool_digest(surface))
    return {words: _text(key, known[key]) for key, words in _WORDS.items() if key in known}


def model_numbers(surface: AccuracySurface) -> dict[str, str]:
    """Return the numbers of the fitted model that can be explained, by what they mean."""
    found = surface.details
    return {words: f"{found[key]:.4g}" for key, words in _MODEL.items() if _is_number(found, key)}


def pool_digest(surface: AccuracySurface) -> str:
    """Return a fingerprint of the pool: the SHA-256 of its attributes, and rows of each arm."""
    digest = sha256(repr(surface.space.to_json()).encode("utf-8", "surrogatepass"))
    digest.update(surface.arms.astype("<i8").tobytes())
    digest.update(surface.support.astype("<f8").tobytes())
    return digest.hexdigest()


def _is_number(details: Mapping[str, Any], key: str) -> bool:
    return isinstance(details.get(key), int | float)


def _text(key: str, value: Any) -> str:
    if key == "pool_digest":
        return str(value)[:_SHOWN_DIGITS]
    if key == "version":
        return f"accuracy-assay {value}"
    if key == "cost":
        return f"{float(value):,.2f}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return count_text(value)
    return str(value)
