"""Requests made from the API's own document, valid and not: none may crash the server."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from tests.studio.conftest import Server

EXAMPLES = 6
"""Of each operation and kind; `make test-all` tries more."""


@pytest.mark.parametrize("examples", [EXAMPLES, pytest.param(60, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("valid", [True, False])
def test_no_request_crashes_the_server(server: Server, valid: bool, examples: int) -> None:
    schemathesis: Any = pytest.importorskip("schemathesis", reason="it is not installed")
    address = server.address.partition("?")[0]
    document = schemathesis.openapi.from_url(f"{address}api/openapi.json")
    mode = schemathesis.GenerationMode.POSITIVE if valid else schemathesis.GenerationMode.NEGATIVE
    probed = []
    for found in document.get_all_operations():
        operation = found.ok()

        @settings(max_examples=examples, deadline=None, database=None, derandomize=True,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(case=operation.as_strategy(generation_mode=mode))
        def probe(case: Any) -> None:
            answer = case.call(timeout=120)
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            if answer.status_code >= 400 and answer.text.startswith("{"):
                assert "\n" not in answer.json()["error"]

        try:
            probe()
        except Unsatisfiable:
            continue  # an operation without parameters takes nothing that is wrong
        probed.append(operation.label)
    assert len(probed) > 15
