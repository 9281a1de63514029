"""How the pages of `switchyard report --html` look and work in a browser, with their script and without."""

import base64
import glob
import hashlib
import json
import os
import re
import shutil
import tempfile
import unittest

import browser
from harness import FEW_RANKS, PreloadTest, client

NASTY = "<script>document.title='owned';fetch('http://127.0.0.1:9/')</script> \"'&"
POLICY = {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
    {"name": NASTY, "when": {"collective": "alltoallv", "max_block_bytes": {"max": 64}},
     "use": {"algorithm": "tuna", "radix": 2}, "because": "small blocks go <b>together</b>"},
    {"name": "larger", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise"}}]}
SERIES = [[0, 114, 178], [213, 94, 0]]  # their colours


def script_elements(page):
    """Attributes and texts."""
    return re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)


class PageTest(PreloadTest):
    """A page of runs of a real program. The tests of the page share the runs, and each has a copy of the page."""

    _pages = {}  # by the function that makes the runs: their lines and the text of the page

    def setUp(self):
        super().setUp()
        runs = type(self).logs
        if runs not in self._pages:
            self._pages[runs] = self.made()
        self.lines, self.text = self._pages[runs]
        self.page = self.write("page.html", self.text)
        self.has_plots = 'id="plot-data"' in self.text

    def made(self):
        self.lines = None
        page = self.path("made.html")
        answer = self.command("report", *self.logs(), "--html", page)
        self.assertEqual(answer.code, 0, answer.everything())
        with open(page, encoding="utf-8") as file:
            return self.lines, file.read()

    def run_program(self, **options):
        result = self.launch(FEW_RANKS, client("c_basic"), **options)
        self.assert_ended_well(result)
        return result


class OneLog(PageTest):
    fewest_tables = 6
    without_scripts = "Without scripts this page has no plot over time"

    def logs(self):
        result = self.run_program(policy=self.write("policy.json", POLICY), settings={"SWITCHYARD_DETAIL": "ranks"})
        self.lines = result.calls()
        return [result.log()]


class TwoFolders(PageTest):
    """Runs in turn, of a policy that routes and one that does not, whose program and arguments have nasty names."""
    fewest_tables = 4
    without_scripts = ""  # it has all

    def logs(self):
        policies = {"a": self.write("native.json", {"version": 1, "otherwise": {"algorithm": "native"}, "rules": []}),
                    "b": self.write("policy.json", POLICY)}
        for _ in range(2):
            for folder, policy in policies.items():
                self.run_program(policy=policy, log=self.path(folder))
        for facts in glob.glob(self.path("[ab]/*/run.json")):
            with open(facts, encoding="utf-8") as file:
                run = json.load(file)
            with open(facts, "w", encoding="utf-8") as file:
                json.dump(dict(run, program=NASTY, command_line=[NASTY]), file)
        return [self.path("a"), self.path("b")]


class Text(OneLog):
    def test_the_policy_has_the_hash_of_each_script_and_no_other(self):
        allowed = re.search(r"script-src ([^\"]*)\"", self.text).group(1).split()
        scripts = [text for attributes, text in script_elements(self.text) if "application/json" not in attributes]
        hashes = ["'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'" for text in scripts]
        self.assertEqual(sorted(allowed), sorted(hashes))

    def test_the_library_comes_with_its_license(self):
        if not self.has_plots:
            self.assertIn("dygraphs, which draws it, was not there", self.text)
            self.skipTest("this switchyard was built without dygraphs (Debian: libjs-dygraphs)")
        self.assertIn("Dan Vanderkam", self.text)
        self.assertIn("Permission is hereby granted", self.text)


needs_browser = unittest.skipUnless(browser.PROGRAM,
                                    "no Chromium here (Debian: chromium), so no browser looks at the report's pages")


class WithBrowser:
    """The tests share a browser, and each has a page of its own."""

    _browsers = []

    def setUp(self):
        super().setUp()
        if not self._browsers or not self._browsers[-1].is_alive():
            self._browsers.append(self.new_browser())
        self.browser = self._browsers[-1]
        self.browser.fresh_page()
        self.addCleanup(self.browser.leave_page)

    @staticmethod
    def new_browser():
        folder = tempfile.mkdtemp(prefix="switchyard-browser-")
        unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
        made = browser.Browser(folder)
        unittest.addModuleCleanup(made.end)
        return made

    def open(self):
        self.browser.open(self.page)
        return self.browser

    def prefer(self, scheme):
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


class InBrowser(WithBrowser):
    """What its tests need, and what holds for every page."""

    def needs_plots(self):
        if not self.has_plots:
            self.skipTest("this switchyard was built without dygraphs (Debian: libjs-dygraphs)")

    def column(self, title, table=0):
        """The texts of a column of the table."""
        return self.browser.ask(f"""(() => {{
            const table = document.querySelectorAll("table")[{table}];
            const place = [...table.tHead.rows[0].cells].findIndex(head => head.textContent === "{title}");
            return [...table.tBodies[0].rows].map(row => row.cells[place].textContent);
        }})()""")

    def values(self, title, table=0):
        return self.browser.ask(f"""(() => {{
            const table = document.querySelectorAll("table")[{table}];
            const place = [...table.tHead.rows[0].cells].findIndex(head => head.textContent === "{title}");
            return [...table.tBodies[0].rows].map(row => Number(row.cells[place].dataset.value));
        }})()""")

    def click_on(self, title, table=0):
        x, y = self.browser.ask(f"""(() => {{
            const heads = document.querySelectorAll("table")[{table}].tHead.rows[0].cells;
            const head = [...heads].find(head => head.textContent === "{title}");
            head.scrollIntoView({{block: "center"}});
            const box = head.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        self.browser.click(x, y)

    def box(self, element):
        return self.browser.ask(f"""(() => {{
            document.getElementById("{element}").scrollIntoView({{block: "center"}});
            const box = document.getElementById("{element}").getBoundingClientRect();
            return [box.x, box.y, box.width, box.height];
        }})()""")

    def tip(self, element):
        return self.browser.ask(f"document.querySelector('#{element} .tip').textContent")

    def ink(self, element):
        """How many pixels of its canvases have the first series' colour, and how many the second's."""
        return self.browser.ask(f"""{SERIES}.map(wanted => {{
            let count = 0;
            for (const canvas of document.querySelectorAll("#{element} canvas")) {{
                const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                for (let i = 0; i < data.length; i += 4)
                    if (data[i + 3] === 255 && wanted.every((part, n) => part === data[i + n])) ++count;
            }}
            return count;
        }})""")

    def test_it_asks_no_network_for_anything_and_nothing_of_the_log_runs(self):
        page = self.open()
        self.assertEqual(page.said, [])
        self.assertEqual(page.asked, [], "the page wants something from a network")
        self.assertNotEqual(page.ask("document.title"), "owned")
        self.assertEqual(page.ask("document.scripts.length"), len(script_elements(self.text)))
        self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), page.ask("innerWidth"),
                             "something sticks out to the right")
        page.open(self.write("wanting.html", "<script>console.log('here')</script><img src='http://127.0.0.1:9/x.png'>"))
        self.assertEqual(page.asked, ["http://127.0.0.1:9/x.png"], "this test would see it if a page did")
        self.assertIn("here", page.said)

    def test_a_script_that_is_not_ours_does_not_run(self):
        with open(self.page, "w", encoding="utf-8") as file:
            file.write(self.text.replace("</main>", "<script>document.title='owned'</script></main>"))
        page = self.open()
        self.assertNotEqual(page.ask("document.title"), "owned")
        self.assertRegex(" ".join(page.said), "Content Security Policy")

    def test_dark_where_the_reader_wants_it(self):
        page = self.open()
        ground = "getComputedStyle(document.body).backgroundColor"
        brightness = lambda: sum(map(int, re.findall(r"\d+", page.ask(ground))[:3])) / 3
        self.assertGreater(brightness(), 200)
        light = page.look(self.path("light.png"))
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertLess(brightness(), 60)
        dark = page.look(self.path("dark.png"))
        mean = lambda rows: sum(sum(sum(colour) for colour in row[::9]) for row in rows[::9]) / sum(3 * len(row[::9]) for row in rows[::9])
        self.assertGreater(mean(light), 180)
        self.assertLess(mean(dark), 90)
        # Paper stays white.
        page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertGreater(brightness(), 200)

    def test_on_paper(self):
        page = self.open()
        page.call("Emulation.setEmulatedMedia", media="print")
        page.call("Emulation.setDeviceMetricsOverride", width=688, height=1000, deviceScaleFactor=1, mobile=False)
        self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), 688, "a sheet of A4 is narrower")
    def test_without_scripts_all_tables_stand(self):
        tables = self.open().ask("document.querySelectorAll('table').length")
        rows = self.browser.ask("document.querySelectorAll('tbody tr').length")
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        page = self.open()
        self.assertEqual(page.ask("document.querySelectorAll('table').length"), tables)
        self.assertEqual(page.ask("document.querySelectorAll('tbody tr').length"), rows)
        self.assertGreaterEqual(tables, self.fewest_tables)
        self.assertEqual(page.ask("document.querySelectorAll('.sortable, canvas').length"), 0, "a script ran")
        shown = page.ask("document.body.innerText")
        self.assertIn(self.without_scripts, shown)
        self.assertNotIn("Drag to zoom", shown)


@needs_browser
class OneLogInBrowser(InBrowser, OneLog):
    def test_the_timeline_on_paper(self):
        self.needs_plots()
        page = self.open()
        page.call("Emulation.setEmulatedMedia", media="print")
        page.call("Emulation.setDeviceMetricsOverride", width=688, height=1000, deviceScaleFactor=1, mobile=False)
        canvases = "[...document.querySelectorAll('.plot canvas')]"
        page.wait_until(f"{canvases}.every(canvas => canvas.clientWidth < 688)")
        widths = page.ask(f"{canvases}.map(canvas => canvas.clientWidth)")
        self.assertGreater(min(widths), 400)
        self.assertLess(max(widths), 688)
        self.assertGreater(min(self.ink("timeline")), 5)

    def test_the_timeline_fits_the_paper_while_it_is_printed(self):
        self.needs_plots()
        page = self.open()
        width = "document.querySelector('#timeline canvas').clientWidth"
        page.ask(f"""void (window.widths = [], matchMedia("print").addEventListener("change", () => widths.push({width})))""")
        before = page.ask(width)
        self.assertEqual(page.print()[:5], b"%PDF-")
        on_paper, after = page.ask("widths")
        self.assertLess(on_paper, 700)
        self.assertGreater(on_paper, 400)
        self.assertEqual(after, before)

    def test_a_click_on_a_head_sorts_the_table(self):
        self.open()
        totals = self.values("total")
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.click_on("median")
        medians = self.values("median")
        self.assertEqual(medians, sorted(medians, reverse=True))
        self.click_on("median")
        self.assertEqual(self.values("median"), sorted(medians))
        self.assertNotEqual(self.values("median"), medians, "one order for all values")
        self.click_on("algorithm")
        algorithms = self.column("algorithm")
        self.assertEqual(algorithms, sorted(algorithms, key=str.lower))
        self.assertGreater(len(set(algorithms)), 1)
        self.assertEqual(sorted(self.values("total")), sorted(totals), "a row was lost")
        self.assertEqual(self.browser.ask("document.querySelectorAll('th[aria-sort]').length"), 1)

    def test_the_timeline_has_each_call_under_the_pointer(self):
        self.needs_plots()
        page = self.open()
        self.assertGreater(min(self.ink("timeline")), 20)
        left, top, width, height = self.box("timeline")
        seen = set()
        for step in range(60):
            page.point(left + 60 + (width - 70) * step / 59, top + height * (0.3 + 0.4 * (step % 2)))
            if self.tip("timeline"):
                seen.add(self.tip("timeline"))
        self.assertGreater(len(seen), 5)
        known = {f"{line['collective']} {line['algorithm']}" for line in self.lines}
        for text in seen:
            what, when, who = text.split("\n")
            self.assertTrue(any(what.startswith(name) for name in known), text)
            self.assertRegex(when, r"^[\d.]+ (ns|us|ms|s) at [\d.]+ (us|ms|s)$")
            self.assertRegex(who, rf"^\d+ ranks?, blocks up to [\d.]+ [KMG]?i?B$")
        page.point(left + width / 2, top + height / 2)
        tip = page.ask("document.querySelector('#timeline .tip').getBoundingClientRect().y")
        self.assertTrue(top < tip < top + height, "the tip is beside the mark")
        page.point(left + width / 2, top - 30)
        self.assertEqual(self.tip("timeline"), "", "the pointer has left")

    def test_the_timeline_of_a_long_log_has_stretches_in_their_own_colours(self):
        """Of two series the longer calls come in two lengths, so lines join these in the upper half alone."""
        self.needs_plots()
        folder = self.path("long.log")
        os.mkdir(folder)
        calls = [{"collective": "alltoall", "algorithm": name, "ranks": 2, "begin_us": 100.0 * i, "max_block_bytes": 8,
                  "time_us": {"min": us, "mean": us, "max": us}}
                 for i in range(12000) for name, us in (("short", 10), ("long", (2000, 8000)[i % 2]))]
        self.write("long.log/calls.jsonl", "".join(json.dumps(call) + "\n" for call in calls))
        self.write("long.log/run.json", {"complete": True, "ranks": 2, "program": "long"})
        answer = self.command("report", folder, "--html", self.page)
        self.assertEqual(answer.code, 0, answer.everything())
        page = self.open()
        left, top, width, height = self.box("timeline")
        page.point(left + width / 2, top + 0.1 * height)
        self.assertRegex(self.tip("timeline"),
                         r"^alltoall long\n\d+ calls, median [28] ms\n5% below 2 ms, 95% below 8 ms$")
        page.point(left + width / 2, top - 30)
        counts = page.ask("""[[0, 2], [2, 0]].map(([more, less]) => {
            const canvas = document.querySelector("#timeline canvas");
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height / 2).data;
            let count = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && data[i + more] - data[i + less] > 60) ++count;
            return count;
        })""")
        self.assertEqual(counts[0], 0, "the short calls' colour is among the long ones")
        self.assertGreater(counts[1], 1000)

    def test_the_timeline_zooms(self):
        self.needs_plots()
        page = self.open()
        labels = "[...document.querySelectorAll('#timeline .dygraph-axis-label-x')].map(label => label.textContent).join()"
        whole = page.ask(labels)
        left, top, width, height = self.box("timeline")
        page.drag(left + 0.4 * width, top + height / 2, left + 0.6 * width, top + height / 2)
        self.assertNotEqual(page.ask(labels), whole)
        page.click(left + width / 2, top + height / 2, times=2)
        self.assertEqual(page.ask(labels), whole)

    def test_the_sizes_have_bars_of_the_collectives_with_their_calls(self):
        page = self.open()
        bars = page.ask("""[...document.querySelectorAll(".stack")].map(bar => [...bar.children].map(part => {
            const box = part.getBoundingClientRect();
            return [part.title, box.width / bar.clientWidth, box.height, getComputedStyle(part).backgroundColor];
        }))""")
        calls = [sum(int(re.search(r": (\d+) calls?, ", title).group(1)) for title, *_ in bar) for bar in bars[::2]]
        self.assertEqual(sum(calls), len(self.lines))
        self.assertEqual([bar[0][0] for bar in bars[::2]], [bar[0][0] for bar in bars[1::2]])
        for bar, count in zip(bars[::2], calls):
            self.assertAlmostEqual(sum(width for _, width, *_ in bar), count / max(calls), delta=0.02)
        self.assertAlmostEqual(max(sum(width for _, width, *_ in bar) for bar in bars[1::2]), 1, delta=0.02)
        self.assertGreater(min(height for bar in bars for _, _, height, _ in bar), 5)
        colours = {colour for bar in bars for *_, colour in bar}
        self.assertGreaterEqual(colours, {f"rgb({red}, {green}, {blue})" for red, green, blue in SERIES})

    def test_the_heat_map_can_be_read_in_the_light_and_in_the_dark(self):
        page = self.open()
        fields = """(() => {
            const parts = text => text.match(/[\\d.]+/g).map(Number);
            const bright = rgb => rgb.slice(0, 3).map(part => part / 255)
                .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
                .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
            return [...document.querySelectorAll("td.heat[title]")].map(field => {
                const sheet = parts(getComputedStyle(field.closest("section")).backgroundColor);
                const [red, green, blue, share = 1] = parts(getComputedStyle(field).backgroundColor);
                const ground = [red, green, blue].map((part, i) => part * share + sheet[i] * (1 - share));
                const [less, more] = [bright(ground), bright(parts(getComputedStyle(field).color))].sort((a, b) => a - b);
                return [Number(field.dataset.value), share, (more + 0.05) / (less + 0.05)];
            });
        })()"""
        for scheme in ("light", "dark"):
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            found = page.ask(fields)
            self.assertGreater(len(found), 5)
            shares = [share for _, share, _ in sorted(found)]
            self.assertEqual(shares, sorted(shares), "a slower field is stronger")
            self.assertAlmostEqual(shares[0], 0.1, delta=0.01)
            self.assertAlmostEqual(shares[-1], 0.7, delta=0.01)
            self.assertGreater(min(contrast for *_, contrast in found), 4.5, scheme)

    def test_a_heat_map_of_all_usual_blocks_fits_the_screen_and_the_paper(self):
        folder = self.path("wide.log")
        os.mkdir(folder)
        self.write("wide.log/calls.jsonl", "".join(json.dumps({
            "collective": "alltoallv", "algorithm": "tuna", "parameters": {"radix": 2, "metadata": "fused"}, "ranks": 128,
            "max_block_bytes": 1 << bits, "time_us": {"min": 123 << bits, "mean": 123 << bits, "max": 123 << bits}}) + "\n"
            for bits in range(25)))
        self.write("wide.log/run.json", {"complete": True, "ranks": 128, "program": "wide"})
        answer = self.command("report", folder, "--html", self.page)
        self.assertEqual(answer.code, 0, answer.everything())
        page = self.open()
        widths = "(table => [table.scrollWidth, table.parentNode.clientWidth])(document.querySelector('td.heat').closest('table'))"
        self.assertEqual(page.ask("document.querySelectorAll('td.heat[title]').length"), 25)
        self.assertLessEqual(*page.ask(widths))
        page.call("Emulation.setEmulatedMedia", media="print")
        page.call("Emulation.setDeviceMetricsOverride", width=688, height=1000, deviceScaleFactor=1, mobile=False)
        self.assertLessEqual(*page.ask(widths))

    def test_the_ranks_have_a_row_of_fields_each(self):
        page = self.open()
        rows = page.ask("""[...document.querySelectorAll("td .stretches")].map(row => [...row.children].map(field => {
            const box = field.getBoundingClientRect();
            return [field.className, field.title, Math.min(box.width, box.height), getComputedStyle(field).backgroundColor];
        }))""")
        self.assertEqual([len(row) for row in rows], FEW_RANKS * [60])
        self.assertGreater(min(size for row in rows for _, _, size, _ in row), 4)
        known = {"late": (0, 114, 178), "waited": (213, 94, 0)}
        for rank, row in enumerate(rows):
            for kind, title, _, colour in row:
                if not kind:
                    self.assertEqual(title, "", "no calls")
                    continue
                self.assertTrue(title.startswith(f"rank {rank}, "), title)
                self.assertEqual(tuple(map(int, re.findall(r"\d+", colour)[:3])), known[kind])
                self.assertRegex(title, r"; -" if kind == "late" else r"; [+]")
        self.assertEqual({kind for row in rows for kind, *_ in row if kind}, set(known))


@needs_browser
class ComparisonInBrowser(InBrowser, TwoFolders):
    def test_it_leads_with_the_answer(self):
        page = self.open()
        answer = page.ask("document.querySelector('.answer').innerText")
        self.assertRegex(answer, r"^B (may be (faster|slower)|is as often slower as faster): it takes [\d.]+ of A's wall time")
        below = page.ask("document.querySelector('.answer').getBoundingClientRect().bottom")
        self.assertLess(below, page.ask("innerHeight"), "the answer is on the first screen")
        self.assertLess(below, page.ask("document.querySelector('table').getBoundingClientRect().top"))
        self.assertIn(NASTY, page.ask("document.querySelector('h1').innerText"))

    def test_a_click_on_a_head_sorts_the_call_groups(self):
        self.open()
        groups = self.browser.ask("document.querySelectorAll('table').length") - 1
        ratios = self.values("B/A", groups)
        self.assertEqual(self.column("B/A", groups), [f"{ratio:.2f}" if ratio else "-" for ratio in ratios])
        self.assertGreater(len(set(ratios)), 1)
        self.click_on("B/A", groups)
        self.assertEqual(self.values("B/A", groups), sorted(ratios, reverse=True))
        self.click_on("B/A", groups)
        self.assertEqual(self.values("B/A", groups), sorted(ratios))

    def test_a_bar_is_on_the_left_where_b_is_faster(self):
        page = self.open()
        bars = page.ask("""[...document.querySelectorAll(".gain")].map(bar => {
            const whole = bar.getBoundingClientRect(), part = bar.firstElementChild.getBoundingClientRect();
            const sides = [part.left - whole.left, whole.right - part.right];
            return [Number(bar.parentNode.dataset.value), ...sides, part.width, whole.width];
        })""")
        self.assertGreater(len(bars), 8)
        self.assertTrue(any(ratio < 0.9 for ratio, *_ in bars) or any(ratio > 1.1 for ratio, *_ in bars), bars)
        for ratio, left, right, width, whole in bars:
            self.assertAlmostEqual(right if ratio < 1 else left, whole / 2, delta=0.5)
            self.assertGreaterEqual(min(left, right), -0.1)
            self.assertLessEqual(width, whole / 2 + 0.1)

    def test_each_pair_shows_where_its_runs_lie(self):
        page = self.open()
        for table in (1, 2):
            places = page.ask(f"""[...document.querySelectorAll("table")[{table}].querySelectorAll(".runs")].map(runs =>
                [...runs.children].map(run => [run.textContent, run.getBoundingClientRect()])
                    .map(([letter, box]) => [letter, box.x, box.y]))""")
            self.assertEqual([[letter for letter, *_ in pair] for pair in places], [["A", "B"], ["A", "B"]])
            for (_, _, a), (_, _, b) in places:
                self.assertGreater(b, a, "one letter does not hide the other")
            figures = [value for pair in zip(self.values("A", table), self.values("B", table)) for value in pair]
            x = [place for pair in places for _, place, _ in pair]
            self.assertEqual([place for _, place in sorted(zip(figures, x))], sorted(x))
            self.assertGreater(max(x) - min(x), 80)

    def test_the_sides_stand_side_by_side_where_there_is_room(self):
        page = self.open()
        places = "[...document.querySelectorAll('section.sides > div')].map(side => side.getBoundingClientRect().y)"
        first, second = page.ask(places)
        self.assertEqual(first, second)
        page.call("Emulation.setDeviceMetricsOverride", width=400, height=1000, deviceScaleFactor=1, mobile=False)
        page.wait_until("document.documentElement.scrollWidth <= 400")
        first, second = page.ask(places)
        self.assertLess(first, second)
        self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), 400)


if __name__ == "__main__":
    unittest.main()
