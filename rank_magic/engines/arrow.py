"""Arrow's columns as pandas', sharing memory where both lay numbers out alike."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rank_magic.engines.needs import need

__all__ = ["decoded", "frame_of"]


def frame_of(table: Any) -> pd.DataFrame:
    """Return an Arrow table as a frame."""
    series = {name: _series(table.column(name)) for name in table.column_names}
    return pd.DataFrame(series, index=pd.RangeIndex(table.num_rows), copy=False)


def decoded(table: Any) -> Any:
    """Return an Arrow table whose dictionary columns hold their values."""
    types = need("pyarrow").types
    for place, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            values = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.name, values)
    return table


def _series(column: Any) -> pd.Series[Any]:
    """Return a column as pandas has it; whole numbers with gaps stay whole."""
    types = need("pyarrow").types
    kind = column.type
    if types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    whole = types.is_integer(kind)
    if types.is_floating(kind) or (whole and not column.null_count):
        return pd.Series(column.to_numpy(), copy=False)
    if whole or types.is_decimal(kind):
        return pd.Series(pd.array(column, dtype=pd.ArrowDtype(kind)))
    return column.to_pandas()
