"""Which system is better, and is it real? Evaluations compared, pair by pair."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rank_magic.comparison.comparison import Comparison, Plan
from rank_magic.comparison.pairs import Pair, pairs_of
from rank_magic.comparison.together import together
from rank_magic.conventions import is_whole
from rank_magic.errors import RankMagicError, did_you_mean, listed
from rank_magic.evaluation import Evaluation
from rank_magic.records import Record, record_of
from rank_magic.significance import ALTERNATIVES, CORRECTIONS, TESTS
from rank_magic.watching import progress_bar

__all__ = ["Comparison", "Pair", "compare"]

FEWEST_RESAMPLES = 100
NEED_RESAMPLES = ("randomisation", "bootstrap")


def compare(
    *evaluations: Evaluation | Record,
    names: Sequence[Hashable] | None = None,
    baseline: Hashable | None = None,
    test: str | None = None,
    correction: str = "holm",
    alternative: str = "two-sided",
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare systems: how far apart, how sure, on which queries, and what could change it.

    Parameters
    ----------
    *evaluations : Evaluation or Record
        One with several systems, or several, such as the release before and the one to come. They
        are paired on the union of their queries; a query that one of them lacks is unanswered
        there.
    names : sequence, optional
        What the evaluations are called, when their systems have the same names; by default a, b.
    baseline : optional
        The system with which the others are compared. By default all pairs of a single evaluation
        are, and of several the systems of the later ones with those of the first: each with its
        namesake if there is one, otherwise with all.
    test : {"t", "wilcoxon", "randomisation", "bootstrap"}, optional
        The test that decides what is called evidence; all of them are in the table. By default the
        t test, under Tukey's correction the randomisation test.
    correction : {"holm", "bonferroni", "bh", "tukey", "none"}
        How p-values are made to hold for all measures and pairs together. ``"bh"`` is Benjamini
        and Hochberg's; ``"tukey"`` is Tukey's HSD by randomisation, for all pairs.
    alternative : {"two-sided", "greater", "less"}
        What a system is if it is no different: p-values of a one-sided test. Intervals remain
        two-sided.
    resamples : int
        For randomisation and bootstrap; 0 leaves them out.
    seed : int
        Of the random numbers. The same seed gives the same p-values, to the last bit.

    Returns
    -------
    Comparison

    Raises
    ------
    RankMagicError
        If there are no two systems, the evaluations were made under other conventions, or an
        option can't be.

    Notes
    -----
    Tests are of the differences of paired queries: the paired t test, whose interval is shown;
    Wilcoxon's signed-rank test, differences of 0 left out; the randomisation test, by all signs
    where those of the queries that differ can be gone through; and the bootstrap of the t
    statistic. With weights the tests are of the weighted mean, and Wilcoxon's is left out.

    Examples
    --------
    >>> import rank_magic as rm
    >>> shop = rm.datasets.load_electronics()
    >>> evaluation = shop.rank.evaluate(
    ...     "nDCG@10", score=["bm25", "rrf"], ties="trec", gain="linear"
    ... )
    >>> print(rm.compare(evaluation, baseline="bm25").sentences()[0])
    rrf is 0.017 above bm25 on nDCG@10; with 135 queries that is not evidence, p = 0.23. ...
    """
    if not evaluations:
        raise RankMagicError("Nothing to compare. Give one evaluation, or several.")
    for one in evaluations:
        if not isinstance(one, Record | Evaluation):
            raise RankMagicError(
                f"compare() takes evaluations, what evaluate() or load() return, not "
                f"{type(one).__name__}."
            )
    if test is None:
        test = "randomisation" if correction == "tukey" else "t"
    _check_choice("correction", correction, [*CORRECTIONS, "tukey"])
    _check_choice("alternative", alternative, ALTERNATIVES)
    _check_choice("test", test, TESTS)
    _check_numbers(resamples, seed)
    plan = Plan(test, correction, alternative, int(resamples), int(seed))
    records = [record_of(one) for one in evaluations]
    _check_plan(plan, weighted=records[0].weights is not None)
    side = together(records, names)
    with progress_bar(_shell(), "resamples"):
        return Comparison.of(side, pairs_of(side, baseline), plan)


def _check_choice(name: str, given: object, choices: Sequence[str] | dict[str, str]) -> None:
    if given not in choices:
        raise RankMagicError(
            f"{name}={given!r} is not a choice. Choose one of {listed(choices)}."
            f"{did_you_mean(str(given), choices)}"
        )


def _check_numbers(resamples: int, seed: int) -> None:
    if not is_whole(resamples) or not (resamples == 0 or resamples >= FEWEST_RESAMPLES):
        raise RankMagicError(
            f"resamples must be a whole number from {FEWEST_RESAMPLES}, or 0 for none, not "
            f"{resamples!r}."
        )
    if not is_whole(seed) or seed < 0:
        raise RankMagicError(f"seed must be a whole number of at least 0, not {seed!r}.")


def _check_plan(plan: Plan, *, weighted: bool) -> None:
    """Raise for what does not go together."""
    if plan.test in NEED_RESAMPLES and not plan.resamples:
        raise RankMagicError(f"The {TESTS[plan.test]} needs resamples: resamples=10_000.")
    if plan.test == "wilcoxon" and weighted:
        raise RankMagicError(
            "Wilcoxon's test knows no weights. Choose test='t', or evaluate without weight=..."
        )
    if plan.correction == "tukey":
        wrong = {
            "test='randomisation' (its p-values are corrected)": plan.test != "randomisation",
            "alternative='two-sided'": plan.alternative != "two-sided",
            "queries without weights": weighted,
        }
        for needed, lacks in wrong.items():
            if lacks:
                raise RankMagicError(
                    f"correction='tukey' needs {needed}. Otherwise choose correction='holm'."
                )


def _shell() -> object | None:
    """Return the shell in which this runs, if IPython is there at all."""
    import sys

    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()
