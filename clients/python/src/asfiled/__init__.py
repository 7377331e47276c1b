"""Client of asfiled: company figures as they were known on any day, as pandas or Polars frames.

>>> from asfiled import Client
>>> client = Client()  # the demo key, on http://127.0.0.1:3000
>>> figures = client.fundamentals("AAPL", "revenue", fp="FY", as_of="2010-02-01")
"""

from . import errors
from ._answer import Answer
from ._asof import JoinJob
from ._async import AsyncClient
from ._audit import AuditResult
from ._backtest import BacktestJob, BacktestResult
from ._batch import BacktestBatch, BatchOutcome
from ._bulk import Bulk, BulkRelease
from ._changes import ChangeFeed
from ._client import Client
from ._peers import VectorbtFrames, to_alphalens, to_vectorbt
from ._wide import wide_panel
from .errors import ApiError, AsfiledError, EmptyAnswer, IncompleteAnswer, TransportError, UnknownTickers

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "ApiError",
    "AsfiledError",
    "AsyncClient",
    "AuditResult",
    "BacktestBatch",
    "BacktestJob",
    "BacktestResult",
    "BatchOutcome",
    "Bulk",
    "BulkRelease",
    "ChangeFeed",
    "Client",
    "EmptyAnswer",
    "IncompleteAnswer",
    "JoinJob",
    "TransportError",
    "UnknownTickers",
    "VectorbtFrames",
    "errors",
    "to_alphalens",
    "to_vectorbt",
    "wide_panel",
]
