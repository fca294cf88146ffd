"""Libraries that are imported when they are needed, and how to get one that is missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from rank_magic.errors import LibraryError

__all__ = ["need"]

# Which of the package's extras brings a library.
EXTRA = {
    "dask": "dask",
    "duckdb": "parquet",
    "polars": "polars",
    "pyarrow": "parquet",
    "pyspark": "spark",
}


def need(module: str) -> ModuleType:
    """Import a module.

    Raises
    ------
    LibraryError
        If it is not installed. The message has the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        name = module.partition(".")[0]
        if missing.name is None or missing.name.partition(".")[0] != name:
            raise
        raise LibraryError(
            f"This needs {name}, which is not installed. Install it: "
            f"pip install 'rank-magic[{EXTRA[name]}]'"
        ) from None
