#!/usr/bin/env python3
"""CITATION.cff is what the Citation File Format 1.2.0 allows, agrees with CMake, the changelog and the license, and names each paper
whose algorithms the registry has."""

import datetime
import pathlib
import re
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of the format: what a citation has to have, and what it may have. Only of what we use; more is a reason to look it up.
REQUIRED = {"cff-version", "message", "title", "authors"}
ALLOWED = REQUIRED | {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
                      "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url", "version"}
REFERENCE_REQUIRED = {"type", "title", "authors"}
REFERENCE_ALLOWED = REFERENCE_REQUIRED | {"collection-title", "conference", "doi", "end", "journal", "month", "notes", "publisher", "start",
                                          "url", "volume", "year"}
REFERENCE_TYPES = {"article", "conference-paper", "proceedings", "report", "thesis", "unpublished"}
PERSON = {"family-names", "given-names", "name-particle", "name-suffix", "affiliation", "orcid", "email"}
# The registry's words for a paper, and words of its title.
PAPERS = {"TuNA": "Configurable Non-uniform", "two-phase Bruck": "Optimizing the Bruck", "locality-aware Bruck": "Locality-Aware",
          "in-place": "In-place", "GPU all-to-allv": "GPU-Enabled"}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@unittest.skipIf(yaml is None, "no YAML for Python here (Debian: python3-yaml)")
class Citation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.citation = yaml.safe_load(text_of("CITATION.cff"))

    def check_authors(self, authors):
        self.assertGreater(len(authors), 0)
        for author in authors:
            with self.subTest(author=author):
                if "name" in author:
                    self.assertEqual(set(author), {"name"})
                else:
                    self.assertLessEqual({"family-names", "given-names"}, set(author))
                    self.assertLessEqual(set(author), PERSON)
                for word in author.values():
                    self.assertIsInstance(word, str)

    def check_doi(self, entry):
        if "doi" in entry:
            self.assertRegex(entry["doi"], r"^10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-\.\(\)\[\]\\]+$")

    def test_the_software(self):
        self.assertLessEqual(REQUIRED, set(self.citation))
        self.assertLessEqual(set(self.citation), ALLOWED)
        self.assertEqual((self.citation["cff-version"], self.citation["type"]), ("1.2.0", "software"))
        self.assertIsInstance(self.citation["date-released"], datetime.date)
        self.assertTrue(all(isinstance(self.citation[key], str) for key in ("message", "title", "abstract", "version", "license")))
        self.assertEqual(len(set(self.citation["keywords"])), len(self.citation["keywords"]))
        self.check_authors(self.citation["authors"])
        self.check_doi(self.citation)

    def test_it_agrees(self):
        version = re.search(r"project\(switchyard VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
        self.assertEqual(self.citation["version"], version)
        self.assertIn(f"## {version} - {self.citation['date-released']}\n", text_of("CHANGELOG.md"))
        license_text = text_of("LICENSE")
        self.assertTrue(license_text.startswith("BSD 3-Clause License"))
        self.assertEqual(self.citation["license"], "BSD-3-Clause")
        holder = re.search(r"Copyright \(c\) \d+, (.+)", license_text)[1]
        self.assertEqual(self.citation["authors"], [{"name": holder}])

    def test_the_papers(self):
        references = self.citation["references"]
        for reference in references:
            with self.subTest(title=reference.get("title")):
                self.assertLessEqual(REFERENCE_REQUIRED, set(reference))
                self.assertLessEqual(set(reference), REFERENCE_ALLOWED)
                self.assertIn(reference["type"], REFERENCE_TYPES)
                self.assertIsInstance(reference.get("year", 0), int)
                self.assertTrue(all(isinstance(value, str) for key, value in reference.items() if key not in ("year", "authors")))
                self.check_authors(reference["authors"])
                self.check_doi(reference)
        cited = set(re.findall(r'"([^",]+?) paper\b', text_of("algorithms/registry.def")))
        self.assertEqual(cited, set(PAPERS))
        titles = [reference["title"] for reference in references]
        for words in PAPERS.values():
            with self.subTest(words=words):
                self.assertEqual(sum(words in title for title in titles), 1)
        self.assertEqual(len(titles), len(PAPERS))


if __name__ == "__main__":
    unittest.main()
