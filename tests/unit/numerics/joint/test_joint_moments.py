"""Partition, marginals and expected arms against enumeration of all arms."""

import numpy as np

from accuracy_assay.numerics.joint.joint_moments import joint_moments


def test_moments_equal_brute_force(case) -> None:
    found, P = joint_moments(case.factors, case.N), case.posterior
    np.testing.assert_allclose(found.log_z, case.log_z)
    np.testing.assert_allclose(found.arms, P.sum(axis=0))
    for k, size in enumerate(case.shape):
        np.testing.assert_allclose(found.values[k], P @ np.eye(size)[case.codes[:, k]])


def test_a_constant_in_the_potential_moves_log_z_alone(case) -> None:
    one, two = joint_moments(case.factors, case.N), joint_moments(case.factors, case.N + 700.0)
    np.testing.assert_allclose(two.log_z, one.log_z + 700.0)
    np.testing.assert_allclose(two.arms, one.arms)
