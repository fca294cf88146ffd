"""The electronics shop: queries, products, human grades and the results of four systems.

The tables lie in ``electronics/`` as plain CSV, one licence to a file; its ``LICENSE.md`` says
which is under which. ``scripts/make_electronics.py`` builds them.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

__all__ = ["load_electronics", "load_electronics_ratings"]

_TEXT = ["query_id", "query", "doc_id", "title", "rater"]
_NUMBERS = ["grade", "bm25", "minilm", "rrf", "tfidf_title"]


def load_electronics() -> pd.DataFrame:
    """Load an electronics shop: 135 queries, human grades, and four systems' top 100.

    One row per query and product that was judged or that a system has in its top 100 for the
    query. The four score columns are four systems on the same judgments.

    Returns
    -------
    DataFrame of shape (22690, 9)
        Ordered by query_id, then doc_id, both as text, so that the order of the rows says
        nothing about relevance or rank. The index counts the rows from 0.

        ``query_id``
            Text, ``q001`` to ``q135``.
        ``query``
            Text, the words of the query: ``laptop``, ``phone case``, ...
        ``doc_id``
            Text, the product's number. There are 8,285 products.
        ``title``
            Text, the product's title. Every product has one; 349 products share theirs with
            an earlier one.
        ``grade``
            float64, 0 (useless) to 3 (just right); NaN where nobody judged. 3,668 pairs are
            judged (0: 1853, 1: 238, 2: 105, 3: 1472), from 1 to 60 per query. 19 queries
            have no product with a grade above 0.
        ``bm25``, ``minilm``, ``rrf``, ``tfidf_title``
            float64, the system's score, the higher the better; NaN where the product is not
            in the system's top 100. Each score is exactly the six decimals of its run file.

    See Also
    --------
    load_electronics_ratings : What each of three raters gave the same products.

    Notes
    -----
    How the runs were made: the top 100 over all 19,406 products of the shop, text being title
    and short description.

    - ``bm25``: bm25s 0.3.16 with k1 = 1.2, b = 0.75 and the English Snowball stemmer. Four
      queries have no result, others fewer than 100: 10,016 rows.
    - ``tfidf_title``: scikit-learn's TF-IDF with sublinear term frequency, titles only. Eight
      queries have no result: 8,955 rows.
    - ``minilm``: cosine of all-MiniLM-L6-v2 sentence embeddings: 13,500 rows.
    - ``rrf``: reciprocal rank fusion of bm25 and minilm with constant 60: 13,500 rows.

    What makes the data worth a second look: equal scores, in 124 (bm25), 87 (minilm), 117
    (rrf) and 105 (tfidf_title) of the 135 queries; queries without results; and judgments
    that know one system better than another, for of what minilm shows in its top 10 only 39 %
    was judged, of bm25's 74 %.

    Queries and grades come from the Chorus project (github.com/querqy/chorus, commit 96edf8b,
    ``katas/Broad_Query_Set_rated.csv``), Apache License 2.0. Its makers chose the queries to
    be representative of the shop; the ids ``q001``, ... are ours, in their order. Supahands
    did the rating and gave it away.

    Titles come from Icecat (icecat.biz) by way of Chorus, under Icecat's Open Content License,
    as is and without warranty: *Database Right data-sheet 2020 Icecat. All rights reserved.*
    Credit Icecat wherever you show them, and read the licence
    (https://iceclog.com/open-content-license/) before you pass them on or train models on
    them.

    Examples
    --------
    >>> from rank_magic.datasets import load_electronics
    >>> shop = load_electronics()
    >>> shop.shape
    (22690, 9)
    >>> shop["grade"].value_counts().sort_index().to_dict()
    {0.0: 1853, 1.0: 238, 2.0: 105, 3.0: 1472}

    The first six results of one query. A missing grade is not a grade of 0: nobody judged that
    product. Six products share the score 3.201935, so who is fourth is anybody's choice.

    >>> desktop = shop[shop["query"] == "desktop"].nlargest(6, "bm25")
    >>> desktop[["doc_id", "grade", "bm25", "minilm"]]
           doc_id  grade      bm25    minilm
    6626  1593563    3.0  3.389324  0.495318
    6704  3458217    3.0  3.324471       NaN
    6653  1668462    3.0  3.262053       NaN
    6636  1638181    3.0  3.201935       NaN
    6648  1651832    3.0  3.201935  0.449925
    6656  1675210    NaN  3.201935       NaN

    Judged products outside a system's top 100 have no score, yet belong to the ideal ranking.

    >>> int((shop["grade"].notna() & shop["bm25"].isna()).sum())
    1382
    """
    pairs = _read("pairs.csv.gz")
    shop = pairs.merge(_read("queries.csv"), on="query_id", how="left", validate="m:1")
    shop = shop.merge(_read("titles.csv.gz"), on="doc_id", how="left", validate="m:1")
    return shop[["query_id", "query", "doc_id", "title", *_NUMBERS]]


def load_electronics_ratings() -> pd.DataFrame:
    """Load what three raters gave the products of the electronics shop.

    One row per query, product and rater, for the 3,188 of the 3,668 judged pairs whose single
    ratings were published. All 135 queries have some.

    Returns
    -------
    DataFrame of shape (9564, 5)
        Ordered by query_id, doc_id and rater. The index counts the rows from 0.

        ``query_id``, ``query``, ``doc_id``
            Text, as in `load_electronics`.
        ``rater``
            Text: ``agent_1``, ``agent_2`` or ``agent_3``, Chorus' own names. They number the
            ratings of one query; whether ``agent_1`` is the same person throughout was not
            published.
        ``grade``
            float64, 0 to 3; none is missing.

    See Also
    --------
    load_electronics : The grades that were published, and four systems' results.

    Notes
    -----
    The three agree on 2,278 pairs, two of them on 786, none on 124. The published grade is
    not a vote: it is the median for 2,813 of the 3,188 pairs, differs from a unanimous
    rating in 95 (accessories of a camera, say, that all three gave 0 were set to 1), and is
    one that none of the three gave in 188. Chorus does not say how it was reached. Compare it
    with the raters; don't expect to derive it from them.

    Ratings come from the Chorus project (github.com/querqy/chorus, commit 96edf8b,
    ``katas/Broad_Query_Set_individual_ratings.csv``), Apache License 2.0; Supahands did the
    rating and gave it away.

    Examples
    --------
    >>> from rank_magic.datasets import load_electronics_ratings
    >>> ratings = load_electronics_ratings()
    >>> ratings[ratings["doc_id"] == "1993197"].head(3)
        query_id              query   doc_id    rater  grade
    168     q002  bluetooth speaker  1993197  agent_1    2.0
    169     q002  bluetooth speaker  1993197  agent_2    3.0
    170     q002  bluetooth speaker  1993197  agent_3    3.0
    >>> spread = ratings.groupby(["query_id", "doc_id"])["grade"].nunique()
    >>> spread.value_counts().sort_index().to_dict()
    {1: 2278, 2: 786, 3: 124}
    """
    ratings = _read("ratings.csv.gz")
    ratings = ratings.merge(_read("queries.csv"), on="query_id", how="left", validate="m:1")
    return ratings[["query_id", "query", "doc_id", "rater", "grade"]]


def _read(name: str) -> pd.DataFrame:
    """Read one shipped table: numbers as float64, everything else as text, word for word."""
    with (files(__package__) / "electronics" / name).open("rb") as file:
        table = pd.read_csv(
            file,
            compression="gzip" if name.endswith(".gz") else None,
            dtype=dict.fromkeys(_TEXT, str) | dict.fromkeys(_NUMBERS, "float64"),
            # A product may be called "NA"; only an empty number is a missing one.
            keep_default_na=False,
            na_values={column: [""] for column in _NUMBERS},
        )
    # pandas may miss the nearest double by a bit or two; six decimals bring it back.
    numbers = [column for column in table.columns if column in _NUMBERS]
    return table.assign(**table[numbers].round(6))
