"""Measures of graded gain: CG, DCG, nDCG, SDCG, Q-measure.

gain: "exp2" (2^g − 1), "linear" (g), a table {grade: gain} or a function of the grade.
discount: "log2" (1 / log2(1 + r)), ("log", b) = ln b / ln(1 + r), ("jk", b) = Järvelin &
Kekäläinen's
original, "reciprocal" (1 / r), ("geometric", p), a list from rank 1 (0 beyond its end), a function
of r.
"""

import math
from fractions import Fraction

from .binary import hits, is_judged, relevant


def gain_of(grade, gain):
    """What a grade is worth. What is not judged (None or negative) has grade 0."""
    if not is_judged(grade):
        grade = 0
    if gain == "exp2":
        return 2**grade - 1
    if gain == "linear":
        return grade
    if isinstance(gain, dict):
        return gain[grade]
    return gain(grade)


def discount_at(r, discount):
    """What rank r (from 1) is worth."""
    if discount == "log2":
        return 1 / math.log2(1 + r)
    if discount == "reciprocal":
        return 1 / r
    if isinstance(discount, tuple):
        kind, number = discount
        if kind == "log":
            return math.log(number) / math.log(1 + r)
        if kind == "jk":
            return 1.0 if r < number else math.log(number) / math.log(r)
        if kind == "geometric":
            return number ** (r - 1)
        raise ValueError(discount)
    if isinstance(discount, list):
        return discount[r - 1] if r <= len(discount) else 0.0
    return discount(r)


def ideal_grades(judged, gain="exp2"):
    """All judged grades of the query, best gain first; what has no positive gain is left out."""
    worth = [g for g in judged if is_judged(g) and gain_of(g, gain) > 0]
    return sorted(worth, key=lambda g: gain_of(g, gain), reverse=True)


def CG(grades, judged, k=None, gain="exp2"):
    """Σ gain over the first k. Cite: Järvelin & Kekäläinen 2002 (TOIS 20), eq. 1."""
    return sum(gain_of(g, gain) for g in grades[:k])


def DCG(grades, judged, k=None, gain="exp2", discount="log2"):
    """Σ gain_r · discount_r over the first k.

    Cite: Järvelin & Kekäläinen 2002 (TOIS 20), eq. 2, for ("jk", b); Burges et al. 2005, "Learning
    to
    rank using gradient descent" (ICML), for 2^g − 1 and 1 / log2(1 + r).
    """
    return math.fsum(
        gain_of(g, gain) * discount_at(r, discount) for r, g in enumerate(grades[:k], 1)
    )


def nDCG(grades, judged, k=None, gain="exp2", discount="log2"):
    """DCG@k / DCG@k of all judged documents, best first; 0 where that is 0."""
    ideal = DCG(ideal_grades(judged, gain), judged, k, gain, discount)
    return DCG(grades, judged, k, gain, discount) / ideal if ideal else 0.0


def scaled(grade, min_grade, max_grade):
    """A grade as a gain in [0, 1]: clipped to the scale; what is not judged is worth 0 (C/W/L's
    gain)."""
    if not is_judged(grade):
        return Fraction(0)
    clipped = min(max(grade, min_grade), max_grade)
    return (
        Fraction(clipped - min_grade) / Fraction(max_grade - min_grade)
        if max_grade > min_grade
        else Fraction(0)
    )


def SDCG(grades, judged, k=None, max_grade=1, min_grade=0, discount="log2"):
    """DCG of gains scaled to [0, 1], divided by that of k perfect documents.

    Cite: Moffat, Thomas & Scholer 2013, "Users versus models" (CIKM); Azzopardi, Thomas & Moffat
    2019, "cwl_eval" (SIGIR), where DCG is a C/W/L measure. Without k: as many as are shown.
    """
    depth = len(grades) if k is None else k
    found = math.fsum(
        float(scaled(g, min_grade, max_grade)) * discount_at(r, discount)
        for r, g in enumerate(grades[:depth], 1)
    )
    perfect = math.fsum(discount_at(r, discount) for r in range(1, depth + 1))
    return found / perfect if perfect else 0.0


def Q(grades, judged, k=None, rel=1, gain="linear", beta=1, denominator="relevant"):
    """(1 / |R|) Σ_r [relevant at r] (C(r) + β cg(r)) / (r + β cg*(r)).

    C: relevant so far; cg: cumulative gain; cg*: cumulative gain of the ideal list.
    β = 0 is AP. With denominator "min": 1 / min(|R|, k), as NTCIREVAL does.
    Cite: Sakai 2004, "New performance metrics based on multigrade relevance" (NTCIR-4); the β of
    Sakai & Robertson 2008 (EVIA).
    """
    total = hits(judged, rel)
    if denominator == "min" and k is not None:
        total = min(total, k)
    ideal = [gain_of(g, gain) for g in ideal_grades(judged, gain)]
    found = 0.0
    for r, g in enumerate(grades[:k], 1):
        if relevant(g, rel):
            cumulated = sum(gain_of(x, gain) for x in grades[:r])
            found += (hits(grades, rel, r) + beta * cumulated) / (r + beta * sum(ideal[:r]))
    return found / total if total else 0.0


MEASURES = {f.__name__: f for f in (CG, DCG, nDCG, SDCG, Q)}
