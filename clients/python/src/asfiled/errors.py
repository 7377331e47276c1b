"""What can go wrong, as one class for each error code of the server.

A code that this version does not know raises the class of its type, so a newer server breaks no `except`.
No exception has the key in it, or a request that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class AsfiledError(Exception):
    """Everything that this package raises on purpose, besides ValueError and TypeError for wrong arguments."""


class TransportError(AsfiledError):
    """No answer: the server cannot be reached, or the connection broke, or took too long."""


class AnswerError(AsfiledError):
    """An answer that is not what its route promises, for example of a proxy in between."""


class DataVersionChanged(AsfiledError):
    """Imports came between the pages of one answer, again and again. Name a data_version."""


class IntegrityError(AsfiledError):
    """A bulk file whose bytes are not those of its manifest."""


class BacktestCancelled(AsfiledError):
    """The backtest was cancelled before it ended."""


class AuditCancelled(AsfiledError):
    """The audit was cancelled before it ended."""


class JoinCancelled(AsfiledError):
    """The as-of join was cancelled before it ended."""


class BatchCutOff(TransportError):
    """The answer of a batch ended before its summary."""


class UnknownTickers(UserWarning):
    """Tickers that no company has, or had on record. In a join their rows have no values; elsewhere they have no rows."""


class EmptyAnswer(UserWarning):
    """An answer without rows. The text says what was asked, and what the server says of it."""


class IncompleteAnswer(UserWarning):
    """Rows are missing because of the key: its licence or its number of companies. The text says which."""


class ApiError(AsfiledError):
    """A refusal of the server. `str()` is its message, which says what is allowed and how to mend it."""

    code: str = ""
    """The error code, for example parameter_invalid."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        param: str | None = None,
        request_id: str | None = None,
        doc_url: str | None = None,
        near: tuple[str, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.param = param
        self.request_id = request_id
        self.doc_url = doc_url
        self.near = near
        self.retry_after = retry_after

    def __str__(self) -> str:
        where = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{self.message} [{self.code}]{where}"


class InvalidRequestError(ApiError):
    """The request is wrong. Sending it again does not help."""


class AuthenticationError(ApiError):
    """The key is missing or not one."""


class PermissionDeniedError(ApiError):
    """The key does not open this."""


class NotFoundError(ApiError):
    """There is no such thing."""


class RateLimitError(ApiError):
    """Too many requests. `retry_after` says when the next one is allowed, in seconds."""


class UnavailableError(ApiError):
    """The server cannot answer now. `retry_after` says when to try again, if it is known."""


class ServerError(ApiError):
    """A fault of the server. Report `request_id`."""


class MalformedJsonError(InvalidRequestError):
    code = "malformed_json"


class ParameterUnknownError(InvalidRequestError):
    code = "parameter_unknown"


class ParameterRepeatedError(InvalidRequestError):
    code = "parameter_repeated"


class ParameterInvalidError(InvalidRequestError):
    code = "parameter_invalid"


class BodyInvalidError(InvalidRequestError):
    code = "body_invalid"


class KeyMissingError(AuthenticationError):
    code = "key_missing"


class KeyMalformedError(AuthenticationError):
    code = "key_malformed"


class KeyUnknownError(AuthenticationError):
    code = "key_unknown"


class KeyRevokedError(PermissionDeniedError):
    code = "key_revoked"


class KeyExpiredError(PermissionDeniedError):
    code = "key_expired"


class LicenceRequiredError(PermissionDeniedError):
    code = "licence_required"


class QuantRequiredError(PermissionDeniedError):
    code = "quant_required"


class EntityCapReachedError(PermissionDeniedError):
    code = "entity_cap_reached"


class FormRefusedError(PermissionDeniedError):
    code = "form_refused"


class RouteUnknownError(NotFoundError):
    code = "route_unknown"


class EntityUnknownError(NotFoundError):
    code = "entity_unknown"


class MethodNotAllowedError(InvalidRequestError):
    code = "method_not_allowed"


class BodyTooLargeError(InvalidRequestError):
    code = "body_too_large"


class MediaTypeUnsupportedError(InvalidRequestError):
    code = "media_type_unsupported"


class IdempotencyInFlightError(InvalidRequestError):
    code = "idempotency_in_flight"


class IdempotencyReusedError(InvalidRequestError):
    code = "idempotency_reused"


class BacktestImpossibleError(InvalidRequestError):
    code = "backtest_impossible"


class RateLimitedMinuteError(RateLimitError):
    code = "rate_limited_minute"


class RateLimitedDayError(RateLimitError):
    code = "rate_limited_day"


class ComputeBusyError(UnavailableError):
    code = "compute_busy"


class ComputeTimeoutError(UnavailableError):
    code = "compute_timeout"


class ComputeLostError(UnavailableError):
    code = "compute_lost"


class ComputeFailedError(ServerError):
    code = "compute_failed"


class DatabaseUnavailableError(UnavailableError):
    code = "database_unavailable"


class StatementTimeoutError(UnavailableError):
    code = "statement_timeout"


class ShuttingDownError(UnavailableError):
    code = "shutting_down"


class ConflictError(InvalidRequestError):
    code = "conflict"


class InternalError(ServerError):
    code = "internal"


_types: dict[str, type[ApiError]] = {
    "invalid_request": InvalidRequestError,
    "authentication": AuthenticationError,
    "permission": PermissionDeniedError,
    "not_found": NotFoundError,
    "rate_limit": RateLimitError,
    "unavailable": UnavailableError,
    "internal": ServerError,
}


def _codes() -> dict[str, type[ApiError]]:
    return {of_code.code: of_code for of_type in _types.values() for of_code in of_type.__subclasses__()}


by_code: Mapping[str, type[ApiError]] = _codes()
"""The class of each error code."""


def api_error(body: Mapping[str, Any], status: int, retry_after: float | None = None) -> ApiError:
    """The exception for the `error` of an answer."""
    code = str(body.get("code", ""))
    of_type = _types.get(str(body.get("type", "")), ApiError)
    return by_code.get(code, of_type)(
        str(body.get("message", "")),
        status=status,
        code=code,
        param=body.get("param"),
        request_id=body.get("request_id"),
        doc_url=body.get("doc_url"),
        near=tuple(body.get("near", ())),
        retry_after=retry_after,
    )
