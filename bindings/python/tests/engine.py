"""Modules that may be missing where only the package itself is installed."""

import os
import warnings
from typing import Any

import pytest


def need(name: str) -> Any:
    """Imports a module, or skips the tests of a file; fails where everything should be there."""
    if os.environ.get("CUPEL_TEST_EVERYTHING"):
        # What others use that is deprecated is theirs to mend, as importorskip has it.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return __import__(name, fromlist=["_"])
    return pytest.importorskip(name)


def wanted(engine: str) -> bool:
    """Whether a heavy engine is to be tested."""
    return engine in os.environ.get("CUPEL_TEST_ENGINES", "").split()
