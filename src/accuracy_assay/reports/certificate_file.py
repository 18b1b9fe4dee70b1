"""The file of a judge's certificate: JSON that people can read, with a digest of what it says.

The digest tells a file that was changed by hand from one that was not. It is no signature: who can
change the file can compute it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import write_whole
from accuracy_assay.reports.certificate import Certificate, CertifiedSlice, Support

__all__ = ["certificate_json", "read_certificate", "settings_of", "write_certificate"]

_FORMAT, _FORMAT_VERSION = "accuracy-assay judge certificate", 1
_NOT_SAVED = ("frames", "_to_label", "slices", "space", "support")
_MOST_TEXT = 80
"""Longest setting that is kept as it is; of a longer one, such as a prompt, its digest is kept."""


def settings_of(given: Mapping[str, object] | None) -> dict[str, str]:
    """Return a judge's settings as short texts, long ones as their digest.

    Examples
    --------
    >>> settings_of({"version": 3, "prompt": "Say yes or no. " * 10})["version"]
    '3'
    """
    return {str(name): _short(value) for name, value in sorted((given or {}).items())}


def certificate_json(certificate: Certificate) -> dict[str, Any]:
    """Return the certificate as plain values."""
    own = {
        f.name: getattr(certificate, f.name)
        for f in fields(certificate)
        if f.name not in _NOT_SAVED
    }
    plain = {
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
        **own,
        "verdict": certificate.verdict,
        "settings_digest": _digest(dict(certificate.settings)),
        "space": certificate.space.to_json(),
        "support": asdict(certificate.support),
        "slices": [asdict(each) for each in certificate.slices],
    }
    found: dict[str, Any] = json.loads(json.dumps(plain, default=_plain))
    return {**found, "digest": _digest(found)}


def write_certificate(certificate: Certificate, path: str | Path) -> None:
    """Write it, whole or not at all."""
    text = json.dumps(certificate_json(certificate), indent=1, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode(), "certificate")


def read_certificate(path: str | Path) -> Certificate:
    """Read it.

    Raises
    ------
    InputError
        If it isn't a certificate, or was changed after it was written.
    """
    found = _read(Path(path))
    digest = found.pop("digest", None)
    if digest != _digest(found):
        raise InputError(
            f"certificate must be as it was written; got {str(path)!r}, whose digest does not "
            "match. Certify the judge again."
        )
    names = {f.name for f in fields(Certificate)} - set(_NOT_SAVED)
    kept = {name: found[name] for name in names}
    kept |= {name: tuple(kept[name]) for name in ("services", "unlabelled", "passes")}
    return Certificate(
        **kept,
        space=AttributeSpace.from_json(found["space"]),
        support=Support(**found["support"]),
        slices=tuple(CertifiedSlice(**each) for each in found["slices"]),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"certificate must be a file that can be read; got {str(path)!r}: {error.strerror}."
        ) from None
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise InputError(
            f"certificate must be a file that Certificate.save wrote; got {str(path)!r}. Make one "
            "with assay judges TABLE --certificate FILE."
        )
    if found.get("format_version") != _FORMAT_VERSION:
        raise InputError(
            f"certificate must be of format {_FORMAT_VERSION}; got {found.get('format_version')} "
            f"in {str(path)!r}. Certify the judge again, or update this package."
        )
    return found


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= _MOST_TEXT and "\n" not in text else f"sha256:{_hash(text)}"


def _digest(values: Mapping[str, Any]) -> str:
    return f"sha256:{_hash(json.dumps(values, sort_keys=True, ensure_ascii=False))}"


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
