"""Measures of relevant or not.

Every function takes `grades`, the ranking's grades from rank 1 (None: not judged, negative: in the
pool but not judged), and `judged`, all grades of the query, retrieved or not. relevant: grade ≥
rel.
"""

import math
from fractions import Fraction


def relevant(grade, rel):
    """Relevant means judged, not negative, and at least rel."""
    return grade is not None and grade >= 0 and grade >= rel


def is_judged(grade):
    return grade is not None and grade >= 0


def hits(grades, rel, k=None):
    """How many of the first k are relevant."""
    return sum(relevant(g, rel) for g in grades[:k])


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


def RR(grades, judged, k=None, rel=1):
    """1 / rank of the first relevant document within k, or 0.

    Cite: Kantor & Voorhees 2000, "The TREC-5 confusion track" (Information Retrieval 2).
    """
    for r, g in enumerate(grades[:k], 1):
        if relevant(g, rel):
            return Fraction(1, r)
    return Fraction(0)


def AP(grades, judged, k=None, rel=1, denominator="relevant"):
    """(1 / |R|) Σ_r P@r · [relevant at r]; with denominator "min", 1 / min(|R|, k).

    Cite: Harman 1992, "Evaluation issues in information retrieval"; Buckley & Voorhees 2005, ch. 3
    of "TREC: Experiment and evaluation".
    """
    total = hits(judged, rel)
    if denominator == "min" and k is not None:
        total = min(total, k)
    found = sum(
        Fraction(hits(grades, rel, r), r) for r, g in enumerate(grades[:k], 1) if relevant(g, rel)
    )
    return found / total if total else Fraction(0)


def P(grades, judged, k=None, rel=1):
    """Relevant among the first k, divided by k even when the list is shorter. Cite: van Rijsbergen
    1979."""
    return share(hits(grades, rel, k), len(grades) if k is None else k)


def R(grades, judged, k=None, rel=1):
    """Relevant among the first k, divided by all relevant. Cite: van Rijsbergen 1979."""
    return share(hits(grades, rel, k), hits(judged, rel))


def F(grades, judged, k=None, rel=1, beta=1):
    """(1 + β²) P R / (β² P + R) at k. Cite: van Rijsbergen 1979, ch. 7."""
    p, r, b2 = P(grades, judged, k, rel), R(grades, judged, k, rel), Fraction(beta) ** 2
    return (1 + b2) * p * r / (b2 * p + r) if p and r else Fraction(0)


def F1(grades, judged, k=None, rel=1):
    """Harmonic mean of P@k and R@k."""
    return F(grades, judged, k, rel)


def Success(grades, judged, k=None, rel=1):
    """1 if any of the first k is relevant, else 0. Cite: Tomlinson 2005 (trec_eval's success_k)."""
    return Fraction(int(hits(grades, rel, k) > 0))


def Judged(grades, judged, k=None):
    """Judged share of the documents shown in the top k; no value where nothing is shown."""
    shown = grades[:k]
    return Fraction(sum(map(is_judged, shown)), len(shown)) if shown else None


def Unjudged(grades, judged, k=None):
    """Unjudged among the first k, divided by k: what a short list doesn't show isn't unjudged.

    trec_eval's unj_k (Soboroff 2023). On lists of at least k documents it is 1 − Judged@k.
    """
    return share(sum(not is_judged(g) for g in grades[:k]), len(grades) if k is None else k)


def RPrec(grades, judged, k=None, rel=1):
    """Precision at rank |R|. Cite: Buckley & Voorhees 2005, ch. 3 of "TREC: Experiment and
    evaluation"."""
    total = hits(judged, rel)
    return share(hits(grades[:k], rel, total), total)


def exact(number):
    """A written decimal as a fraction: 0.1 is one tenth, not its neighbour in binary."""
    if isinstance(number, (int, Fraction)) or math.isinf(number):
        return number
    return Fraction(str(number))


def IPrec(grades, judged, k=None, rel=1, recall=0):
    """Highest precision at any rank whose recall is at least the given one.

    Cite: Salton & McGill 1983, ch. 5; Buckley & Voorhees 2005. (trec_eval rounds the recall point
    to
    a number of documents instead: see trec.iprec.)
    """
    total = hits(judged, rel)
    if not total:
        return Fraction(0)
    reached = [
        Fraction(hits(grades, rel, r), r)
        for r in range(1, len(grades[:k]) + 1)
        if Fraction(hits(grades, rel, r), total) >= exact(recall)
    ]
    return max(reached, default=Fraction(0))


def IPrec11(grades, judged, k=None, rel=1):
    """Mean of interpolated precision at recall 0, 0.1, …, 1. Cite: Salton & McGill 1983."""
    return sum(IPrec(grades, judged, k, rel, Fraction(i, 10)) for i in range(11)) / 11


def bpref(grades, judged, k=None, rel=1):
    """(1 / R) Σ over relevant retrieved of 1 − min(n, R) / min(N, R).

    n: judged non-relevant above it; N: all judged non-relevant. Only judged documents count.
    Cite: Buckley & Voorhees 2004, "Retrieval evaluation with incomplete information" (SIGIR), in
    the
    corrected form of trec_eval 8 and later.
    """
    total = hits(judged, rel)
    nonrelevant = sum(is_judged(g) and not relevant(g, rel) for g in judged)
    above, found = 0, Fraction(0)
    for g in grades[:k]:
        if relevant(g, rel):
            found += 1 - (Fraction(min(above, total), min(nonrelevant, total)) if above else 0)
        elif is_judged(g):
            above += 1
    return found / total if total else Fraction(0)


def infAP(grades, judged, k=None, rel=1, epsilon=1e-5):
    """Inferred AP: expected precision at each relevant document when the pool was only sampled.

    At rank r: 1/r + ((r−1)/r) · (pooled above / (r−1)) · (relevant above + ε) / (judged above +
    2ε),
    where pooled = judged or negative grade; divided by the known relevant.
    Cite: Yilmaz & Aslam 2006, "Estimating average precision with incomplete and imperfect
    judgments"
    (CIKM), eq. 3 with the smoothing of trec_eval.
    """
    total, result = hits(judged, rel), 0.0
    for r, g in enumerate(grades[:k], 1):
        if not relevant(g, rel):
            continue
        above = grades[: r - 1]
        pooled = sum(x is not None for x in above)
        seen = sum(map(is_judged, above))
        if r == 1:
            result += 1.0
        else:
            chance = (hits(above, rel) + epsilon) / (seen + 2 * epsilon)
            result += 1 / r + (r - 1) / r * (pooled / (r - 1)) * chance
    return result / total if total else 0.0


def NumRel(grades, judged, k=None, rel=1):
    """Judged relevant documents of the query."""
    return hits(judged, rel)


def NumRet(grades, judged, k=None):
    """Retrieved documents."""
    return len(grades[:k])


def NumRelRet(grades, judged, k=None, rel=1):
    """Relevant documents retrieved."""
    return hits(grades, rel, k)


def SetP(grades, judged, k=None, rel=1, relative=False):
    """Relevant retrieved / retrieved; relative: / the most that so many documents could hold.

    relative is trec_eval's set_relative_P: relevant retrieved / min(retrieved, relevant).
    """
    found, shown = hits(grades, rel, k), len(grades[:k])
    return share(found, min(shown, hits(judged, rel)) if relative else shown)


def SetR(grades, judged, k=None, rel=1):
    """Relevant retrieved / relevant."""
    return share(hits(grades, rel, k), hits(judged, rel))


def SetF(grades, judged, k=None, rel=1, beta=1):
    """F_β of set precision and recall. trec_eval's set_F_x has x where this has β²."""
    p, r, b2 = SetP(grades, judged, k, rel), SetR(grades, judged, k, rel), Fraction(beta) ** 2
    return (1 + b2) * p * r / (b2 * p + r) if p and r else Fraction(0)


def SetAP(grades, judged, k=None, rel=1):
    """Set precision times set recall (trec_eval's set_map)."""
    return SetP(grades, judged, k, rel) * SetR(grades, judged, k, rel)


def RelativeP(grades, judged, k=None, rel=1):
    """P@k relative to the best possible: relevant among the first k / min(k, |R|) (trec's
    relative_P_k)."""
    depth = len(grades) if k is None else k
    return share(hits(grades, rel, k), min(depth, hits(judged, rel)))


def Utility(grades, judged, k=None, rel=1, weights=(1, -1, 0, 0), collection=0):
    """a·(relevant retrieved) + b·(other retrieved) + c·(relevant missed) + d·(other left alone).

    Cite: Lewis 1997, "The TREC-5 filtering track"; trec_eval's utility, whose default is 1, −1, 0,
    0.
    """
    found, shown, total = hits(grades, rel, k), len(grades[:k]), hits(judged, rel)
    a, b, c, d = weights
    return (
        a * found
        + b * (shown - found)
        + c * (total - found)
        + d * (collection + found - shown - total)
    )


def YAAP(grades, judged, k=None, rel=1):
    """log((1 + S) / (1 + |R| − S)) with S = |R| · AP.

    Cite: Robertson 2012, "On smoothing average precision" (ECIR); trec_eval's yaap.
    """
    total = hits(judged, rel)
    precisions = AP(grades, judged, k, rel) * total
    return math.log((1 + precisions) / (1 + total - precisions))


_ALL = [RR, AP, P, R, F, F1, Success, Judged, Unjudged, RPrec, IPrec, IPrec11, bpref, infAP]
_ALL += [NumRel, NumRet, NumRelRet, SetP, SetR, SetF, SetAP, RelativeP, Utility, YAAP]
MEASURES = {f.__name__: f for f in _ALL}
