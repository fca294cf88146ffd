"""What an evaluation can be asked besides its own numbers: segments, rivals, what they hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path

    from rank_magic.comparison import Comparison
    from rank_magic.diagnosis import Diagnosis
    from rank_magic.segments import By, Segments

__all__ = ["Questions"]


class Questions:
    """The part of `rank_magic.Evaluation` that looks into it; each loads what it needs."""

    def by(self: Any, segment: By = None) -> Segments:
        """Break the results down by segment: by market, by device, by the length of a query.

        Parameters
        ----------
        segment : column name or list of them, Series, mapping or callable, optional
            Columns of the frame, the same in all rows of a query, several of them crossed; labels
            indexed by query; or a function that takes a query and returns its label. By default
            the columns that were named as ``segment``, or the other keys of a grouped frame.

        Returns
        -------
        Segments
            A table of means by segment, which also gives each segment as an evaluation of its
            own: ``by("market")["de"]``.

        Examples
        --------
        >>> import pandas as pd
        >>> import rank_magic as rm
        >>> frame = pd.DataFrame(
        ...     {
        ...         "query": ["a", "a", "b", "b", "c", "c"],
        ...         "market": ["de", "de", "fr", "fr", "de", "de"],
        ...         "grade": [0, 1, 1, 0, 1, 0],
        ...         "score": [2, 1, 2, 1, 2, 1],
        ...     }
        ... )
        >>> rm.evaluate(frame, "RR").by("market").mean()
        measure    RR
        market
        de       0.75
        fr       1.00
        """
        from rank_magic.segments import segments_of

        return segments_of(self, segment)

    def compare(
        self: Any,
        *,
        baseline: Hashable | None = None,
        test: str | None = None,
        correction: str = "holm",
        alternative: str = "two-sided",
        resamples: int = 10_000,
        seed: int = 0,
    ) -> Comparison:
        """Compare the systems: how far apart, how sure, on which queries; see `compare`.

        Parameters
        ----------
        baseline : optional
            The system with which the others are compared; all pairs are by default.
        test, correction, alternative, resamples, seed
            As in `rank_magic.compare`.

        Returns
        -------
        Comparison
        """
        from rank_magic.comparison import compare

        return compare(
            self,
            baseline=baseline,
            test=test,
            correction=correction,
            alternative=alternative,
            resamples=resamples,
            seed=seed,
        )

    def save(self: Any, path: Path | str) -> None:
        """Write the values of queries and every convention to a file, for a later comparison.

        Parameters
        ----------
        path : Path or str
            The file, a zip; it is replaced if it exists. `rank_magic.load` reads it.

        Raises
        ------
        RankMagicError
            If there is no such folder, or ids are neither text, numbers nor dates.
        """
        from rank_magic.saving import save

        save(self, path)

    def diagnose(self: Any, *, k: int = 10) -> Diagnosis:
        """Say what RR, AP and the measures chosen hide on these data, and what they do not.

        Parameters
        ----------
        k : int
            How far down a reader is taken to look.

        Returns
        -------
        Diagnosis
            Findings with their evidence, numbers and example queries.

        Examples
        --------
        >>> import rank_magic as rm
        >>> shop = rm.datasets.load_electronics()
        >>> diagnosis = rm.evaluate(shop, score="bm25").diagnose()
        >>> diagnosis["first"].numbers.iloc[0].to_dict()
        {'queries': 116, 'queries with RR = 1': 90, 'of these nDCG@10 < 0.5': 10}
        """
        from rank_magic.diagnosis import diagnose

        return diagnose(self, k)
