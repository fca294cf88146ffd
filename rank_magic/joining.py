"""A run and its qrels laid beside one another, row by row, once it is known what matches."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import ids, numbers, plain
from rank_magic.errors import ColumnError, DataError, listed
from rank_magic.fingerprints import refuse_missing
from rank_magic.matching import Keys, Matches
from rank_magic.mismatches import check_kinds
from rank_magic.roles import conventional, find_given
from rank_magic.threads import in_threads

__all__ = ["Plan", "Tables", "joined", "settled"]

Ints = NDArray[np.signedinteger[Any]]

COW = int(pd.__version__.split(".")[0]) >= 3
EXACT = 2**53  # floats tell whole numbers apart up to here


@dataclass(frozen=True)
class Tables:
    """A run and its qrels, and which of their columns play which role.

    Attributes
    ----------
    run, qrels : DataFrame
        The tables; named index levels have become columns.
    run_keys, qrels_keys : list of column names
        The columns of the query, then that of the document.
    grade : column name
        The grade, a column of the qrels.
    subtopic, system : column name or None
        Columns of the qrels and of the run.
    """

    run: pd.DataFrame
    qrels: pd.DataFrame
    run_keys: list[Hashable]
    qrels_keys: list[Hashable]
    grade: Hashable
    subtopic: Hashable | None
    system: Hashable | None

    @classmethod
    def of(cls, run: Any, qrels: Any, **given: Any) -> Tables:
        """Find the columns, by the names given or else by conventional ones."""
        frames = {"run": _plain_frame(run, "run"), "qrels": _plain_frame(qrels, "qrels")}
        keys: dict[str, list[Hashable]] = {table: [] for table in frames}
        for table in frames:
            for role in ("query", "doc"):
                keys[table] += _find(frames, table, role, given[role])
        if len(keys["run"]) != len(keys["qrels"]):
            raise ColumnError(
                f"The query is {listed(keys['run'][:-1])} in the run and "
                f"{listed(keys['qrels'][:-1])} in the qrels: give columns that both have."
            )
        (grade,) = _find(frames, "qrels", "grade", given["grade"])
        subtopic = _find(frames, "qrels", "subtopic", given["subtopic"], needed=False)
        system = conventional("system", list(frames["run"].columns)) or [None]
        tables = cls(
            frames["run"],
            frames["qrels"],
            keys["run"],
            keys["qrels"],
            grade,
            (subtopic or [None])[0],
            system[0],
        )
        tables._check_names()
        return tables

    def keys(self, table: str) -> Keys:
        """Return the ids of a table."""
        frame, names = (
            (self.run, self.run_keys) if table == "run" else (self.qrels, self.qrels_keys)
        )
        *queries, doc = [frame[name] for name in names]
        return Keys(queries, doc)

    @property
    def roles(self) -> list[str]:
        """What each of the keys is."""
        return [*["query"] * (len(self.run_keys) - 1), "doc"]

    def check_ids(self) -> None:
        """Raise when an id is missing, or is text in one table and a number in the other."""
        for role, ours, theirs in zip(
            self.roles, self.keys("run").columns, self.keys("qrels").columns, strict=True
        ):
            refuse_missing(ours, role, "run")
            refuse_missing(theirs, role, "qrels")
            check_kinds(ours, theirs, role)

    def ranked(self, order: str | None) -> Tables:
        """Return the tables with a run that says how its rows are ordered."""
        names = list(self.run.columns)
        said = [*(conventional("score", names) or []), *(conventional("rank", names) or [])]
        if order == "rows":
            if said:
                raise ColumnError(
                    f"order='rows' says that rows stand in ranked order; the column {said[0]!r} "
                    f"says otherwise. Drop it, or leave order='rows' out."
                )
            by = [*self.run_keys[:-1], *([] if self.system is None else [self.system])]
            rank = self.run.groupby(by, sort=False, observed=True, dropna=False).cumcount() + 1
            return replace(self, run=self.run.assign(rank=rank))
        if order is not None:
            raise ColumnError(f"order={order!r} is not a choice. The only one is order='rows'.")
        free = [name for name in names if name not in self.run_keys]
        if not said and not any(_numeric(self.run[name]) for name in free):
            raise ColumnError(
                f"The run has no score and no rank, so it has no order once judged documents are "
                f"added that it did not retrieve. Its columns are {listed(names)}. If its rows "
                f"stand in ranked order, say order='rows'."
            )
        return self

    def _check_names(self) -> None:
        for table, frame in (("run", self.run), ("qrels", self.qrels)):
            repeated = frame.columns[frame.columns.duplicated()]
            if len(repeated):
                raise ColumnError(
                    f"The {table} has several columns called {repeated[0]!r}. Rename or drop all "
                    f"but one."
                )
        if self.grade in self.run.columns:
            raise ColumnError(
                f"The run has a column {self.grade!r} already, as the qrels' grade is called. "
                f"If it is an earlier grade, drop it: run = run.drop(columns=[{self.grade!r}])."
            )


def _plain_frame(frame: Any, table: str) -> pd.DataFrame:
    """Return a table whose named index levels are columns and whose rows count from 0."""
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            f"The {table} must be a pandas DataFrame with a row per query and document, not "
            f"{type(frame).__name__}."
        )
    if isinstance(frame.columns, pd.MultiIndex):
        raise ColumnError(
            f"The columns of the {table} are a MultiIndex with {frame.columns.nlevels} levels. "
            f"Flatten them first."
        )
    if not len(frame):
        raise DataError(f"The {table} has no rows, so there is nothing to attach.")
    levels = [name for name in frame.index.names if name is not None]
    new = [name for name in levels if name not in frame.columns]
    kept = frame.index.to_frame(index=False)[new].set_axis(frame.index) if new else None
    plain_ = frame if kept is None else pd.concat([kept, frame], axis=1)
    return plain_.reset_index(drop=True)


def _find(
    frames: dict[str, pd.DataFrame], table: str, role: str, given: Any, *, needed: bool = True
) -> list[Hashable]:
    """Return the columns of a role in one of the tables."""
    frame = frames[table]
    elsewhere = frames["qrels" if table == "run" else "run"]
    if given is not None and (_has(frame, given) or not _has(elsewhere, given)):
        return find_given(frame, role, given)
    found = conventional(role, list(frame.columns))
    if found is None and needed:
        raise ColumnError(
            f"No column for the {role} in the {table}. Its columns are {listed(frame.columns)}. "
            f"Say which one: {role}={frame.columns[-1 if role == 'grade' else 0]!r}."
        )
    return found or []


def _has(frame: pd.DataFrame, given: Any) -> bool:
    several = isinstance(given, (list, pd.Index)) or (
        isinstance(given, tuple) and given not in frame.columns
    )
    return all(name in frame.columns for name in (given if several else [given]))


def _numeric(values: pd.Series[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(values.dtype)


def settled(tables: Tables, found: Matches, duplicates: str) -> Ints:
    """Return the rows of the qrels that count: graded, and each query and document once."""
    grade = numbers(tables.qrels[tables.grade], "grade")
    rows = np.flatnonzero(~np.isnan(grade))
    if not len(rows):
        raise DataError(
            f"The grade column {tables.grade!r} of the qrels holds no grade at all, so nothing is "
            f"judged."
        )
    unit = found.pair_of
    if tables.subtopic is not None:
        topic = ids(tables.qrels[tables.subtopic], "subtopic")
        unit, _ = pd.factorize(unit.astype(np.int64) * (len(topic) + 1) + pd.factorize(topic)[0])
    if not pd.Index(unit[rows]).is_unique:
        if duplicates == "best":
            rows = rows[np.lexsort((rows, -grade[rows]))]
        again = pd.Series(unit[rows]).duplicated().to_numpy()
        first = dict(zip(unit[rows[~again]].tolist(), rows[~again].tolist(), strict=True))
        other = np.array([first[number] for number in unit[rows[again]].tolist()])
        conflict = np.flatnonzero(grade[rows[again]] != grade[other])
        if duplicates == "raise" and len(conflict):
            raise _conflict(tables, rows[again][conflict], other[conflict], grade)
        rows = np.sort(rows[~again])
    return rows


def _conflict(tables: Tables, rows: Ints, others: Ints, grade: NDArray[np.float64]) -> DataError:
    """Return the error for rows that grade a document otherwise than earlier rows."""
    at, before = int(rows[0]), int(others[0])
    *query, doc = [plain(tables.qrels[name].iloc[at]) for name in tables.qrels_keys]
    several = "1 row grades a document" if len(rows) == 1 else f"{len(rows):,} rows grade documents"
    return DataError(
        f"{several} of the qrels otherwise than an earlier row does, such as document {doc!r} in "
        f"query {query[0] if len(query) == 1 else tuple(query)!r} with {grade[before]:g} and "
        f"{grade[at]:g}. Settle on one grade each, or say which counts: duplicates='first' or "
        f"duplicates='best'. If several people judged, combine their grades first."
    )


@dataclass(frozen=True)
class Plan:
    """Which rows of run and qrels make the rows of the result.

    Attributes
    ----------
    rows : int
        How many rows the result has.
    run : array of int, shape (rows,), or None
        The run's row of each row, -1 where nothing was retrieved; None when all are as they were.
    at, qrels : array of int
        The rows that are judged, and the rows of the qrels by which they are.
    added, by : array of int
        The rows that were judged and not retrieved, and their rows of the qrels.
    judged : int
        How many rows of the run are judged.
    """

    rows: int
    run: Ints | None
    at: Ints
    qrels: Ints
    added: Ints
    by: Ints
    judged: int

    @classmethod
    def of(cls, found: Matches, used: Ints, rows: int) -> Plan:
        """Lay out the result.

        Parameters
        ----------
        found : Matches
            What matches.
        used : array of int
            The rows of the qrels that count.
        rows : int
            How many rows the run has.
        """
        used_by_pair = used[np.argsort(found.pair_of[used], kind="stable")]
        count = np.bincount(found.pair_of[used], minlength=int(found.pair_of.max()) + 1)
        first = np.cumsum(count) - count
        judged = count[found.pair] > 0
        at, pair = found.rows[judged], found.pair[judged]
        missed = used[~found.retrieved[used]]
        none = np.zeros(0, dtype=np.int64)
        if not len(missed) and count.max() == 1:
            return cls(rows, None, at, used_by_pair[first[pair]], none, none, len(at))
        places = np.ones(rows, dtype=np.int64)
        places[at] = count[pair]
        after, missed = _after(found, missed, rows)
        space = places + np.bincount(np.minimum(after, rows - 1), minlength=rows)
        start = np.cumsum(space) - space
        total = int(space.sum())
        run = np.full(total, -1)
        if count.max() == 1:
            run[start] = np.arange(rows)
        else:
            run[_each(start, places)] = np.repeat(np.arange(rows), places)
        last = np.minimum(after, rows - 1)
        added = start[last] + places[last] + np.arange(len(last)) - np.searchsorted(last, last)
        by = used_by_pair[_each(first[pair], count[pair])]
        return cls(total, run, _each(start[at], count[pair]), by, added, missed, len(at))


def _after(found: Matches, missed: Ints, rows: int) -> tuple[Ints, Ints]:
    """Return the run's rows that missed judgments follow, ascending, and the judgments so."""
    ends = np.append(found.starts[1:], rows) - 1
    known = found.spans >= 0
    last = np.full(int(found.query_of.max()) + 1, rows)  # queries that the run lacks: at the end
    last[found.spans[known]] = ends[known]
    query = found.query_of[missed]
    order = np.lexsort((missed, query, last[query]))
    return last[query][order], missed[order]


def _each(start: Ints, count: Ints) -> Ints:
    """Return the numbers from each start on, as many as it counts, one after the other."""
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(start, count) + within


def joined(tables: Tables, plan: Plan) -> pd.DataFrame:
    """Return the run's columns and those of the qrels, row by row."""
    pairs = dict(zip(tables.run_keys, tables.qrels_keys, strict=True))

    def ours(name: Hashable) -> Any:
        values = tables.run[name]
        if plan.run is None:
            return values if COW else values.copy()
        if name not in pairs:
            return _taken(values, plan.run)
        both = _one_below(values, tables.qrels[pairs[name]].iloc[plan.by])
        rows = plan.run.copy()
        rows[plan.added] = len(values) + np.arange(len(plan.added))
        return both.array.take(rows)

    at = np.concatenate([plan.at, plan.added])
    by = np.concatenate([plan.qrels, plan.by])

    def theirs(name: Hashable) -> Any:
        values = tables.qrels[name]
        if isinstance(values.dtype, np.dtype) and values.dtype.kind == "f":
            spread = np.full(plan.rows, np.nan, dtype=values.dtype)
            spread[at] = values.to_numpy()[by]
            return spread
        rows = np.full(plan.rows, -1)
        rows[at] = by
        return _taken(values, rows)

    others = [name for name in tables.qrels.columns if name not in tables.qrels_keys]
    names = [*tables.run.columns, *_free(others, tables.run.columns)]
    work = [(ours, name) for name in tables.run.columns] + [(theirs, name) for name in others]
    arrays = in_threads(lambda job: job[0](job[1]), work, cells=plan.rows)
    # Series of a given type, so that pandas takes objects for nothing else.
    columns = [pd.Series(array, dtype=array.dtype, copy=False) for array in arrays]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(plan.rows), copy=False)
    return frame.set_axis(pd.Index(names, tupleize_cols=False), axis=1)


def _free(names: Sequence[Hashable], taken: pd.Index[Any]) -> list[Hashable]:
    """Return names for the qrels' columns, told from columns of the run that are called so."""
    return [f"{name}_qrels" if name in taken else name for name in names]


def _taken(values: pd.Series[Any], rows: Ints) -> Any:
    """Return the values of some rows, missing where the row is -1."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and len(values):
        if not (rows < 0).any():
            return values.to_numpy()[rows]
        if max(abs(int(values.min())), abs(int(values.max()))) > EXACT:
            values = values.astype("UInt64" if dtype.kind == "u" else "Int64")
    array = values.to_numpy() if isinstance(values.dtype, np.dtype) else values.array
    return pd.api.extensions.take(array, rows, allow_fill=True)


def _one_below(values: pd.Series[Any], more: pd.Series[Any]) -> pd.Series[Any]:
    """Return ids of both tables as one column, of the run's type where it can hold them."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        known = values.cat.categories
        more = more.astype(more.cat.categories.dtype) if hasattr(more, "cat") else more
        new = pd.Index(more.unique()).difference(known, sort=False).astype(known.dtype)
        dtype = pd.CategoricalDtype(known.append(new), ordered=values.cat.ordered)
        return pd.concat([values.astype(dtype), more.astype(dtype)], ignore_index=True)
    if values.dtype != more.dtype:
        try:
            same = more.astype(values.dtype)
        except (TypeError, ValueError, OverflowError):
            same = more
        more = same if bool((same.astype(object) == more.astype(object)).all()) else more
    return pd.concat([values, more], ignore_index=True)
