#!/usr/bin/env python3
"""Judges an OpenAPI document, and answers of a service by it.

    openapi.py DOCUMENT [EXCHANGES]

EXCHANGES is a JSON array; each exchange has "method", "path" (with its query), "status", "type" (the content type) and
"body" (text). The document must be valid OpenAPI 3.1, every operation must have an exchange that succeeded, and every answer
must have a status, a content type and a body that the document describes. What does not fit is printed, a line each; the exit
status is 1 then.
"""
import json
import sys

import yaml
from openapi_schema_validator import OAS31Validator, oas31_format_checker
from openapi_spec_validator import OpenAPIV31SpecValidator


def resolve(document, node):
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def judge(document, exchange):
    """What is wrong with one answer, a line each."""
    path = exchange["path"].split("?")[0]
    name = f"{exchange['method']} {exchange['path']} → {exchange['status']}"
    operation = document["paths"].get(path, {}).get(exchange["method"].lower())
    if operation is None:
        # What is not described must be refused, in the words of every refusal.
        if exchange["status"] not in (404, 405):
            yield f"{name}: the document has no such operation"
            return
        response = document["components"]["responses"]["Error"]
    else:
        responses = operation["responses"]
        response = responses.get(str(exchange["status"]))
        if response is None and exchange["status"] >= 400:
            response = responses.get("default")
        if response is None:
            yield f"{name}: the document has no such status"
            return
    content = resolve(document, response)["content"]
    kind = exchange["type"].split(";")[0].strip()
    if kind not in content:
        yield f"{name}: the content type {kind!r} is not one of {sorted(content)}"
        return
    schema = content[kind].get("schema")
    if schema is None:
        return
    if kind == "application/json":
        bodies = [exchange["body"]]
    elif kind == "application/x-ndjson":
        bodies = exchange["body"].splitlines()
    else:
        return
    # The schema's references point into the whole document.
    validator = OAS31Validator({"components": document["components"], **schema}, format_checker=oas31_format_checker)
    for body in bodies:
        try:
            value = json.loads(body)
        except ValueError as error:
            yield f"{name}: not JSON ({error}): {body[:80]!r}"
            continue
        for error in validator.iter_errors(value):
            yield f"{name}: {'/'.join(map(str, error.path))}: {error.message}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = yaml.safe_load(file)
    problems = [f"{'/'.join(map(str, error.path))}: {error.message}"
                for error in OpenAPIV31SpecValidator(document).iter_errors()]
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            exchanges = json.load(file)
        for exchange in exchanges:
            problems += judge(document, exchange)
        succeeded = {(e["method"].lower(), e["path"].split("?")[0]) for e in exchanges if e["status"] < 300}
        for path, item in document["paths"].items():
            problems += [f"{method} {path}: no exchange that succeeded" for method in item
                         if (method, path) not in succeeded]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
