"""Spoken digits sent to real speech services, by speaker and recording.

Table ``audiomnist``: the recordings of AudioMNIST with the answers that FrugalML (Chen et al.,
2020) collected from four services, and attribute predictors trained on the rows ``attr_train``,
which are left out. The free signal is the confidence of the service.
"""

from pathlib import Path

import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import order_values, read_pool

__all__ = ["am1n", "am1n_deepspeech", "am2d", "am2g", "am3d", "am3g"]

_SERVICES = {name: f"{name}_pred" for name in ("google", "microsoft", "ibm", "deepspeech")}

_EXACT = ("digit", "gender", "accent_group", "duration_band", "loudness_band")
_OF_SPEAKERS = ("gender", "accent_group", "age_band", "duration_band", "loudness_band")
_GUESSED = ("gender", "native_speaker", "accent_group", "age_band")
_RECORDING_ORDERS = {
    "duration_band": ("short", "mid", "long"),
    "loudness_band": ("quiet", "mid", "loud"),
}
_AGE_ORDER = {"age_band": ("22_24", "25_26", "27_29", "30p")}


def am2g(data: Path | None) -> Task:
    """Return Google's answers over five exact attributes: 1,080 arms."""
    return _recordings("am2g", data, "google")


def am2d(data: Path | None) -> Task:
    """Return DeepSpeech's answers over five exact attributes: 1,080 arms."""
    return _recordings("am2d", data, "deepspeech")


def am3g(data: Path | None) -> Task:
    """Return Google's answers by speaker and recording, whatever the digit: 432 arms.

    A speaker's recordings have gender, accent and age in common, and many arms are of one speaker:
    rows belong together, by the column ``speaker``.
    """
    return _of_speakers("am3g", data, "google")


def am3d(data: Path | None) -> Task:
    """Return DeepSpeech's answers over the attributes of ``am3g``."""
    return _of_speakers("am3d", data, "deepspeech")


def am1n(data: Path | None) -> Task:
    """Return Google's answers over guessed speaker attributes and the digit: 960 arms."""
    return _speakers("am1n", data, "google")


def am1n_deepspeech(data: Path | None) -> Task:
    """Return DeepSpeech's answers over guessed speaker attributes and the digit: 960 arms."""
    return _speakers("am1n-deepspeech", data, "deepspeech")


def _recordings(name: str, data: Path | None, service: str) -> Task:
    return _exact(name, service, order_values(_usable(data), _RECORDING_ORDERS), _EXACT)


def _of_speakers(name: str, data: Path | None, service: str) -> Task:
    rows = order_values(_with_age(data), {**_RECORDING_ORDERS, **_AGE_ORDER})
    return _exact(name, service, rows, _OF_SPEAKERS)


def _exact(name: str, service: str, rows: pl.DataFrame, attributes: tuple[str, ...]) -> Task:
    return Task(
        name=name,
        description=f"Spoken digits read by {service}, attributes known exactly.",
        rows=rows,
        attributes=attributes,
        score=f"{service}_correct",
        y_true="digit",
        y_pred=f"{service}_pred",
        signals=(f"{service}_confidence",),
        services=_SERVICES,
    )


def _speakers(name: str, data: Path | None, service: str) -> Task:
    return Task(
        name=name,
        description=f"Spoken digits read by {service}, speaker attributes guessed from the sound.",
        rows=order_values(_with_age(data), _AGE_ORDER),
        attributes=("digit", *_GUESSED),
        score=f"{service}_correct",
        y_true="digit",
        y_pred=f"{service}_pred",
        evidence={attribute: f"p_{attribute}__*" for attribute in _GUESSED},
        signals=(f"{service}_confidence",),
        from_label=("digit",),
        services=_SERVICES,
    )


def _usable(data: Path | None) -> pl.DataFrame:
    """Return the recordings that taught no attribute predictor."""
    return read_pool(data, "audiomnist").filter(~pl.col("attr_train"))


def _with_age(data: Path | None) -> pl.DataFrame:
    """Return the recordings whose speaker gave an age."""
    return _usable(data).filter(pl.col("age_band").is_not_null())
