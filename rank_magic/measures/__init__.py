"""All ranking measures: one file per family, one class per measure."""

from rank_magic.measures.base import REGISTRY, Measure, measure, parameter, register, spellings
from rank_magic.measures.binary import AP, RR, P, R, Success
from rank_magic.measures.cascade import ERR
from rank_magic.measures.counts import Judged
from rank_magic.measures.gain import DCG, nDCG
from rank_magic.measures.parsing import (
    DEFAULT_MEASURES,
    MeasureLike,
    find,
    known,
    make,
    parse,
    parse_all,
    split,
)

__all__ = [
    "AP",
    "DCG",
    "DEFAULT_MEASURES",
    "ERR",
    "REGISTRY",
    "RR",
    "Judged",
    "Measure",
    "MeasureLike",
    "P",
    "R",
    "Success",
    "find",
    "known",
    "make",
    "measure",
    "nDCG",
    "parameter",
    "parse",
    "parse_all",
    "register",
    "spellings",
    "split",
]
