#!/usr/bin/env python3
"""The JSON Schema and `switchyard check` give the same verdict on every policy of policies/ and config/, except where
a schema cannot express what is wrong.

Usage: schema_agreement.py PATH_OF_SWITCHYARD [unittest's arguments]
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

import jsonschema

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = SOURCE / "config" / "switchyard-policy.schema.json"
COMMAND = "switchyard"

# Malformed in ways that a schema has no words for.
BEYOND_A_SCHEMA = {
    "hidden_by_one": "earlier rules take every call",
    "hidden_by_two": "earlier rules take every call",
    "hidden_with_nodes": "earlier rules take every call",
    "hidden_without_names": "earlier rules take every call",
    "key_twice": "JSON readers keep one of the two",
    "name_of_a_rule_without_name": "compares rules",
    "name_twice": "compares rules",
    "never_enough_ranks": "compares ranges",
    "never_few_nodes_for_the_radices": "compares a parameter with a range",
    "never_few_ranks_for_the_radices": "compares a parameter with a range",
    "never_ranks_for_the_radix": "compares ranges",
    "never_one_node": "compares ranges",
    "never_too_many_nodes": "compares ranges",
    "never_too_many_per_node": "compares ranges",
    "radix_over_the_ranks": "compares a parameter with a range",
    "radices_too_large": "the largest entry depends on the length of the list",
    "range_empty": "compares the ends of a range",
}


def without_comments(text):
    """As editors read JSON with comments. Strings stay as they are."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or " ", text, flags=re.DOTALL)


def schema_accepts(validator, path):
    try:
        document = json.loads(without_comments(path.read_bytes().decode("utf-8")))
    except ValueError:
        return False
    return validator.is_valid(document)


def command_accepts(path):
    done = subprocess.run([COMMAND, "check", str(path)], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"switchyard check {path}: exit {done.returncode}\n{done.stderr.decode()}")
    return done.returncode == 0


class SchemaAgreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(schema)
        cls.validator = jsonschema.Draft7Validator(schema)

    def test_same_verdict(self):
        policies = sorted((SOURCE / "tests" / "unit" / "policies").rglob("*.json"))
        policies += sorted((SOURCE / "config").rglob("*.policy.json"))
        self.assertGreater(len(policies), 50)
        for path in policies:
            with self.subTest(policy=path.name):
                by_schema = schema_accepts(self.validator, path)
                by_command = command_accepts(path)
                if path.stem in BEYOND_A_SCHEMA:
                    self.assertTrue(by_schema, "the schema finds this one after all: take it off the list")
                    self.assertFalse(by_command)
                else:
                    self.assertEqual(by_schema, by_command)
                self.assertEqual(by_command, path.parent.name != "invalid")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMMAND = sys.argv.pop(1)
    unittest.main()
