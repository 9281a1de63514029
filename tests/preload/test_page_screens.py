"""The first screen of the pages of `switchyard report --html`, at a desktop's width and at a phone's, in light and in dark: it
has the answers that people look for first, everybody can read it, and the page never scrolls sideways."""

import json
import os
import unittest

import test_page

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")

# Each element with text of its own: the text, its contrast with what is behind it, and the contrast that WCAG 2.2 wants
# (AA; 3 for large text). Colours in front may let those behind shine through.
CONTRASTS = """(() => {
    const parts = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
    const bright = rgb => rgb.slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const over = (front, back) => front.slice(0, 3).map((part, i) => part * front[3] + back[i] * (1 - front[3]));
    const ground = element => element ? over(parts(getComputedStyle(element).backgroundColor), ground(element.parentElement))
                                      : [255, 255, 255];
    const found = [];
    for (const element of document.querySelectorAll("main *")) {
        const own = [...element.childNodes].filter(node => node.nodeType === 3 && node.textContent.trim());
        const box = element.getBoundingClientRect(), style = getComputedStyle(element);
        if (!own.length || !box.width || element.closest("[aria-hidden=true], script")) continue;
        const back = ground(element), front = over(parts(style.color), back);
        const [less, more] = [bright(back), bright(front)].sort((a, b) => a - b);
        const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
        found.push([own[0].textContent.trim().slice(0, 40), (more + 0.05) / (less + 0.05), large ? 3 : 4.5]);
    }
    return found;
})()"""


class Screens(test_page.WithBrowser):
    """What holds for the page of a log and for the page of a comparison."""

    def on_each_screen(self, check):
        for size, (width, height) in SIZES.items():
            for scheme in SCHEMES:
                with self.subTest(size=size, scheme=scheme):
                    self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                                      mobile=size == "phone")
                    self.prefer(scheme)
                    check(self.open(), width, height)

    def assert_on_first_screen(self, page, height, elements):
        bottoms = page.ask(f"""{elements}.map(selector => {{
            const found = document.querySelector(selector);
            return found && found.getBoundingClientRect().height ? found.getBoundingClientRect().bottom : null;
        }})""")
        for element, bottom in zip(elements, bottoms):
            self.assertIsNotNone(bottom, f"{element} is not there")
            self.assertLessEqual(bottom, height, f"{element} is below the first screen")

    def test_the_page_does_not_scroll_sideways_but_wide_tables_do(self):
        def check(page, width, _):
            self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), width)
            wide = page.ask("[...document.querySelectorAll('table')].filter(table => table.scrollWidth > table.parentNode.clientWidth)"
                            ".map(table => getComputedStyle(table.parentNode).overflowX)")
            self.assertEqual(set(wide) - {"auto"}, set())
            if width == SIZES["phone"][0]:
                self.assertGreater(len(wide), 0, "this test would see a table that is too wide")
        self.on_each_screen(check)

    def test_text_has_the_contrast_that_wcag_wants(self):
        def check(page, *_):
            found = page.ask(CONTRASTS)
            self.assertGreater(len(found), 30)
            self.assertEqual([each for each in found if each[1] < each[2]], [])
        self.on_each_screen(check)

    def test_the_keyboard_sorts_a_table(self):
        page = self.open()
        page.ask("document.querySelector('table th:nth-child(2) button').focus()")
        for state in ("descending", "ascending"):
            for kind in ("keyDown", "keyUp"):
                page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13,
                          **({"text": "\r"} if kind == "keyDown" else {}))
            self.assertEqual(page.ask("document.querySelector('table th:nth-child(2)').getAttribute('aria-sort')"), state)


POLICY = {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
    {"name": "small blocks", "when": {"collective": "alltoallv", "max_block_bytes": {"max": 512}},
     "use": {"algorithm": "tuna", "radix": 2}, "because": "measured on 4 ranks"}]}
RANKS = 4


class MadeLog(test_page.PageTest):
    """A log with long names and all that makes the first screen long. Times of a real run differ, and with them the answers."""

    def logs(self):
        folder = self.path("made.log")
        os.mkdir(folder)
        calls, ranks = [], {rank: [] for rank in range(RANKS)}
        for number in range(120):
            collective, algorithm, mean = (("alltoallv", "tuna", 3000), ("alltoallv", "native", 1500), ("allgatherv", "native", 500))[number % 3]
            begin = 5000 * number
            calls.append({
                "comm": "world", "seq": number, "collective": collective, "ranks": RANKS, "nodes": 2, "ranks_per_node": 2,
                "max_block_bytes": 64 << (number % 3), "sent_bytes": {"mean": 600, "max": 900}, "algorithm": algorithm,
                "parameters": {"radix": 2, "metadata": "fused", "in_flight": 32} if algorithm == "tuna" else {},
                "rule": "small blocks" if algorithm == "tuna" else None, "reason": "rule" if algorithm == "tuna" else "otherwise",
                "begin_us": begin, "time_us": {"min": 0.4 * mean, "mean": mean, "max": 1.6 * mean},
                "phases_us": {"agree": 0.3 * mean, "stage": 1, "exchange": 0.7 * mean - 1}})
            for rank, lines in ranks.items():
                lines.append({"world_rank": rank, "comm": "world", "collective": collective, "begin_us": begin + rank * mean / 10,
                              "time_us": mean * (1.15 - rank / 10)})
        self.write("made.log/calls.jsonl", "".join(json.dumps(call) + "\n" for call in calls))
        for rank, lines in ranks.items():
            self.write(f"made.log/rank-{rank}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        self.write("made.log/run.json", {
            "switchyard": "0.1.0", "complete": True, "ranks": RANKS, "program": "hydrodynamics-of-a-melt", "wall_s": 0.7,
            "started": "2026-11-27T21:39:55+0000", "hosts": [{"host": "node1", "ranks": 2}, {"host": "node2", "ranks": 2}],
            "command_line": ["/home/somebody/bin/hydrodynamics-of-a-melt", "--input", "/scratch/somebody/inputs/melt-of-4711.in"],
            "policy_file": "my.policy.json", "policy": json.dumps(POLICY),
            "seen": [{"collective": "allreduce", "calls": 400, "time_us": {"sum": 90000, "max": 30000}, "sent_bytes": 3200}]})
        return [folder]


@test_page.needs_browser
class OneLogScreens(Screens, MadeLog):
    def test_the_first_screen_has_the_answers(self):
        self.on_each_screen(lambda page, _, height: self.assert_on_first_screen(page, height, [
            "#cards .card:nth-child(1)", "#cards .card:nth-child(2)", "#cards .card:nth-child(3)", "#cards .card:nth-child(4)",
            "#answers ol li:first-child", "#answers a[href='#policy']", "#answers .step code"]))

    def test_links_lead_to_their_places(self):
        page = self.open()
        self.assertGreater(page.ask("document.links.length"), 0)
        self.assertEqual(page.ask("[...document.links].filter(link => !document.querySelector(link.getAttribute('href'))).length"), 0)

    def test_late_ranks_differ_from_waiting_ranks_by_more_than_colour(self):
        shapes = self.open().ask("['late', 'waited'].map(kind => getComputedStyle(document.querySelector('.stretches .' + kind)).clipPath)")
        self.assertNotEqual(*shapes)
        self.assertNotIn("none", shapes)
        labels = self.browser.ask("[...document.querySelectorAll('td .stretches')].map(row => row.getAttribute('aria-label'))")
        for rank, label in enumerate(labels):
            self.assertRegex(label, rf"^Rank {rank}: far behind in \d+ of 60 stretches, waited long in \d+$")

    def test_the_keyboard_zooms_the_timeline(self):
        if not self.has_plots:
            self.skipTest("this switchyard was built without dygraphs (Debian: libjs-dygraphs)")
        page = self.open()
        labels = "[...document.querySelectorAll('#timeline .dygraph-axis-label-x')].map(label => label.textContent).join()"
        whole = page.ask(labels)
        seen = []
        for key in ("+", "ArrowRight", "Escape"):
            page.ask(f"void document.getElementById('timeline').dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))")
            seen.append(page.ask(labels))
        self.assertEqual(len({whole, *seen[:2]}), 3)
        self.assertEqual(seen[2], whole)


@test_page.needs_browser
class ComparisonScreens(Screens, test_page.TwoFolders):
    def test_the_first_screen_has_the_answer_and_what_to_type_next(self):
        self.on_each_screen(lambda page, _, height: self.assert_on_first_screen(page, height, [".answer p b", ".answer .step"]))


if __name__ == "__main__":
    unittest.main()
