"""Is a difference real? Tests of paired differences, corrections, power; numbers in, numbers out.

`paired` has the tests of each pair of systems, `resampling` those of them that draw, `tukey` the
one of all pairs at once; `corrections` makes many p-values honest, `power` counts the queries one
would need. `exact` is why the same question has the same answer to the last bit.
"""

from rank_magic.significance.corrections import CORRECTIONS, corrected
from rank_magic.significance.paired import ALTERNATIVES, TESTS, Paired, differences_of, paired
from rank_magic.significance.power import LEVEL, POWER, queries_needed
from rank_magic.significance.tukey import tukey_hsd

__all__ = [
    "ALTERNATIVES",
    "CORRECTIONS",
    "LEVEL",
    "POWER",
    "TESTS",
    "Paired",
    "corrected",
    "differences_of",
    "paired",
    "queries_needed",
    "tukey_hsd",
]
