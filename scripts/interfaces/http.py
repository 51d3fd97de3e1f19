"""The control interface, from its description in docs/reference/openapi.yaml: requests, what they take, what they are answered with."""
import yaml


class Document:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = yaml.safe_load(file)

    def resolved(self, node):
        while isinstance(node, dict) and "$ref" in node:
            found = self.root
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            node = found
        return node


def choices(document, schema):
    """A schema and what stands in for it: itself, or each of several."""
    schema = document.resolved(schema)
    several = schema.get("oneOf") or schema.get("anyOf")
    return [choice for option in several for choice in choices(document, option)] if several else [schema]


def kinds(document, schema):
    """As `integer|null`."""
    found = set()
    for choice in choices(document, schema):
        given = choice.get("type", "object" if "properties" in choice else "any")
        found |= set(given) if isinstance(given, list) else {given}
    return "|".join(sorted(found))


def fields(document, schema, path=""):
    """Each field below a schema: its path, its kinds, and whether it has to be there; and each word of an enumeration."""
    for choice in choices(document, schema):
        for word in choice.get("enum", []):
            if word is not None:
                yield path, f'"{word}"', False
        for part in choice.get("allOf", []):
            yield from fields(document, part, path)
        if "items" in choice:
            yield from fields(document, choice["items"], f"{path}[]")
        for name, inner in choice.get("properties", {}).items():
            here = f"{path}.{name}".lstrip(".")
            yield here, kinds(document, inner), name in choice.get("required", [])
            yield from fields(document, inner, here)


def bodies(document, holder):
    for kind, body in document.resolved(holder).get("content", {}).items():
        yield kind, body.get("schema", {})


def http(path="docs/reference/openapi.yaml"):
    document = Document(path)
    lines = {f"version {document.root['info']['version']}"}
    for route, item in document.root["paths"].items():
        for method, operation in item.items():
            request = f"{method.upper()} {route}"
            lines.add(request)
            for parameter in map(document.resolved, operation.get("parameters", [])):
                verb = "needs" if parameter.get("required") else "takes"
                name = f"?{parameter['name']}"
                lines.add(f"{request} {verb} {name}: {kinds(document, parameter['schema'])}")
                for _, word, _ in fields(document, parameter["schema"], name):
                    lines.add(f"{request} takes {name}: {word}")
            for kind, schema in bodies(document, operation.get("requestBody", {})):
                for name, words, is_needed in fields(document, schema):
                    lines.add(f"{request} {'needs' if is_needed else 'takes'} {name}: {words}")
            for status, response in operation["responses"].items():
                for kind, schema in bodies(document, response):
                    lines.add(f"{request} gives {status} {kind}")
                    for name, words, _ in fields(document, schema):
                        lines.add(f"{request} gives {status} {name}: {words}")
    return lines
