"""Appendix C of the paper: an embedding starts from the network of the joint potential."""

from accuracy_assay.protocols import (
    Calibration,
    EmbeddingEstimator,
    Estimator,
    NetworkCalibration,
)

__all__ = ["start_embedding"]


def start_embedding(estimator: Estimator, calibration: Calibration | None) -> Estimator:
    """Return the estimator, its embedding started from the calibration's network if both exist."""
    if isinstance(estimator, EmbeddingEstimator) and isinstance(calibration, NetworkCalibration):
        layers = calibration.hidden_layers
        return estimator if layers is None else estimator.starting_from(layers)
    return estimator
