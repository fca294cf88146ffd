"""Evaluations in files, for the next release's comparison.

The file is a zip: what can be read is JSON, numbers are numpy's own arrays, exact to the last bit.
Nothing in it is ever executed. The same evaluation makes the same file, byte for byte.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError, RankMagicError
from rank_magic.records import Record, record_of
from rank_magic.values import Values

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["load", "save"]

FORMAT = 1
TEXT = "record.json"
SCALARS = {"text": str, "whole": int, "number": float, "truth": bool}
BROKEN = (zipfile.BadZipFile, KeyError, ValueError, TypeError, EOFError, OSError)


def save(evaluation: Evaluation | Record, path: Path | str) -> None:
    """Write an evaluation to a file, see `Evaluation.save`."""
    path = Path(path).expanduser()
    if not path.parent.is_dir():
        raise RankMagicError(f"There is no folder {str(path.parent)!r} to write {path.name!r} to.")
    record = record_of(evaluation)
    arrays = {f"values/{field.name}": _value(record, field.name) for field in _FIELDS}
    arrays |= {f"otherwise/{name}": values for name, values in record.otherwise.items()}
    if record.weights is not None:
        arrays["weights"] = record.weights.to_numpy()
    levels = []
    for place in range(record.queries.nlevels):
        level, array = _level(record.queries.get_level_values(place))
        levels.append(level)
        if array is not None:
            arrays[f"queries/{place}"] = array
    text = {
        "format": FORMAT,
        "systems": [_scalar(name) for name in record.systems],
        "several": record.several,
        "measures": record.names,
        "aggregates": record.aggregates,
        "conventions": record.conventions,
        "judged": record.judged,
        "queries": levels,
    }
    # Written beside it and moved, so that a file is never half there.
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as parts:
            _add(parts, TEXT, json.dumps(text, indent=1, ensure_ascii=False).encode())
            for name, array in sorted(arrays.items()):
                written = io.BytesIO()
                np.lib.format.write_array(written, np.ascontiguousarray(array), allow_pickle=False)
                _add(parts, f"{name}.npy", written.getvalue())
        umask = os.umask(0)
        os.umask(umask)
        Path(beside).chmod(0o666 & ~umask)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load(path: Path | str) -> Record:
    """Read an evaluation that `Evaluation.save` wrote.

    Parameters
    ----------
    path : Path or str
        The file.

    Returns
    -------
    Record
        With means, the values of queries and every convention, to be given to `compare`.

    Raises
    ------
    DataError
        If there is no such file, or it is not what ``save`` wrote.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": ["a", "b"], "grade": [1, 0], "score": [0.9, 0.8]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rm.evaluate(frame, "P@1").save(f"{folder}/release.zip")
    ...     release = rm.load(f"{folder}/release.zip")
    >>> release.mean()
    measure
    P@1    0.5
    Name: mean, dtype: float64
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise DataError(f"There is no file {str(path)!r}.")
    try:
        with zipfile.ZipFile(path) as parts:
            text = json.loads(parts.read(TEXT))
            found = text["format"]
            if found == FORMAT:
                return _record(text, parts)
    except BROKEN as error:
        raise DataError(
            f"{str(path)!r} is not a file that evaluation.save(...) wrote, or it is damaged: "
            f"{type(error).__name__}: {error}."
        ) from None
    raise DataError(
        f"{str(path)!r} was written in format {found!r}, this rank_magic reads {FORMAT}. "
        f"Read it with the version that wrote it, or a newer one."
    )


_FIELDS = dataclasses.fields(Values)


def _value(record: Record, name: str) -> NDArray[Any]:
    return np.asarray(getattr(record.values, name))


def _add(parts: zipfile.ZipFile, name: str, content: bytes) -> None:
    about = zipfile.ZipInfo(name)  # without the time, so that equal contents are equal files
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = 0o644 << 16
    parts.writestr(about, content)


def _array(parts: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with parts.open(f"{name}.npy") as file:
        return np.lib.format.read_array(io.BytesIO(file.read()), allow_pickle=False)


def _record(text: dict[str, Any], parts: zipfile.ZipFile) -> Record:
    names = [name.removesuffix(".npy") for name in parts.namelist()]
    levels = [_level_back(level, place, parts) for place, level in enumerate(text["queries"])]
    queries = levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
    values = {field.name: _array(parts, f"values/{field.name}") for field in _FIELDS}
    systems = tuple(_scalar_back(name) for name in text["systems"])
    shape = (len(systems), len(text["measures"]), len(queries))
    if values["value"].shape != shape:
        raise ValueError(f"values of shape {values['value'].shape} for {shape}")
    return Record(
        systems=systems,
        names=list(text["measures"]),
        queries=queries,
        conventions=dict(text["conventions"]),
        several=bool(text["several"]),
        aggregates=list(text["aggregates"]),
        judged=dict(text["judged"]),
        values=Values(**values),
        _weights=_array(parts, "weights") if "weights" in names else None,
        _saved={
            name.removeprefix("otherwise/"): _array(parts, name)
            for name in names
            if name.startswith("otherwise/")
        },
    )


# Names of queries and systems, each with its type: "1" is not 1.


def _scalar(value: Hashable) -> list[Any]:
    if isinstance(value, tuple):
        return ["several", [_scalar(one) for one in value]]
    if isinstance(value, np.generic):
        value = value.item()
    for name, kind in SCALARS.items():
        if type(value) is kind:
            return [name, value]
    raise RankMagicError(
        f"A query or system called {value!r} ({type(value).__name__}) can't be saved. Ids that are "
        f"text, numbers or dates can: frame['query_id'].astype(str)."
    )


def _scalar_back(written: Sequence[Any]) -> Any:
    kind, value = written
    if kind == "several":
        return tuple(_scalar_back(one) for one in value)
    return SCALARS[kind](value)


def _level(level: pd.Index[Any]) -> tuple[dict[str, Any], NDArray[Any] | None]:
    """Return how a level of the queries' index is written: in the text, or as an array."""
    about: dict[str, Any] = {"name": None if level.name is None else _scalar(level.name)}
    if isinstance(level, pd.CategoricalIndex):
        level = level.astype(level.categories.dtype)
    if isinstance(level, pd.DatetimeIndex):
        zone = None if level.tz is None else str(level.tz)
        return {**about, "dates": level.unit, "zone": zone}, level.asi8
    if pd.api.types.is_numeric_dtype(level.dtype):
        array = level.to_numpy(dtype=getattr(level.dtype, "numpy_dtype", level.dtype))
        return {**about, "dtype": str(level.dtype)}, array
    return {**about, "dtype": str(level.dtype), "values": [_scalar(one) for one in level]}, None


def _level_back(level: dict[str, Any], place: int, parts: zipfile.ZipFile) -> pd.Index[Any]:
    name = None if level["name"] is None else _scalar_back(level["name"])
    if "dates" in level:
        dates = _array(parts, f"queries/{place}").view(f"datetime64[{level['dates']}]")
        index: Any = pd.DatetimeIndex(dates, name=name)
        return (
            index if level["zone"] is None else index.tz_localize("UTC").tz_convert(level["zone"])
        )
    if "values" in level:
        values: Any = [_scalar_back(one) for one in level["values"]]
    else:
        values = _array(parts, f"queries/{place}")
    try:
        return pd.Index(values, dtype=level["dtype"], name=name)
    except (ImportError, TypeError, ValueError):  # a type of text that is not known here
        return pd.Index(values, name=name)
