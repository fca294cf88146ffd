"""Judgments of several people: one grade out of many, how far they agree, what hangs on whom."""

from rank_magic.raters.agreement import rater_agreement
from rank_magic.raters.combining import combine_raters
from rank_magic.raters.leaving import leave_one_rater_out

__all__ = ["combine_raters", "leave_one_rater_out", "rater_agreement"]
