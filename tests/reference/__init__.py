"""Slow, obvious definitions of every ranking measure: the truth the package is checked against.

Nothing here knows rank_magic, numpy or pandas. One query is a `Query`; a measure is a function of
the grades in ranked order and of all judged grades; ties are enumerated, not approximated.

    q = Query(
        docs=["d1", "d2", "d3"],
        grades={"d1": 0, "d3": 2, "d9": 1},
        scores={"d1": 3, "d2": 1, "d3": 1},
    )
    value("nDCG", q, k=10)                      # ties="average": mean over every order of equals
    value("AP", q, ties="trec", rel=2)          # also "order", "worst", "best"
    value("trec.ndcg_cut_10", q, ties="trec")   # trec_eval version 10's own numbers
    rbo(["a", "b"], ["b", "a"], p=0.9)          # functions of two rankings
    lowest, highest = unjudged_range("P", q, [0, 1, 2], k=5)

Grades: a number is a judgment; None or a missing document was never judged; a negative number is
in the pool but not judged (trec_eval's meaning): worth nothing, not relevant.

Fractions keep the rational measures exact until the last step. Read a family in its own file:
binary, gain, cascade, persistence, diversity, overlap, trec.
"""

import itertools
import math
from fractions import Fraction

from . import binary, cascade, diversity, gain, overlap, persistence, trec
from .overlap import (  # noqa: F401  (part of the interface)
    kendall_tau,
    rbo,
    rbo_ext,
    rbo_max,
    rbo_min,
    rbo_truncated,
    tau_ap,
)

BY_GRADES = binary.MEASURES | gain.MEASURES | cascade.MEASURES | persistence.MEASURES
BY_SUBTOPICS = diversity.MEASURES
BY_DOCS = overlap.MEASURES
NAMES = sorted(BY_GRADES | BY_SUBTOPICS | BY_DOCS)
ALIASES = {
    "MRR": "RR",
    "MAP": "AP",
    "Precision": "P",
    "Recall": "R",
    "HitRate": "Success",
    "Q-measure": "Q",
    "alpha-nDCG": "alpha_nDCG",
    "alpha-DCG": "alpha_DCG",
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "AP-IA": "AP_IA",
    "P-IA": "P_IA",
    "Compatibility": "Compat",
}


class Query:
    """One query: what was retrieved and what was judged.

    docs: retrieved documents in row order (the ranked order, when there are no scores).
    grades: {doc: grade} of every judged document, retrieved or not; None counts as not judged.
    scores: {doc: score}; None or NaN means not retrieved. Without scores there are no ties.
    subtopics: {doc: {subtopic: grade}}, for the diversity family.
    max_grade: the scale's top grade, for ERR and the scaled gains; default: highest grade here.
    depth: look at the first so many results only (trec_eval -M).
    unjudged: "grade0", or "remove" for condensed lists (trec_eval -J), applied after depth.
    negative: "unjudged" (trec_eval's meaning) or "nonrelevant" (judged junk: grade 0).
    """

    def __init__(
        self,
        docs,
        grades=None,
        scores=None,
        *,
        subtopics=None,
        max_grade=None,
        depth=None,
        unjudged="grade0",
        negative="unjudged",
    ):
        def known(grade):
            return grade is not None and not math.isnan(grade)

        def meant(grade):
            return 0 if negative == "nonrelevant" and grade < 0 else grade

        def retrieved(doc):
            return scores is None or (scores.get(doc) is not None and not math.isnan(scores[doc]))

        self.docs = [d for d in docs if retrieved(d)]
        self.scores = scores
        self.grades = {d: meant(g) for d, g in (grades or {}).items() if known(g)}
        self.subtopics = {
            d: {t: meant(g) for t, g in by_topic.items() if known(g)}
            for d, by_topic in (subtopics or {}).items()
        }
        by_topic = [g for judgments in self.subtopics.values() for g in judgments.values()]
        highest = max([0, *self.grades.values(), *by_topic])
        self.max_grade = highest if max_grade is None else max_grade
        self.depth = depth
        self.unjudged = unjudged
        assert len(set(self.docs)) == len(self.docs), "a document is retrieved twice"
        assert unjudged in ("grade0", "remove")
        assert negative in ("unjudged", "nonrelevant")

    def grade(self, doc):
        return self.grades.get(doc)

    def judged(self, doc):
        """Has this document a judgment (on any subtopic)? Negative grades are none."""
        own = [self.grades[doc]] if doc in self.grades else []
        return any(g >= 0 for g in own + list(self.subtopics.get(doc, {}).values()))

    def has_judgments(self):
        return bool(self.grades) or any(self.subtopics.values())

    def shown(self, order):
        """The part of an order that is looked at: depth first, then the condensed list."""
        order = order[: self.depth]
        return [d for d in order if self.judged(d)] if self.unjudged == "remove" else order

    def worth(self, doc):
        """By what equals are put into their worst and best order; never judged is below any
        grade."""
        if doc in self.subtopics:
            return sum(max(g, 0) for g in self.subtopics[doc].values())
        return self.grades.get(doc, -math.inf)

    def tie_groups(self):
        """Retrieved documents, best score first, equals together in row order."""
        if self.scores is None:
            return [[d] for d in self.docs]
        by_score = sorted(
            self.docs, key=lambda d: -self.scores[d]
        )  # stable: row order among equals
        return [
            list(group) for _, group in itertools.groupby(by_score, key=lambda d: self.scores[d])
        ]


# ---------------------------------------------------------------------------------------- ties


def orders(query):
    """Every order of the retrieved documents that is consistent with the scores, each as likely."""
    for parts in itertools.product(*(itertools.permutations(g) for g in query.tie_groups())):
        yield [d for part in parts for d in part]


def one_order(query, ties):
    """The one order that a tie rule names: "order", "trec", "worst" or "best"."""

    def arranged(group):
        if ties == "order":
            return group
        if ties == "trec":  # document id descending, as strings (strcmp: by code point)
            return sorted(group, key=str, reverse=True)
        if ties == "worst":
            return sorted(group, key=query.worth)
        if ties == "best":
            return sorted(group, key=query.worth, reverse=True)
        raise ValueError(f"unknown tie rule {ties!r}")

    return [d for group in query.tie_groups() for d in arranged(group)]


def expected(name, query, k=None, **params):
    """The mean of a measure over every order of equal scores.

    Cite: McSherry & Najork 2008, "Computing information retrieval performance measures efficiently
    in the presence of tied scores" (ECIR), who give closed forms of this very mean.
    """

    def label(doc):
        if name in BY_DOCS:
            return doc
        return query.grade(doc), tuple(sorted(query.subtopics.get(doc, {}).items()))

    seen = {}  # orders that show the same labels have the same value: compute it once
    total, count = Fraction(0), 0
    for order in orders(query):
        labels = tuple(map(label, order))
        if labels not in seen:
            seen[labels] = on_order(name, query, order, k, **params)
        if seen[labels] is None:
            return None
        total += Fraction(seen[labels])  # a float is a fraction: the sum is exact
        count += 1
    return float(total / count)


# -------------------------------------------------------------------------------------- values


def on_order(name, query, order, k=None, **params):
    """A measure's value on one given order of the retrieved documents."""
    name = ALIASES.get(name, name)
    if not query.has_judgments():
        return None
    shown = query.shown(order)
    if name.startswith("trec."):
        grades = [query.grade(d) for d in shown]
        return trec.value(name.removeprefix("trec."), grades, list(query.grades.values()), **params)
    if name in BY_SUBTOPICS:
        return BY_SUBTOPICS[name](
            shown, query.subtopics, k=k, **_fitting(BY_SUBTOPICS[name], query, params)
        )
    if name in BY_DOCS:
        return BY_DOCS[name](shown, query.grades, k=k, **params)
    measure = BY_GRADES[name]
    grades = [query.grade(d) for d in shown]
    result = measure(grades, list(query.grades.values()), k=k, **_fitting(measure, query, params))
    return None if result is None else float(result)


def _fitting(measure, query, params):
    """Pass the query's top grade on to measures that have a scale and were given none."""
    wanted = measure.__code__.co_varnames[
        : measure.__code__.co_argcount + measure.__code__.co_kwonlyargcount
    ]
    if "max_grade" in wanted and "max_grade" not in params:
        return {"max_grade": query.max_grade, **params}
    return params


def value(name, query, ties="average", k=None, **params):
    """A measure of one query. None: no value (no judgments; Judged where nothing is shown)."""
    name = ALIASES.get(name, name)
    if ties == "average":
        return expected(name, query, k, **params)
    return on_order(name, query, one_order(query, ties), k, **params)


def worst(name, query, k=None, **params):
    return value(name, query, "worst", k, **params)


def best(name, query, k=None, **params):
    return value(name, query, "best", k, **params)


def trec_value(name, query, rel=1, ties="trec", **params):
    """What trec_eval version 10 prints as NAME for this query, unrounded."""
    return value(f"trec.{name}", query, ties=ties, rel=rel, **params)


def unjudged_range(name, query, grades, k=None, ties="order", **params):
    """Lowest and highest value if each retrieved unjudged document had any of these grades."""
    open_docs = [d for d in one_order(query, ties)[: query.depth] if not query.judged(d)]
    top = max([query.max_grade, *grades])
    found = []
    for guess in itertools.product(grades, repeat=len(open_docs)):
        filled = Query(
            query.docs,
            query.grades | dict(zip(open_docs, guess, strict=True)),
            query.scores,
            max_grade=top,
            depth=query.depth,
        )
        found.append(value(name, filled, ties, k, **params))
    return min(found), max(found)


def arithmetic_mean(values):
    return math.fsum(values) / len(values)


def geometric_mean(values, floor=1e-5):
    """exp(mean log max(v, floor)): gm_map and gm_bpref. Cite: Robertson 2006, "On GMAP" (CIKM)."""
    return math.exp(math.fsum(math.log(max(v, floor)) for v in values) / len(values))
