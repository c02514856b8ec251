"""Shared by all tests."""

import pytest

pytest_plugins = ["pytester"]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("calibration")
    group.addoption(
        "--calibration-sets",
        type=int,
        default=6,
        metavar="N",
        help="simulated data sets a design (tests/statistics); 'make calibration' takes 1,000",
    )
    group.addoption(
        "--calibration-record",
        action="store_true",
        help="write the results to tests/statistics/recorded instead of comparing with them",
    )
