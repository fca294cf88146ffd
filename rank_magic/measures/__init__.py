"""All ranking measures: one file per family, one class per measure."""

from rank_magic.measures.base import REGISTRY, SHIPPED, Measure, register, spellings
from rank_magic.measures.binary import AP, F1, RR, P, R, RPrec, Success
from rank_magic.measures.cascade import EBU, ERR, Cascade, nERR
from rank_magic.measures.counts import GMAP, Judged, NumRel, NumRelRet, NumRet, Unjudged
from rank_magic.measures.diversity import (
    AP_IA,
    ERR_IA,
    NRBP,
    P_IA,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
)
from rank_magic.measures.gain import CG, DCG, SDCG, nDCG
from rank_magic.measures.goals import BPM, IFT
from rank_magic.measures.incomplete import bpref, infAP
from rank_magic.measures.own import measure
from rank_magic.measures.parameters import parameter
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
from rank_magic.measures.persistence import INSQ, INST, RBP, RBPResidual
from rank_magic.measures.preference import Compat
from rank_magic.measures.qmeasure import Q
from rank_magic.measures.recall import IPrec, IPrec11
from rank_magic.measures.sets import SetF, SetP, SetR

__all__ = [
    "AP",
    "AP_IA",
    "BPM",
    "CG",
    "DCG",
    "DEFAULT_MEASURES",
    "EBU",
    "ERR",
    "ERR_IA",
    "F1",
    "GMAP",
    "IFT",
    "INSQ",
    "INST",
    "NRBP",
    "P_IA",
    "RBP",
    "REGISTRY",
    "RR",
    "SDCG",
    "Cascade",
    "Compat",
    "IPrec",
    "IPrec11",
    "Judged",
    "Measure",
    "MeasureLike",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "RBPResidual",
    "RPrec",
    "SetF",
    "SetP",
    "SetR",
    "StRecall",
    "Success",
    "Unjudged",
    "alpha_DCG",
    "alpha_nDCG",
    "bpref",
    "find",
    "infAP",
    "known",
    "make",
    "measure",
    "nDCG",
    "nERR",
    "nERR_IA",
    "nNRBP",
    "parameter",
    "parse",
    "parse_all",
    "register",
    "spellings",
    "split",
]

SHIPPED.update(REGISTRY)
