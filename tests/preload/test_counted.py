"""Collectives that are only counted: each call goes to the MPI as it came, and counts once in the log's sums."""

import json
import os
import re
import unittest

from harness import HERE, MPI, OPENMPI, PYTHON, SHIM, PreloadTest, client, client_exists, mpi4py_works

# Not only counted, but routed and logged like any other: test_neighbor.
ROUTED = ("neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv")
RANKS = (1, 2, 3, 5) if OPENMPI else (1, 2, 3)
MPI_4 = client_exists("c_large_count")
needs_fortran = unittest.skipUnless(client_exists("f_counted"), f"no Fortran compiler, or {MPI} has no Fortran layer")


def made(result):
    """The program's own count: by collective, the calls of all ranks and the bytes that they sent."""
    sums = {}
    for name, calls, sent in re.findall(r"(?m)^seen (\w+) calls=(\d+) bytes=(\d+)", result.stdout):
        if name in ROUTED:
            continue
        more_calls, more_sent = sums.get(name, (0, 0))
        sums[name] = (more_calls + int(calls), more_sent + int(sent))
    return sums


def logged(result):
    return {entry["collective"]: (entry["calls"], entry["sent_bytes"]) for entry in result.run_json()["seen"]}


class Counted(PreloadTest):
    def same_as_plain(self, np, program, *arguments, **options):
        plain = self.plain_once(np, program, *arguments)
        result = self.launch(np, program, *arguments, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        self.assertEqual(made(result), made(plain))
        self.assertGreater(len(made(result)), 0, result.everything())
        return result

    def check(self, np, program, *arguments, **options):
        result = self.same_as_plain(np, program, *arguments, **options)
        self.assertEqual(logged(result), made(result))
        return result

    def test_c(self):
        for np in RANKS:
            with self.subTest(ranks=np):
                for entry in self.check(np, client("c_counted")).run_json()["seen"]:
                    times = entry["time_us"]
                    self.assertLessEqual(times["mean"], times["max"], entry)
                    self.assertLessEqual(times["max"], times["sum"], entry)
                    self.assertGreater(times["sum"], 0, entry)

    @unittest.skipUnless(OPENMPI, "this MPI does not check arguments")
    def test_what_mpi_refuses(self):
        """MPI gives its own error, and the call counts without bytes."""
        result = self.check(3, client("c_counted"), "refused", settings={"SWITCHYARD_DETAIL": "all"})
        lines = [line for line in result.calls("seen-0.jsonl") if line["ranks"] == 0]
        self.assertEqual(sorted(line["collective"] for line in lines),
                         ["allreduce", "allreduce", "bcast", "iallreduce", "scatter"])
        self.assertEqual({line["sent_bytes"] for line in lines}, {0})

    def test_what_this_mpi_lacks(self):
        """A program that looks for functions of MPI-4 finds those that its MPI has, and their calls count."""
        program = client("c_counted_lacking")
        later = client("c_counted_later.so")
        for arguments, settings in (([], {}), ([later], {}), ([later], {"LD_BIND_NOW": "1"})):
            with self.subTest(arguments=arguments, settings=settings):
                plain = self.plain_once(2, program, *arguments)
                result = self.launch(2, program, *arguments, exported=settings)
                self.assert_ended_well(result)
                self.assert_quiet(result)
                self.assertEqual(result.digest, plain.digest)
                self.assertEqual(logged(result), made(plain))

    def test_plugin(self):
        """MPI is in a local scope, and nothing of it in the global one."""
        self.check(2, client("c_plugin_loader"), client("c_counted_plugin.so"))

    @unittest.skipUnless(MPI_4, "this MPI has no functions of MPI-4")
    def test_large_counts(self):
        """Records tell which calls had large counts."""
        result = self.check(2, client("c_counted"), settings={"SWITCHYARD_DETAIL": "all"})
        large = {line["collective"] for line in result.calls("seen-0.jsonl") if line.get("large_count")}
        self.assertLessEqual({"allreduce", "ialltoallw", "alltoallw_init", "alltoallw_start"}, large)
        self.assertNotIn("barrier", large)

    @unittest.skipUnless(MPI_4, "this MPI has no functions of MPI-4")
    def test_libraries_that_come_and_go(self):
        """One thread opens and closes a library, another one calls MPI: the loader is at work on what is looked at."""
        for form in ("relro", "norelro"):
            with self.subTest(form):
                library = client(f"c_opened_{form}.so")
                self.assert_ended_well(self.plain(2, client("c_opening"), "race", 1, library))
                result = self.launch(2, client("c_opening"), "race", 3, library)
                self.assert_ended_well(result)
                self.assert_quiet(result)
                self.assertEqual(logged(result), made(result))

    @unittest.skipUnless(MPI_4, "this MPI has no functions of MPI-4")
    def test_references_that_nobody_may_write(self):
        """In code, and in pages that the program closed itself: these calls are not seen."""
        for function, form in (("opened_use", "relro"), ("opened_use", "text"), ("opened_use_closed", "norelro")):
            library = client(f"c_opened_{form}.so")
            if not os.path.exists(library):
                continue
            with self.subTest(function, form=form):
                self.check(2, client("c_opening"), "use", function, library)

    def test_every_detail(self):
        for detail in ("summary", "ranks"):
            with self.subTest(detail):
                self.check(2, client("c_counted"), settings={"SWITCHYARD_DETAIL": detail})

    def test_routed_calls_are_not_among_them(self):
        """What our own start, agreements and end call of MPI is not the program's either."""
        result = self.launch(3, client("c_basic"), force="alltoallv:padded_alltoall;allgather:ring")
        self.assert_ended_well(result)
        self.assert_logged(result)
        self.assertEqual(logged(result), {})

    def test_calls_of_mpi_itself(self):
        """MPI-IO makes collective calls inside its own."""
        result = self.launch(3, client("c_io"))
        self.assert_ended_well(result)
        self.assertLessEqual(set(logged(result)), {"barrier"}, result.everything())

    def test_calls_of_a_tool_inside_a_call(self):
        """Their time is part of the call's."""
        tool = client("c_counted_tool.so")
        self.check(3, client("c_counted"), preload=[SHIM, tool])

    @needs_fortran
    def test_fortran(self):
        for program in ("f_counted", "f_counted_mpi", "f_counted_f08"):
            for np in (2, 3):  # Open MPI's MPI_Neighbor_alltoallw takes a type for each rank, and needs one for each neighbour
                with self.subTest(program, ranks=np):
                    self.check(np, client(program))

    @unittest.skipUnless(mpi4py_works(), "no mpi4py for this MPI")
    def test_mpi4py(self):
        self.check(3, PYTHON, f"{HERE}/clients/mpi4py_counted.py")

    def test_a_record_each(self):
        """With detail `all` each rank has a line for each of its calls."""
        result = self.check(3, client("c_counted"), settings={"SWITCHYARD_DETAIL": "all"})
        sums = {}
        for rank in range(3):
            last = 0
            for line in result.calls(f"seen-{rank}.jsonl"):
                calls, sent = sums.get(line["collective"], (0, 0))
                sums[line["collective"]] = (calls + 1, sent + line["sent_bytes"])
                self.assertEqual((line["world_rank"], line["binding"]), (rank, "c"), line)
                self.assertIn(line["ranks"], (1, 2, 3), line)
                self.assertGreaterEqual(line["begin_us"], last, line)
                last = line["begin_us"] + line["time_us"]
        self.assertEqual(sums, made(result))
        routed = {line["collective"] for rank in range(3) for line in result.calls(f"rank-{rank}.jsonl")}
        self.assertEqual(routed, set(ROUTED))

    def test_records_beside_routed_calls(self):
        result = self.launch(3, client("c_threads"), settings={"SWITCHYARD_DETAIL": "all"}, force="alltoallv:tuna:radix=2")
        self.assert_ended_well(result)
        self.assert_logged(result)
        self.assertEqual(len(result.calls("rank-0.jsonl")), result.calls_made)

    def test_threads(self):
        """Threads that call at once lose no count."""
        for detail in ("calls", "all"):
            with self.subTest(detail):
                result = self.check(2, client("c_counted_threads"), settings={"SWITCHYARD_DETAIL": detail})
                if detail == "all":
                    lines = result.calls("seen-0.jsonl") + result.calls("seen-1.jsonl")
                    self.assertEqual(len(lines), sum(calls for calls, _ in made(result).values()))

    def test_without_a_log(self):
        result = self.same_as_plain(2, client("c_counted"), preload=[SHIM], settings={"SWITCHYARD_LOG": "off"})
        self.assertEqual(result.logs, [])

    def test_off(self):
        result = self.launch(2, client("c_counted"), preload=[SHIM], exported={"SWITCHYARD": "off"})
        self.assert_ended_well(result)
        self.assertEqual(result.digest, self.plain_once(2, client("c_counted")).digest)
        self.assertEqual(result.lines_of_ours, [])

    def test_killed(self):
        """The sums of a run without an end lie in the ranks' files, and the report reads them."""
        result = self.launch(2, client("c_counted"), "kill")
        self.assertNotEqual(result.code, 0)
        report = self.command("report", result.log(), "--format", "json")
        self.assertEqual(report.code, 0, report.everything())
        found = {kind["collective"]: (kind["calls"], kind["sent_bytes"]) for kind in json.loads(report.stdout)["seen"]}
        self.assertEqual(found, made(self.plain_once(2, client("c_counted"))))

    def test_report(self):
        result = self.launch(2, client("c_counted"))
        text = self.command("report", result.log()).stdout
        self.assertRegex(text, r"(?m)^\S+ \S+ in collectives, \S+ of the wall time; a policy can change \S+ \S+ of it \(neighbor_")
        self.assertRegex(text, r"(?m)^Counted, not routed")
        self.assertRegex(text, rf"(?m)^  neighbor_alltoallw +{made(result)['neighbor_alltoallw'][0]} ")
        self.assertIn("without MPI_Wait", text)


if __name__ == "__main__":
    unittest.main()
