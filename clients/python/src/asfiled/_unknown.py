"""Lists of companies of which some are unknown: these are named, and the others are fetched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from .errors import EntityUnknownError, ParameterInvalidError

# One refusal names up to ten of them: ticker=AAPX,MSFX are not known companies.
_named = re.compile(r"ticker=(\S+)(?: and \d+ more)? (?:is|are) ")


class UnknownNames:
    """What was found to be unknown of a list. A list of one, and one of which nothing is known, fail as the server says."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._found: dict[str, None] = {}

    @property
    def found(self) -> list[str]:
        return list(self._found)

    def fetch(self, names: Sequence[str], request: Callable[[Sequence[str]], Iterator[bytes]]) -> Iterator[bytes]:
        """The answers of `request` for those of the names that are known."""
        known = [name for name in names if name not in self._found]
        if not known:
            return
        try:
            # Whole, before any of it is passed on: a refusal comes with the first page.
            bodies = list(request(known))
        except (EntityUnknownError, ParameterInvalidError) as refused:
            # What has not even the form of an ID is no reason to fail the others either.
            if refused.param != "ticker":
                raise
            rest = self._without_unknown(known, refused)
        else:
            yield from bodies
            return
        for part in rest:
            yield from self.fetch(part, request)

    def _without_unknown(
        self, names: Sequence[str], refused: EntityUnknownError | ParameterInvalidError
    ) -> list[Sequence[str]]:
        """What is left to be asked for."""
        match = _named.match(refused.message) if isinstance(refused, EntityUnknownError) else None
        sent = {name.upper(): name for name in names}
        named = [sent[name] for name in match[1].upper().split(",") if name in sent] if match else []
        if not named and len(names) > 1:
            # It does not say which one: each half is asked for.
            middle = len(names) // 2
            return [names[:middle], names[middle:]]
        for name in named or names:
            self._found[name] = None
        if len(self._found) == len(self._names):
            raise refused
        return [[name for name in names if name not in self._found]]
