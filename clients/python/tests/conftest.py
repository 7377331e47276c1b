from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from asfiled import Client


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither key nor address of the one who runs the tests."""
    monkeypatch.delenv("ASFILED_KEY", raising=False)
    monkeypatch.delenv("ASFILED_URL", raising=False)


@pytest.fixture(scope="session")
def real() -> tuple[str, str]:
    """Address and owner key of the real server with the sample, which test/clients/python.test.ts starts."""
    url, key = os.environ.get("ASFILED_TEST_URL"), os.environ.get("ASFILED_TEST_KEY")
    if not url or not key:
        pytest.skip("no real server: `bun test test/clients` starts one")
    return url, key


@pytest.fixture(params=["pandas", "polars"])
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def client(real: tuple[str, str], library: str) -> Iterator[Client]:
    url, key = real
    with Client(key, url, frame=library) as made:
        yield made


@pytest.fixture(scope="session")
def releases(real: tuple[str, str]) -> tuple[int, int]:
    """Two releases of the real server. Between them a filing of 2012-05-01 amends Apple's revenue of fiscal 2010 to 65,000 million."""
    versions = os.environ.get("ASFILED_TEST_RELEASES")
    if not versions:
        pytest.skip("the real server has no two releases: `bun test test/clients` makes them")
    early, late = map(int, versions.split(","))
    return early, late
