"""What a run of figures leaves: a page, and the same words and tables as Markdown."""

import html
import shutil
from pathlib import Path

from paper import PAPERS

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;margin:.5rem 0;font-size:14px;display:block;overflow-x:auto}
th,td{border-bottom:1px solid #ccc;padding:.15rem .6rem;text-align:right}th:first-child,td:first-child{text-align:left}
.words td,.words th{text-align:left;vertical-align:top}caption{text-align:left;color:#555}img{max-width:100%}code{font-size:13px;word-break:break-all}
.yes{color:#176b2c}.no{color:#a33a00}.none{color:#666}h2{margin-top:2.5rem;border-bottom:2px solid #ddd}"""


def verdict(shown):
    if shown.outcome is None:
        return "not measured"
    if not shown.outcome.agrees:
        return "does not agree"
    return f"agrees, {shown.outcome.condition}" if shown.outcome.condition else "agrees"


class Shown:
    """A figure with its outcome, or with the reason why there is none."""

    def __init__(self, figure, outcome=None, failure=""):
        self.figure, self.outcome, self.failure = figure, outcome, failure
        self.pictures = []  # file names, beside the page

    @property
    def name(self):
        return f"{'Our own figure' if self.figure.is_our_own else 'Figure ' + self.figure.number}: {self.figure.title}"

    @property
    def asked(self):
        """Who claims it."""
        return "We expect" if self.figure.is_our_own else "The paper"

    @property
    def anchor(self):
        return f"{self.figure.paper}-{self.figure.number}".replace(", ", "-").replace(" ", "-")


def overview(shown):
    """Rows of the table in front: figure, the paper's claim, ours, agree or not, why not."""
    for one in shown:
        found = one.outcome.ours if one.outcome else one.failure
        reason = one.outcome.reason if one.outcome and not one.outcome.agrees else ""
        claim = f"{one.asked}: {one.figure.claim}" if one.figure.is_our_own else one.figure.claim
        yield one, [f"{one.figure.paper} {one.figure.number}", claim, found, verdict(one), reason]


HEADER = ["figure", "the paper", "ours", "verdict", "why not"]


def markdown_table(header, rows):
    lines = ["| " + " | ".join(map(str, header)) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def markdown(shown, machine, command, commands_of):
    lines = ["# Figures of the papers", "", machine, "", f"Made by `{command}`.", "",
             *markdown_table(HEADER, [row for _, row in overview(shown)]), ""]
    for paper, title in PAPERS.items():
        of_paper = [one for one in shown if one.figure.paper == paper]
        if of_paper:
            lines += [f"## {title}", ""]
        for one in of_paper:
            lines += [f"### {one.name}", "", f"{one.asked}: {one.figure.claim}", ""]
            if one.figure.note:
                lines += [one.figure.note, ""]
            if one.outcome is None:
                lines += [f"Ours: {one.failure}", ""]
                continue
            lines += [f"Ours: {one.outcome.ours} It **{verdict(one)}**."
                      + ("" if one.outcome.agrees else f" {one.outcome.reason}"), ""]
            for table in one.outcome.tables:
                lines += [f"{table.caption}:", "", *markdown_table(table.header, table.rows), ""]
            lines += [f"![{one.figure.title}]({name})" for name in one.pictures]
            lines += ["", "Commands:", "", *[f"    {line}" for line in commands_of(one.figure)], ""]
    return "\n".join(lines)


def html_table(header, rows, caption=""):
    cells = "".join(f"<th>{html.escape(str(cell))}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def page(shown, machine, command, commands_of):
    escape = html.escape
    rows = []
    for one, (name, claim, found, word, reason) in overview(shown):
        kind = "none" if one.outcome is None else "yes" if one.outcome.agrees else "no"
        rows.append(f'<tr><td><a href="#{one.anchor}">{escape(name)}</a></td><td>{escape(claim)}</td><td>{escape(found)}</td>'
                    f'<td class="{kind}">{escape(word)}</td><td>{escape(reason)}</td></tr>')
    parts = [f"<h1>Figures of the papers</h1><p>{escape(machine)}</p><p>Made by <code>{escape(command)}</code>.</p>",
             "<table class=\"words\"><thead><tr>" + "".join(f"<th>{cell}</th>" for cell in HEADER) + "</tr></thead><tbody>" + "".join(rows)
             + "</tbody></table>"]
    for one in shown:
        parts.append(f'<h2 id="{one.anchor}">{escape(PAPERS[one.figure.paper])}<br>{escape(one.name)}</h2>'
                     f"<p><b>{one.asked}:</b> {escape(one.figure.claim)}</p>")
        if one.figure.note:
            parts.append(f"<p>{escape(one.figure.note)}</p>")
        if one.outcome is None:
            parts.append(f'<p class="none">{escape(one.failure)}</p>')
            continue
        reason = "" if one.outcome.agrees else f" {one.outcome.reason}"
        parts.append(f"<p><b>Ours:</b> {escape(one.outcome.ours)} It {escape(verdict(one))}.{escape(reason)}</p>")
        parts += [f'<img src="{name}" alt="{escape(one.figure.title)}">' for name in one.pictures]
        parts += [html_table(table.header, table.rows, table.caption) for table in one.outcome.tables]
        commands = "".join(f"<li><code>{escape(line)}</code></li>" for line in commands_of(one.figure))
        parts.append(f"<details><summary>Commands</summary><ul>{commands}</ul></details>")
    return (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Figures of the papers</title><style>{STYLE}</style>'
            + "\n".join(parts) + "</html>\n")


def write(shown, folder, name, machine, command, commands_of):
    """Writes `name`.md and `name`.html into a folder that is there; returns the page's path."""
    (Path(folder) / f"{name}.md").write_text(markdown(shown, machine, command, commands_of))
    file = Path(folder) / f"{name}.html"
    file.write_text(page(shown, machine, command, commands_of))
    return file


def record(shown, folder, name, target, others=None):
    """Replaces the files of a folder of the repository by the Markdown that write() left, as README.md, and its pictures. The page
    links to `others`: name to file, from that folder. A folder inside has another machine's page, and stays."""
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        if old.is_file():
            old.unlink()
    title, *rest = (folder / f"{name}.md").read_text().split("\n\n")
    links = [f"The page of {other}: [{file}]({file})." for other, file in (others or {}).items()]
    (target / "README.md").write_text("\n\n".join([title, *links, *rest]))
    for picture in (picture for one in shown for picture in one.pictures):
        shutil.copyfile(folder / picture, target / picture)
