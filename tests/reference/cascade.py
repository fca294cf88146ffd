"""The cascade: read down, stop when satisfied.

satisfaction: "exp2" (2^g − 1) / 2^max, the article's and ERR's; "linear" g / max;
"linear1" g / (max + 1); a table {grade: R}; a function of (grade, max).
"""

from fractions import Fraction

from .binary import is_judged
from .gain import discount_at, ideal_grades


def satisfied(grade, max_grade, satisfaction="exp2"):
    """The chance that a document of this grade satisfies."""
    if not is_judged(grade):
        grade = 0
    if satisfaction == "exp2":
        top = 2**max_grade
        r = 2**grade - 1
        return Fraction(r) / Fraction(top)
    if satisfaction == "linear":
        return Fraction(grade) / Fraction(max_grade) if max_grade else Fraction(0)
    if satisfaction == "linear1":
        return Fraction(grade) / Fraction(max_grade + 1)
    if isinstance(satisfaction, dict):
        return Fraction(satisfaction[grade])
    return Fraction(satisfaction(grade, max_grade))


def Cascade(
    grades, judged, k=None, max_grade=1, satisfaction="exp2", persistence=1, discount="reciprocal"
):
    """Σ_r φ(r) · γ^{r−1} · R_r · Π_{i<r} (1 − R_i).

    γ: the chance that an unsatisfied reader goes on; φ: what satisfaction at rank r is worth.
    ERR is γ = 1, φ = 1/r. EBU's shape is φ = 1 with γ < 1.
    Cite: Chapelle, Metzler, Zhang & Grinspan 2009, "Expected reciprocal rank for graded relevance"
    (CIKM), eq. 1 and its section on abandonment.
    """
    reading, total = Fraction(1), 0
    for r, g in enumerate(grades[:k], 1):
        chance = satisfied(g, max_grade, satisfaction)
        weight = (
            Fraction(1, r)
            if discount == "reciprocal"
            else 1
            if discount == "none"
            else discount_at(r, discount)
        )
        total += weight * reading * chance
        reading *= Fraction(persistence) * (1 - chance)
    return total


def ERR(grades, judged, k=None, max_grade=1, satisfaction="exp2"):
    """Σ_r (1/r) R_r Π_{i<r} (1 − R_i), R = (2^g − 1) / 2^max.

    Cite: Chapelle et al. 2009 (CIKM), algorithm 1. gdeval uses max = 4 whatever the data.
    """
    return Cascade(grades, judged, k, max_grade, satisfaction)


def nERR(grades, judged, k=None, max_grade=1, satisfaction="exp2"):
    """ERR@k / ERR@k of all judged documents, best first; 0 where that is 0. Cite: Sakai & Song 2011
    (SIGIR)."""
    ideal = ERR(ideal_grades(judged, "linear"), judged, k, max_grade, satisfaction)
    return ERR(grades, judged, k, max_grade, satisfaction) / ideal if ideal else Fraction(0)


def EBU(
    grades,
    judged,
    k=None,
    max_grade=1,
    satisfaction="exp2",
    persistence=Fraction(9, 10),
    attraction=None,
    utility=None,
):
    """Σ_r ε_r a_r u_r, where ε_1 = 1 and ε_{r+1} = ε_r · γ · ((1 − a_r) + a_r (1 − s_r)).

    ε: chance of looking at rank r; a: of clicking what is there (default 1: always); s: of being
    satisfied after the click; γ: of going on when not; u: what the click is worth (default s).
    With the defaults it is Cascade(persistence=γ, discount="none").
    Cite: Yilmaz, Shokouhi, Craswell & Robertson 2010, "Expected browsing utility for web search
    evaluation" (CIKM), in the DBN form of Chuklin, Serdyukov & de Rijke 2013, "Click model-based
    information retrieval metrics" (SIGIR). The paper's own click parameters came from logs.
    """

    def from_table(table, g, default):
        return default if table is None else Fraction(table[g if is_judged(g) else 0])

    looking, total = Fraction(1), Fraction(0)
    for g in grades[:k]:
        s = satisfied(g, max_grade, satisfaction)
        a = from_table(attraction, g, Fraction(1))
        total += looking * a * from_table(utility, g, s)
        looking *= Fraction(persistence) * ((1 - a) + a * (1 - s))
    return total


MEASURES = {f.__name__: f for f in (Cascade, ERR, nERR, EBU)}
