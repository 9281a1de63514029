"""The outputs of the commands on the made logs, as they are stored in expected/: one file for each log."""

import tempfile
from pathlib import Path

import made_logs
import readers

EXPECTED = Path(__file__).resolve().parent / "expected"
POLICY = "made.policy.json"


def asked_of(log):
    """The trace repeats the lines of the log, so that comparing it with an earlier build's is enough."""
    return [(words, files) for words, files in readers.questions(log, POLICY) if not files]


def outputs(reader):
    """(name, text) for each log, and for each pair of logs that is compared."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "logs"
        made_logs.write_all(folder)
        for name in (log.__name__ for log in made_logs.LOGS):
            yield name, text_of(reader, asked_of(name), folder)
        for first, second in made_logs.COMPARED:
            yield f"{first}-{second}", text_of(reader, readers.comparisons(first, second), folder)


def text_of(reader, asked, folder):
    said = ((words, readers.answer(reader, words, files, folder)) for words, files in asked)
    return "\n".join(f"$ switchyard {' '.join(words)}\n" + (readers.readable(text) if "json" in words else text) for words, text in said)


def write(reader):
    EXPECTED.mkdir(exist_ok=True)
    for old in EXPECTED.iterdir():
        old.unlink()
    for name, text in outputs(reader):
        (EXPECTED / f"{name}.txt").write_text(text, encoding="utf-8")
