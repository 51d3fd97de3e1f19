"""Commands, options, exit codes and settings, from what the built command says of itself and docs/reference/command-line.md.

Options that only `--help-hidden` shows are promised too; what no help shows is not.
"""
import json
import os
import re
import subprocess
import tempfile


def answer(binary, *arguments):
    """Of a person who has configured nothing."""
    with tempfile.TemporaryDirectory() as home:
        clean = {"PATH": os.environ["PATH"], "HOME": home, "XDG_RUNTIME_DIR": home}
        return subprocess.run([binary, *arguments], check=True, capture_output=True, text=True, env=clean).stdout


def spelling(argument):
    value = " VALUE" if argument["kind"] == "option" else ""
    for name in argument["names"]:
        yield ("-" if name["kind"] == "short" else "--") + name["name"] + value


def commands(command, path, shown):
    """A line for each option and each positional argument of a command and of those below it."""
    words = f"{path} {command['commandName']}".strip()
    yield words
    for argument in command.get("arguments", []):
        more = "…" if argument.get("isRepeating") else ""
        if argument["kind"] == "positional":
            name = f"<{argument['valueName']}>{more}"
            yield f"{words} {name}" if argument["isOptional"] else f"{words} needs {name}"
            continue
        for option in spelling(argument):
            if argument["kind"] == "option" and not argument["isOptional"]:
                yield f"{words} needs {option}{more}"
            elif option.split()[0] in shown(words):
                yield f"{words} {option}{more}"
    for inner in command.get("subcommands", []):
        if inner["commandName"] != "help":
            yield from commands(inner, words, shown)


def command_line(binary):
    """`recorder start --camera VALUE`, `recorder info needs <file>`, `exit 64`."""
    helps = {}

    def shown(words):
        if words not in helps:
            text = answer(binary, *words.split()[1:], "--help-hidden")
            helps[words] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
        return helps[words]

    lines = set(commands(json.loads(answer(binary, "--experimental-dump-help"))["command"], "", shown))
    with open("docs/reference/command-line.md", encoding="utf-8") as file:
        codes = re.findall(r"^\| (\d+) \|", file.read(), flags=re.M)
    return lines | {f"exit {code}" for code in codes}


def settings(binary):
    """`crf: 23`, what a configuration file may say and its default."""
    shown = json.loads(answer(binary, "config", "show", "--json"))["settings"]
    return {f"{setting['key']}: {setting['value'] or ''}".strip().rstrip(":") for setting in shown}
