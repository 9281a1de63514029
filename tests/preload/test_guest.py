"""The shim is a guest: threads, forks, children, other tools and errors are as they are without it."""

import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from harness import (DEFAULT_POLICY, FEW_RANKS, MPI, OPENMPI, OUTPUT, PYTHON, RUNTIME, SHIM, SWITCHYARD, PreloadTest,
                     Result, clean_environment, finish, client, client_exists, launcher)

FORCE = "alltoallv:tuna:radix=2;alltoallw:tuna:radix=2;alltoall:zero_rotation_bruck;allgather:bruck;allgatherv:bruck"
MEASURES_MEMORY = "a sanitizer's memory counts, too"
HAS_OWN_NEW = "a sanitizer has its own operator new, too"
SHARED = "alltoallv:shared;alltoallw:shared;alltoall:shared;allgather:shared;allgatherv:shared"
# What a job runs under: all that a communicator of ours may have.
EQUIPMENT = ({"force": FORCE}, {"force": SHARED}, {"force": None, "policy": DEFAULT_POLICY})


def romio_of_openmpi():
    """Its name, which has ROMIO's version; None where this Open MPI has none."""
    said = subprocess.run(["ompi_info", "--parsable"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(?m)^mca:io:(romio\w+):", said)
    return found[1] if found else None


class Guest(PreloadTest):
    def check(self, np, program, *arguments, force=FORCE, **options):
        """Ends well, the same as plain, every call in the log. Returns result and lines."""
        plain = self.plain_once(np, program, *arguments)
        result = self.launch(np, program, *arguments, force=force, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        return result, self.assert_logged(result)

    def test_threads(self):
        for threads in (2, 4):
            with self.subTest(threads=threads):
                _, lines = self.check(2, client("c_threads"), threads, 40)
                self.assertEqual(len({line["comm"] for line in lines}), threads)
                self.assertEqual({line["reason"] for line in lines}, {"forced"})

    @unittest.skipIf(RUNTIME, MEASURES_MEMORY)
    def test_communicators_in_a_loop(self):
        """Two hundred of them, routed: no growth beyond noise, and each is a communicator of its own in the log."""
        result, lines = self.check(FEW_RANKS, client("c_comms"), 200)
        self.assertLess(int(re.search(r"rss_growth_kb=(-?\d+)", result.stdout).group(1)), 1500, result.stdout)
        self.assertGreaterEqual(len({line["comm"] for line in lines}), 200)

    def test_communicators_with_shared_memory_in_a_loop(self):
        _, lines = self.check(FEW_RANKS, client("c_comms"), 100, force=SHARED)
        self.assertGreaterEqual(sum(line["algorithm"] == "shared" for line in lines), 100)

    def without_a_log(self, np, program, *arguments, **options):
        """Ends well, the same as plain. Returns the numbers of calls: that the program made, that we saw, and routed."""
        plain = self.plain_once(np, program, *arguments)
        result = self.launch(np, program, *arguments, log="off", **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        found = re.fullmatch(r"switchyard: (\d+) calls seen, (\d+) routed, log off", result.closing_line)
        self.assertIsNotNone(found, result.everything())
        return result.calls_made, int(found[1]), int(found[2])

    def test_calls_that_nobody_looks_at(self):
        """The entry forwards them at once, and counts them. Communicators come and go, some with the handle of an earlier
        one, and allgather is routed on the larger ones alone."""
        loops = 60
        for np in (1, 2, FEW_RANKS):
            with self.subTest(ranks=np):
                made, seen, routed = self.without_a_log(np, client("c_comms"), loops)
                self.assertEqual((seen, routed), (made, 0))
        policy = self.write("larger.policy.json", {"version": 1, "rules": [
            {"name": "larger", "when": {"collective": "allgather", "ranks": {"min": 3}}, "use": {"algorithm": "ring"}}],
            "otherwise": {"algorithm": "native"}})
        made, seen, routed = self.without_a_log(FEW_RANKS, client("c_comms"), loops, policy=policy)
        # Every second one is a duplicate of the world; of the others every third has all ranks.
        larger = sum(loop % 2 == 0 or loop % 3 == 0 for loop in range(loops))
        self.assertEqual((seen, routed), (made, larger))

    def test_threads_that_nobody_looks_at(self):
        made, seen, routed = self.without_a_log(2, client("c_threads"), 4, 40)
        self.assertEqual((seen, routed), (made, 0))

    def test_communicator_ids_do_not_leak(self):
        """MPICH has about two thousand ids: three thousand loops end early if one in two leaks."""
        self.check(2, client("c_comms"), 3000, 500, timeout=150)

    def test_nobody_waits_in_comm_free(self):
        """Whatever a communicator of ours has: messages, memory of a node."""
        for mode in ("free_beside_receive", "free_then_send"):
            for equipment in EQUIPMENT:
                with self.subTest(mode=mode, **equipment):
                    self.check(2, client("c_legal"), mode, **equipment)

    def test_nobody_waits_where_nothing_is_gathered(self):
        result, lines = self.check(3, client("c_legal"), "gather_nothing", 20, force=SHARED)
        self.assertEqual({line["algorithm"] for line in lines if line["collective"] == "allgatherv"}, {"shared"})

    def test_graphs_after_nonblocking_collectives(self):
        """Open MPI's MPI_Dist_graph_create hangs after 24 nonblocking collectives on its communicator (4.1), or 18 (5.0). It must
        not hang after three less, because the start of the shim took three."""
        for number in (15, 21):
            with self.subTest(nonblocking=number):
                self.check(FEW_RANKS, client("c_graph"), number)

    def test_calls_in_callbacks(self):
        """An attribute's delete function may call on the communicator that goes. The next one may have its handle."""
        for mode in ("free", "disconnect", "nested", "refused", "dup", "type", "window", "file", "handler"):
            for equipment in EQUIPMENT:
                with self.subTest(mode=mode, **equipment):
                    self.check(FEW_RANKS, client("c_callbacks"), mode, 6, **equipment)

    def test_calls_in_callbacks_at_the_end(self):
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                result = self.launch(FEW_RANKS, client("c_callbacks"), "finalize", **equipment)
                self.assert_ended_well(result)
                self.assert_quiet(result)

    @unittest.skipIf(OPENMPI, "a communicator of Open MPI has a handler of its own from the start")
    def test_handlers_are_not_touched(self):
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                self.check(2, client("c_legal"), "follow_handler", **equipment)

    def test_communicators_that_live_together(self):
        """As many as MPICH has ids for, and a few: ours take none of them."""
        for force in (FORCE, SHARED):
            with self.subTest(force=force):
                _, lines = self.check(2, client("c_legal"), "live_together", 1500, force=force, timeout=150)
                self.assertEqual(len(lines), 5 * 1500)

    def test_communicators_on_several_nodes_hold_no_shared_memory(self):
        """They cannot use it, so it is there for the communicator that can."""
        _, lines = self.check(3, client("c_legal"), "part_after_many", 70, force=SHARED,
                              settings={"SWITCHYARD_RANKS_PER_NODE": "2"})
        self.assertEqual({line["algorithm"] for line in lines if line["ranks"] == 3}, {"native"})
        self.assertEqual({line["algorithm"] for line in lines if line["ranks"] == 2}, {"shared"})

    def test_communicators_that_overlap(self):
        _, lines = self.check(FEW_RANKS + 1, client("c_legal"), "overlap", 12)
        self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_an_init_that_nobody_sees(self):
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                plain = self.plain_once(3, client("c_own_init"))
                result = self.launch(3, client("c_own_init"), **equipment)
                self.assert_ended_well(result)
                self.assertEqual(result.digest, plain.digest)

    def test_intercommunicators(self):
        for np in (2, 3):
            with self.subTest(ranks=np):
                _, lines = self.check(np, client("c_intercomm"))
                self.assertEqual({line["algorithm"] for line in lines}, {"native"})
                self.assertTrue(all("intercommunicator" in line["reason"] for line in lines), lines[0])

    def test_intercommunicators_of_threads(self):
        """Their first calls come at the same time and in another order on each rank: none is taken for the other."""
        for np in (2, 3):
            with self.subTest(ranks=np):
                _, lines = self.check(np, client("c_inter_threads"))
                self.assertEqual({line["algorithm"] for line in lines}, {"native"})
                self.assertEqual([line for line in lines if "ranks_seen" in line], [])

    def test_forks_and_children(self):
        self.check(2, client("c_fork"))

    def test_forks_and_children_under_raw_preload(self):
        """LD_PRELOAD reaches the ranks' children, too; LD_BIND_NOW makes each of them resolve everything at once."""
        result = self.launch(2, client("c_fork"), preload=[SHIM], force=FORCE, exported={"LD_BIND_NOW": "1"})
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assert_logged(result)

    def test_installed_where_ld_preload_cannot_point(self):
        """The loader splits LD_PRELOAD at spaces and colons. A second run takes the link of the first one."""
        place = self.path("my tools: new")
        for folder in ("bin", "lib", "share"):
            os.makedirs(os.path.join(place, folder))
        shutil.copy2(SWITCHYARD, os.path.join(place, "bin"))
        shutil.copytree(os.path.join(OUTPUT, "share", "switchyard"), os.path.join(place, "share", "switchyard"))
        for library in glob.glob(os.path.join(os.path.dirname(SHIM), "libswitchyard*.so")):
            shutil.copy2(library, os.path.join(place, "lib"))
        os.mkdir(self.path("links"))
        for log in ("first", "second"):
            command = launcher(2, {"TMPDIR": self.path("links")}) + [
                os.path.join(place, "bin", "switchyard"), "run", "--log", self.path(log), "--force", FORCE, "--",
                client("c_basic")]
            result = Result(*finish(command, clean_environment(), self.folder, 60), self.path(log))
            self.assert_ended_well(result)
            self.assert_quiet(result)
            self.assertEqual({line["reason"] for line in self.assert_logged(result)}, {"forced"})
        (of_user,) = os.listdir(self.path("links"))
        self.assertEqual(len(os.listdir(os.path.join(self.path("links"), of_user))), 1)

    def test_a_program_with_a_long_name(self):
        name = "x" * 240
        shutil.copy2(client("c_basic"), self.path(name))
        result = self.launch(2, self.path(name), force=FORCE)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assert_logged(result)
        self.assertEqual(result.run_json()["program"], name)

    def test_programs_without_mpi(self):
        environment = dict(clean_environment(), LD_PRELOAD=":".join(filter(None, (RUNTIME, SHIM))), LD_BIND_NOW="1")
        for command, code in ((["/bin/true"], 0), (["/bin/bash", "-c", "echo hello; exit 3"], 3),
                              ([PYTHON, "-c", "import os, sys; os.fork() or os._exit(0); sys.exit(4)"], 4)):
            with self.subTest(command=command[0]):
                done = subprocess.run(command, env=environment, capture_output=True, cwd=self.folder, timeout=20)
                self.assertEqual((done.returncode, done.stderr), (code, b""))
        self.assertEqual(os.listdir(self.folder), [])

    def test_library_internal_calls_are_not_ours(self):
        """ROMIO gathers and exchanges inside MPI_File_write_all: none of it is the application's. (An Open MPI without
        ROMIO has another library for files, which does the like.)"""
        romio = romio_of_openmpi() if OPENMPI else None
        exported = {"OMPI_MCA_io": romio} if romio else {}
        result = self.launch(2, client("c_io"), self.path("data"), force=FORCE, exported=exported)
        self.assert_ended_well(result)
        self.assertEqual(result.calls(), [])
        self.assert_closing(result, 0)

    def test_plugin_in_a_local_scope(self):
        self.check(2, client("c_plugin_loader"), client("c_plugin.so"))

    def test_a_layer_at_the_addresses_of_a_closed_library(self):
        """The MPI's Fortran layer may come late, and to where another library was. The last name is the standard's."""
        for name in ("libmpi_mpifh.so.99" if OPENMPI else "libmpifort.so.99", "libmpifort_abi.so.1"):
            with self.subTest(layer=name):
                shutil.copy(client("c_layer.so"), self.path(name))
                result = self.launch(2, client("c_layers"), client("c_layer.so"), self.path(name), force=FORCE)
                self.assert_ended_well(result)
                if "same_addresses=1" not in result.stdout:
                    self.skipTest("the second library was loaded elsewhere")
                self.assertEqual([line["binding"] for line in result.calls()], ["fortran"])

    @unittest.skipUnless(client_exists("f_mpifh"), f"no Fortran compiler, or {MPI} has no Fortran layer")
    @unittest.skipIf(RUNTIME, "a sanitizer's processes are counted, too")
    def test_few_looks_at_the_mappings(self):
        """MPICH's Fortran layer has 83 references that are replaced. Two looks at the mappings for each took 30 ms of a start."""
        result = self.launch(2, client("f_mpifh"), preload=[SHIM, client("c_count_maps.so")])
        self.assert_ended_well(result)
        self.assert_logged(result)
        looks = [int(times) for times in re.findall(r"mappings opened (\d+) times", result.stderr)]
        self.assertEqual(len(looks), 2, result.everything())
        self.assertLessEqual(max(looks), 4, result.everything())

    def check_sessions(self, *mode):
        plain = self.plain_once(2, client("c_sessions"), *mode)
        result = self.launch(2, client("c_sessions"), *mode, force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        self.assertEqual(result.digest, plain.digest)
        return result

    @unittest.skipUnless(client_exists("c_sessions"), f"{MPI} has no sessions")
    def test_sessions_only(self):
        """Without MPI_Init there is no moment at which all ranks could merge their records: the report does it. Two
        threads may make the first calls at the same time."""
        for mode in ((), ("threads",), ("threads",), ("threads",)):
            with self.subTest(mode=mode):
                result = self.check_sessions(*mode)
                report = self.command("report", result.log())
                self.assertEqual(report.code, 0, report.everything())
                self.assertRegex(report.stdout, rf"\b{result.calls_made} calls")

    @unittest.skipUnless(client_exists("c_sessions"), f"{MPI} has no sessions")
    def test_sessions_and_then_init(self):
        result = self.check_sessions("then_init")
        calls = 0
        for log in result.logs:
            report = self.command("report", log)
            self.assertEqual(report.code, 0, report.everything())
            calls += int(re.search(r"\b(\d+) calls", report.stdout).group(1))
        self.assertEqual(calls, result.calls_made)

    def test_errors_are_the_library_s(self):
        """Bad arguments: class, handler calls and everything after them as without the shim. How many of the failed
        calls the log counts is left open; all the right ones are there."""
        if "no error at all" in self.plain(2, client("c_errors")).everything():
            self.skipTest(f"this {MPI} does not check arguments")  # MPICH 5.0.2 as Debian builds it
        for force in (None, FORCE):
            with self.subTest(force=force):
                result = self.launch(2, client("c_errors"), force=force)
                self.assert_ended_well(result)
                self.assertEqual(result.warnings, [], result.everything())
                self.assertGreaterEqual(len(result.calls()), result.calls_made)

    def test_buffers_nowhere(self):
        """Null pointers and MPI_IN_PLACE on the wrong side: MPI's own error, where the MPI has one."""
        cases = ("0", "11", "14") if OPENMPI else [str(case) for case in range(15)]
        plain = self.plain(2, client("c_nowhere"), "errors", *cases)
        if plain.code != 0:
            self.skipTest(f"this {MPI} does not check arguments")
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                result = self.launch(2, client("c_nowhere"), "errors", *cases, **equipment)
                self.assert_ended_well(result)
                self.assertEqual(re.findall("case .*", result.stdout), re.findall("case .*", plain.stdout))
                self.assertEqual(len(re.findall("case .*", result.stdout)), len(cases))

    def test_legal_null_buffers(self):
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                self.check(FEW_RANKS, client("c_nowhere"), "legal", **equipment)

    def test_loader_locked(self):
        """Another thread sits in a library's constructor, and waits for MPI calls of this one."""
        self.check(2, client("c_loader_lock"), client("c_waiting.so"))

    def test_timer(self):
        """A profiler's signals interrupt the system at every work that takes long: nothing is lost by that."""
        for force in (FORCE, SHARED):
            with self.subTest(force=force):
                _, lines = self.check(FEW_RANKS, client("c_comms"), 20, force=force, preload=[SHIM, client("c_timer.so")])
                if force == SHARED:
                    self.assertIn("shared", {line["algorithm"] for line in lines})
                    self.assertEqual({line["reason"] for line in lines if line["ranks"] > 1}, {"forced"})

    def test_still_clock(self):
        """A tool holds the clocks: the log has no times, and nothing waits for them."""
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                self.check(2, client("c_basic"), preload=[SHIM, client("c_still_clock.so")], **equipment)

    def short_of_memory(self, when, force):
        return self.launch(3, client("c_legal"), "overlap", preload=[SHIM, client("c_no_memory.so")], force=force,
                           exported=when, timeout=20)

    @unittest.skipIf(RUNTIME, HAS_OWN_NEW)
    def test_no_memory_at_the_start(self):
        """Whichever allocation of one rank fails: all ranks go without us, or all do as if nothing had been. Nobody
        waits for that rank, and it decides nothing alone."""
        without = 0
        for number in (1, 2, 5, 13, 21, 34, 55, 89, 144, 233, 377):
            with self.subTest(allocation=number):
                result = self.short_of_memory({"NO_MEMORY_AT": str(number)}, FORCE)
                self.assert_ended_well(result)
                if "the start had memory" in result.stdout:
                    break
                if any(os.path.exists(os.path.join(log, "calls.jsonl")) for log in result.logs):
                    self.assertEqual({line["reason"] for line in result.calls()}, {"forced"})
                else:
                    without += 1
                self.assertLessEqual(len(result.warnings), 1, result.everything())
        self.assertGreater(without, 4)

    @unittest.skipIf(RUNTIME, HAS_OWN_NEW)
    def test_no_memory_later(self):
        """At the first call on a communicator, in a call, at the end: the program gets the results of the plain run."""
        digest = self.plain_once(3, client("c_legal"), "overlap").digest
        for number in (1, 4, 12, 33, 77, 141):
            for force in (FORCE, SHARED):
                with self.subTest(allocation=number, force=force):
                    result = self.short_of_memory({"NO_MEMORY_LATER": str(number)}, force)
                    self.assert_ended_well(result)
                    self.assertEqual(result.digest, digest)

    @unittest.skipIf(RUNTIME, "a sanitizer has an allocator of its own")
    def test_an_allocator_without_aligned_alloc(self):
        """It ends the program where it is given back memory that another allocator gave."""
        old = client("old_allocator.so")
        bare = self.plain(2, client("c_basic"), exported={"LD_PRELOAD": old})
        self.assert_ended_well(bare)
        self.assertEqual(bare.stderr, "", "it is preloaded, and nobody complains of that")
        for force in (FORCE, SHARED):
            for way in ({"preload": [SHIM, old]}, {"preload": [old, SHIM]}, {"exported": {"LD_PRELOAD": old}}):
                with self.subTest(force=force, **way):
                    _, lines = self.check(2, client("c_basic"), force=force, **way)
                    self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_finalize_in_an_exit_handler(self):
        """It runs after static objects are gone, if those were made after it was registered. (The launcher of MPICH 4.2
        kills such a job now and then, without switchyard, too.)"""
        words = (3, client("c_odd_ends"), "exit_handler")
        plain = self.until_not_killed(lambda: self.plain(*words))
        result = self.until_not_killed(lambda: self.launch(*words, force=FORCE))
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assert_logged(result)
        self.assertEqual(result.digest, plain.digest)

    @staticmethod
    def until_not_killed(run):
        for _ in range(8):
            result = run()
            if OPENMPI or result.code != 9:
                break
        return result

    @unittest.skipUnless(OPENMPI, "Debian's MPICH cannot spawn here, with or without us")
    def test_communicators_with_strangers(self):
        """Spawned processes have no shim in front of them: waiting for their answer would be for ever."""
        result = self.launch(2, client("c_odd_ends"), "spawn", force=FORCE, timeout=40)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        reasons = sorted(line["reason"] for line in result.calls())
        self.assertEqual(reasons, ["forced", "intercommunicator"] + ["ranks of another job"] * 3)

    @unittest.skipUnless(OPENMPI, "Debian's MPICH cannot spawn here, with or without us")
    def test_communicators_with_strangers_and_threads(self):
        """Nobody could tell apart two of them that threads use at the same time: their calls are forwarded, without a line."""
        result = self.launch(2, client("c_odd_ends"), "spawn_threads", force=FORCE, timeout=40)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual([line["reason"] for line in result.calls()], ["forced"])

    def test_types_of_fortran_and_of_large_counts(self):
        _, lines = self.check(3, client("c_odd_ends"), "types")
        self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_a_cpp_program_has_its_own_runtime(self):
        """The shim has a libstdc++ linked in: it neither lends it to the program nor takes the program's."""
        result, lines = self.check(2, client("cpp_runtime"))
        self.assertEqual({line["reason"] for line in lines}, {"forced"})
        self.assertIn("at last: the handler throws\n", result.stdout)

    def test_wrong_counts(self):
        """The rank that expects too little hears of it; the others are not left waiting, and nothing is overrun. (Not
        compared with the plain run: Open MPI's own call does worse than that.)"""
        for algorithm in ("spread_out", "pairwise", "scattered:block_count=1", "tuna:radix=2",
                          "tuna:radix=2:metadata=separate", "tuna:radix=3"):
            for mode in ("truncate", "truncate_own"):
                with self.subTest(algorithm=algorithm, mode=mode):
                    result = self.launch(4, client("c_odd_ends"), mode, force=f"alltoallv:{algorithm}", timeout=40)
                    self.assert_ended_well(result)
                    self.assertEqual({line["reason"] for line in self.assert_logged(result)}, {"forced"})

    def test_blocks_longer_than_their_places(self):
        """Of one length by the arguments, so the algorithms do not look at each. Nothing is overrun, and nobody waits."""
        listed = json.loads(self.command("algorithms", "--json").stdout)
        for algorithm in (a for a in listed if a["collective"] not in ("alltoallv", "alltoallw") and a["name"] != "native" and
                          a["among"] == "ranks"):
            collective, name = algorithm["collective"], algorithm["name"]
            two_nodes = {} if name == "shared" else {"SWITCHYARD_RANKS_PER_NODE": "2"}
            with self.subTest(collective=collective, algorithm=name):
                result = self.launch(4, client("c_odd_ends"), f"longer_{collective}", force=f"{collective}:{name}",
                                     settings=two_nodes, timeout=40)
                self.assert_ended_well(result)
                self.assertEqual({line["reason"] for line in self.assert_logged(result)}, {"forced"})

    def test_neighbours_that_expect_another_size(self):
        """More than their neighbour sends: as with MPI, no error. Less: an error. Nobody waits, and later calls are in order."""
        for algorithm, placement in (("direct", "1"), ("aggregated", "1"), ("aggregated", "2"), ("shared", None)):
            with self.subTest(algorithm=algorithm, placement=placement):
                result = self.launch(4, client("c_odd_ends"), "unequal_neighbors", force=f"neighbor_alltoallv:{algorithm}",
                                     settings={"SWITCHYARD_RANKS_PER_NODE": placement} if placement else {}, timeout=40)
                self.assert_ended_well(result)
                self.assertEqual([(line["algorithm"], line["reason"]) for line in self.assert_logged(result)],
                                 [(algorithm, "forced")] * 5)

    @unittest.skipIf(RUNTIME, MEASURES_MEMORY)
    def test_merge_in_little_memory(self):
        """A million calls of one rank are merged in less than 64 MiB, and none is lost."""
        result = self.launch(2, client("c_odd_ends"), "many", 1_000_000, timeout=100)
        self.assert_ended_well(result)
        with open(os.path.join(result.log(), "calls.jsonl"), encoding="utf-8") as file:
            self.assertEqual(sum(1 for _ in file), 1_000_000)
        self.assertLess(int(re.search(r"finalize_kb=(\d+)", result.stdout).group(1)), 64 << 10, result.stdout)

    @unittest.skipUnless(client_exists("fftw_transform"), "no FFTW for this MPI")
    def test_fftw(self):
        plain = self.plain(4, client("fftw_transform"), 5)
        result = self.launch(4, client("fftw_transform"), 5, force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        lines = result.calls()
        self.assertEqual(len(lines), 10)
        self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_off_is_off(self):
        result = self.launch(2, client("c_basic"), settings={"SWITCHYARD": "off"}, force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.lines_of_ours, [], result.everything())
        self.assertEqual(result.logs, [])
        self.assertFalse(os.path.exists(self.path("switchyard-logs")))

    def test_log_off(self):
        result = self.launch(2, client("c_basic"), log="off", force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [])
        self.assertFalse(os.path.exists(self.path("off")))
        self.assertFalse(os.path.exists(self.path("switchyard-logs")))


class OtherTools(PreloadTest):
    def tool_calls(self, result):
        found = re.search(r"pmpi_tool: calls=(\d+)", result.stderr)
        self.assertIsNotNone(found, result.everything())
        return int(found.group(1))

    def test_tool_above_takes_the_calls(self):
        """A classic tool before us calls PMPI_: nothing reaches us, which must be said, once."""
        result = self.launch(2, client("c_basic"), preload=[client("c_pmpi_tool.so"), SHIM], force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(self.tool_calls(result), result.calls_made)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertRegex(result.warnings[0], r"c_pmpi_tool\.so comes before switchyard .* Put switchyard first$")
        self.assert_closing(result, 0)

    def test_tool_above_that_passes_calls_to_us(self):
        """What it passes on as MPI_ comes to us."""
        result = self.launch(2, client("c_linked_tool"), preload=[client("c_tool_next.so"), SHIM], force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assert_logged(result)
        self.assertNotIn("nothing is routed", result.stderr)

    def test_tool_linked_into_the_program(self):
        result = self.launch(2, client("c_linked_tool"), force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertRegex(result.warnings[0], "a tool is linked into the program .* neither routed nor logged$")
        self.assertNotIn("first", result.warnings[0])
        self.assertEqual({line["reason"] for line in self.assert_logged(result)}, {"forced"})

    def test_tool_below_still_sees_native_calls(self):
        result = self.launch(2, client("c_basic"), preload=[SHIM, client("c_pmpi_tool.so")])
        self.assert_ended_well(result)
        self.assert_logged(result)
        self.assertEqual(self.tool_calls(result), result.calls_made)

    def test_tool_below_with_routed_calls(self):
        plain = self.plain(2, client("c_basic"))
        result = self.launch(2, client("c_basic"), preload=[SHIM, client("c_pmpi_tool.so")], force=FORCE)
        self.assert_ended_well(result)
        self.assert_logged(result)
        self.assertEqual(result.digest, plain.digest)

    @unittest.skipUnless(client_exists("c_static"), "no static library of this MPI")
    def test_static_program(self):
        plain = self.plain(2, client("c_static"))
        result = self.launch(2, client("c_static"))
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        self.assertEqual(len(result.lines_of_ours), 1, result.everything())


if __name__ == "__main__":
    unittest.main()
