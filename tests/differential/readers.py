"""What the command `switchyard` says of logs, as texts to compare."""

import json
import os
import re
import shutil
import subprocess

SECONDS = 120


class Reader:
    """A build's command `switchyard`. It works in a folder whose name is the same for every build, as outputs name paths."""

    def __init__(self, build):
        self.command = build / "bin" / "switchyard"

    def says(self, words, folder):
        """Its exit status, and all that it prints."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        done = subprocess.run([self.command, *words], cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=SECONDS, check=False)
        return f"exit status {done.returncode}\n" + (done.stdout + done.stderr).decode("utf-8", "backslashreplace")


def questions(log, policy):
    """Words of commands that read this log, with the files that they write."""
    yield ["report", log], ()
    yield ["report", log, "--format", "csv"], ()
    yield ["report", log, "--format", "json"], ()
    yield ["report", log, "--trace", "trace.json"], ("trace.json",)
    yield ["explain", policy, "--log", log], ()


def comparisons(first, second):
    for format_ in ("text", "csv", "json"):
        yield ["report", first, second, "--format", format_], ()


def answer(reader, words, files, folder):
    """What a command prints and writes."""
    text = reader.says(words, folder)
    for file in files:
        path = folder / file
        text += f"--- {file}\n" + (path.read_text(encoding="utf-8", errors="backslashreplace") if path.exists() else "no such file\n")
        path.unlink(missing_ok=True)
    return text


def in_copy(reader, log, work, asked):
    """The answers about a copy of the folder `log`: a reader may write what it finds into a log. `asked`: words and files."""
    folder = work / "here"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(log, folder, symlinks=True)
    for words, files in asked:
        yield words, answer(reader, words, files, folder)
    calls = sorted(folder.rglob("*.jsonl"))
    yield ["lines of"], "".join(f"--- {file.relative_to(folder)}\n{file.read_text(encoding='utf-8', errors='backslashreplace')}" for file in calls)


def readable(text):
    """JSON in lines that a person can compare: one for each member, one for each element of a list."""
    head, _, body = text.partition("\n")
    try:
        content = json.loads(body)
    except ValueError:
        return text
    lines = [head]
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines += [f"{key}[{place}] {json.dumps(element, ensure_ascii=False)}" for place, element in enumerate(value)]
        else:
            lines.append(f"{key} {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


class Changes:
    """Differences that an issue asks for: rows of changes.json. A row replaces text in what the earlier build said."""

    def __init__(self, path):
        self.rows = json.loads(path.read_text(encoding="utf-8"))

    def apply(self, words, text):
        for row in self.rows:
            if re.search(row["command"], " ".join(words)):
                text = re.sub(row["from"], row["to"], text)
        return text
