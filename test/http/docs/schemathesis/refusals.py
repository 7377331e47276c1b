"""A request that fits the schema and is refused all the same learns which of its parts does not fit."""

import schemathesis


@schemathesis.check
def refusal_names_its_parameter(ctx, response, case):
    if response.status_code not in (400, 422) or not case.meta.generation.mode.is_positive:
        return
    error = response.json()["error"]
    assert error["param"] is not None, f"The refusal names no parameter: {error['message']}"
