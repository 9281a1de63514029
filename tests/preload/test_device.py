"""Device buffers, without a GPU: the stand-in driver's memory cannot be touched by the host, and the client program
checks every byte that arrives, that there are no more copies than pieces of memory, and that the current context is
left as it was. What is asserted here is what took the calls, how their buffers travelled and what the log says."""

import json
import os
import re
import unittest

from harness import CLIENTS, OPENMPI, SHIM, PreloadTest, client

# On a machine with a GPU tests/device/run says `real`: then what the stand-in alone can tell or do is left out.
REAL = os.environ.get("SWITCHYARD_TEST_DRIVER") == "real"
STAND_IN = os.path.join(CLIENTS, "stand_in")
needs_stand_in = unittest.skipIf(REAL, "a real driver does not count, and no MPI here reaches its memory")
AWARE, LIAR, FILES = (client(name + ".so") for name in ("c_gpu_aware", "c_gpu_liar", "c_gpu_files"))
NP = 4 if OPENMPI else 2
COLLECTIVES = ("alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw")
CALLS_OF_A_WORD = 16


def is_plain(number, collective):
    """Whether the call of that number among its word's is of a dense type and not in place."""
    dense, in_place = number < 8, number % 8 >= 6
    return dense and (not in_place or collective.startswith("allgather"))


class DeviceTest(PreloadTest):
    def rules(self, *rules, otherwise="native"):
        """Rules as (when, use), named by their place: rule 1, rule 2, ..."""
        listed = [{"name": f"rule {i}", "when": when, "use": use} for i, (when, use) in enumerate(rules, 1)]
        return self.write("policy.json", {"version": 1, "rules": listed, "otherwise": {"algorithm": otherwise}})

    def run_device(self, *words, below=(), np=NP, exported=None, warnings=0, settings=None, **options):
        """`below`: objects preloaded below the shim."""
        inside = {} if REAL else {"LD_LIBRARY_PATH": STAND_IN}
        inside.update(exported or {})
        options["preload"] = [SHIM, *below]
        result = self.launch(np, client("c_device"), *words, exported=inside, settings=settings or {}, **options)
        self.assert_ended_well(result)
        self.assertEqual(len(result.warnings), warnings, result.everything())
        return result

    def lines(self, *words, **options):
        return self.assert_logged(self.run_device(*words, **options))

    def counts(self, result):
        return [{name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line)}
                for line in re.findall(r"(?m)^counts: (.*)$", result.stdout)]

    def registry(self):
        """Of the collectives that c_device calls."""
        return [a for a in json.loads(self.command("algorithms", "--json").stdout) if a["among"] == "ranks"]


class EveryAlgorithm(DeviceTest):
    """One run for all of them: each has a block size of its own, which its rule is for."""

    def cases(self, transfer):
        """The rules, the words for them, and (collective, algorithm) by block."""
        rules, words, wanted = [], [], {}
        for number, algorithm in enumerate(self.registry(), 1):
            if transfer == "direct" and "direct" not in algorithm["transfers"]:
                continue
            collective, name, block = algorithm["collective"], algorithm["name"], 20 * number
            use = {"algorithm": name} | ({"transfer": transfer} if transfer else {})
            rules.append(({"collective": collective, "max_block_bytes": {"min": block, "max": block}}, use))
            words.append(f"{collective}:{block}")
            wanted[block] = (collective, name)
        return rules, words, wanted

    def check(self, transfer, travels, **options):
        rules, words, wanted = self.cases(transfer)
        lines = self.lines(*words, policy=self.rules(*rules), **options)
        self.assertEqual(len(lines), CALLS_OF_A_WORD * len(words))
        for i, line in enumerate(lines):
            collective, name = wanted[line["max_block_bytes"]]
            self.assertEqual((line["collective"], line["algorithm"]), (collective, name), line)
            self.assertEqual((line["buffer"], line["transfer"]),
                             ("device", travels(collective, name, i % CALLS_OF_A_WORD)), line)
            self.assertEqual({"copy_in", "copy_out"} <= line["phases_us"].keys(), line["transfer"] == "staged", line)

    def test_staged(self):
        for lazy in ("0", "1"):
            with self.subTest(lazy=lazy):
                self.check("staged", lambda *call: "staged", exported={"STAND_IN_CUDA_LAZY": lazy})

    @needs_stand_in
    def test_by_default(self):
        """An MPI that takes no device buffers; of its own calls those on memory that the host can touch are as they
        were."""
        self.check(None, lambda _, name, number: "direct" if name == "native" and number % 8 == 4 else "staged")

    @needs_stand_in
    def test_by_default_with_an_mpi_that_takes_them(self):
        self.check(None, lambda _, name, number: "direct" if name == "native" else "staged", below=[AWARE])

    @needs_stand_in
    def test_direct(self):
        """A rank with bytes to pack stages them itself, as its own affair."""
        def travels(collective, name, number):
            return "direct" if name == "native" or is_plain(number, collective) else "staged"

        for lazy in ("0", "1"):
            with self.subTest(lazy=lazy):
                self.check("direct", travels, below=[AWARE], exported={"STAND_IN_CUDA_LAZY": lazy})

    def test_direct_with_the_mpi_that_is_here(self):
        """Which takes them or does not: all data arrives, and what it does not take is passed over."""
        rules, words, wanted = self.cases("direct")
        for line in self.lines(*words, policy=self.rules(*rules)):
            if line["algorithm"] != wanted[line["max_block_bytes"]][1]:
                self.assertRegex(line["reason"], "passed over: the MPI is not GPU-aware on every rank")

    @needs_stand_in
    def test_memory_that_cannot_be_pinned(self):
        self.check("staged", lambda *call: "staged", exported={"STAND_IN_CUDA_NO_PIN": "1"})


def goes_from_gpu_to_gpu(number, collective):
    """Whether the call of that number among its word's has dense blocks, and each rank some buffer on a device. In place,
    arriving blocks would overwrite what a rank has still to send; the one block for everybody stays where it is."""
    return number < 5 or (number == 6 and collective.startswith("allgather"))


class FromGpuToGpu(DeviceTest):
    """`transfer` ipc: the ranks copy from memory of ours on the other ranks' GPUs."""

    ANY_NUMBER_OF_COPIES = "chunk:1"
    EXPORTED = {}

    def policy(self):
        """What is passed over is staged: Open MPI that takes device buffers copies each item of a datatype with gaps by itself
        (open-mpi/ompi#8720)."""
        return self.rules(({}, {"algorithm": "shared", "transfer": "ipc"}),
                          ({}, {"algorithm": "native", "transfer": "staged"}))

    def ipc_lines(self, *words, **options):
        options["exported"] = self.EXPORTED | options.get("exported", {})
        return self.lines(self.ANY_NUMBER_OF_COPIES, *words, policy=self.policy(), **options)

    def test_every_collective(self):
        for lazy, below in (("0", []), ("1", []), ("0", [AWARE])):
            if REAL and below:
                continue
            lines = self.ipc_lines(*(f"{collective}:4000" for collective in COLLECTIVES), below=below,
                                   exported={"STAND_IN_CUDA_LAZY": lazy})
            self.assertEqual(len(lines), CALLS_OF_A_WORD * len(COLLECTIVES))
            for i, line in enumerate(lines):
                collective, number = line["collective"], i % CALLS_OF_A_WORD
                if (collective, number) == ("allgatherv", 2) and OPENMPI:
                    self.assertEqual(line["algorithm"], "native") # one rank has nothing to send, and receives on the host
                elif goes_from_gpu_to_gpu(number, collective):
                    self.assertEqual((line["algorithm"], line["buffer"], line["transfer"]), ("shared", "device", "ipc"), i)
                    self.assertNotIn("copy_in", line["phases_us"])
                else:
                    self.assertEqual(line["reason"], "rule 1 passed over: some rank's blocks cannot be copied from GPU to GPU")

    def test_blocks_that_grow(self):
        """A rank makes a new piece, which the others map instead of the old one."""
        sizes = (0, 4, 40000, 4000000, 40, 8000000)
        words = [word for size in sizes for word in (f"device:alltoallv:{size}", f"touching:alltoall:{size}")]
        result = self.run_device(self.ANY_NUMBER_OF_COPIES, *words, "counts", policy=self.policy(), exported=self.EXPORTED)
        self.assertEqual({line["transfer"] for line in self.assert_logged(result)[2:]}, {"ipc"})
        if not REAL:
            (counts,) = self.counts(result)
            self.assertEqual((counts["pinned"], counts["mapped"]), (0, NP - 1))

    def test_many_calls(self):
        """A rank writes to its piece only after the others have read what was there before."""
        lines = self.ipc_lines(*(100 * ["touching:alltoallv:40000", "device:allgatherv:4000"]))
        self.assertEqual({line["transfer"] for line in lines}, {"ipc"})

    @needs_stand_in
    def test_a_driver_that_maps_nothing(self):
        first, second = self.ipc_lines("device:alltoallv:400", "device:alltoallv:400",
                                       exported={"STAND_IN_CUDA_NO_IPC": "1"})
        self.assertEqual((first["algorithm"], first["transfer"]), ("shared", "staged"))
        self.assertEqual(second["reason"], "rule 1 passed over: some rank's blocks cannot be copied from GPU to GPU")

    def test_memory_of_a_pool_and_of_a_second_context(self):
        words = [f"{kind}:{collective}:4000" for kind in ("pooled", "foreign") for collective in COLLECTIVES]
        words += ["queued:alltoallv:4000", "elsewhere:alltoallv:4000", "elsewhere:alltoall:400"]
        for line in self.ipc_lines(*words):
            self.assertEqual((line["algorithm"], line["transfer"]), ("shared", "ipc"))

    def test_the_program_resets_the_device(self):
        lines = self.ipc_lines("device:alltoallv:4000", "reset:alltoallv:40000", "touching:alltoall:4000000",
                               "destroyed:alltoallv:40", "device:alltoall:400")
        self.assertEqual({line["transfer"] for line in lines}, {"ipc"})


@needs_stand_in
class FromGpuToGpuWithHip(FromGpuToGpu):
    EXPORTED = {"DRIVER": "libamdhip64.so.6"}
    test_memory_of_a_pool_and_of_a_second_context = test_the_program_resets_the_device = None  # the client program has no such of HIP


@needs_stand_in
class Hip(EveryAlgorithm):
    """The same by AMD's library, in both of its dialects."""

    DIALECTS = ("5", "6")

    def check(self, transfer, travels, exported=None, **options):
        for major in self.DIALECTS:
            with self.subTest(major=major):
                hip = {"DRIVER": "libamdhip64.so.6", "STAND_IN_HIP_MAJOR": major}
                super().check(transfer, travels, exported=hip | (exported or {}), **options)


class Choice(DeviceTest):
    KINDS = (({"buffer": "device"}, {"algorithm": "pairwise"}), ({"buffer": "host"}, {"algorithm": "spread_out"}))

    def chosen(self, lines):
        return [(line["buffer"], line["algorithm"]) for line in lines]

    def test_rules_look_at_buffers(self):
        """One rank with a device buffer is enough, and all of them know."""
        for collective in ("alltoallv", "alltoall"):
            lines = self.lines("load", f"host:{collective}:64", f"{collective}:64", f"host:{collective}:64",
                               policy=self.rules(*self.KINDS))
            self.assertEqual(self.chosen(lines), [("host", "spread_out")] + CALLS_OF_A_WORD * [("device", "pairwise")] +
                             [("host", "spread_out")])

    @needs_stand_in
    def test_direct_needs_an_mpi_that_takes_it(self):
        policy = self.rules(({}, {"algorithm": "pairwise", "transfer": "direct"}),
                            ({"collective": "alltoallv"}, {"algorithm": "linear", "transfer": "staged"}))
        lines = self.lines("load", "host:alltoallv:64", "device:alltoallv:64", policy=policy)
        self.assertEqual(self.chosen(lines), [("host", "pairwise"), ("device", "linear")])
        self.assertEqual(lines[1]["reason"], 'rule 1 passed over: the MPI is not GPU-aware on every rank')

    @needs_stand_in
    def test_an_mpi_that_lies(self):
        policy = self.rules(({}, {"algorithm": "pairwise", "transfer": "direct"}), otherwise="linear")
        lines = self.lines("device:alltoallv:64", "device:alltoallv:64", policy=policy, below=[LIAR], warnings=1)
        for line in lines:
            self.assertEqual((line["algorithm"], line["transfer"]), ("linear", "staged"))
            self.assertIn("not GPU-aware", line["reason"])

    @needs_stand_in
    def test_an_mpi_that_lies_and_takes_the_calls_itself(self):
        lines = self.lines("device:alltoallv:64", "alltoall:64", policy=self.native_policy(), below=[LIAR], warnings=1)
        self.assertEqual({line["transfer"] for line in lines[:4]}, {"staged"})

    @needs_stand_in
    def test_what_the_user_knows_better(self):
        policy = self.rules(({}, {"algorithm": "pairwise", "transfer": "direct"}), otherwise="linear")
        for answer, below, transfer in (("no", [AWARE], "staged"), ("yes", [AWARE], "direct")):
            (line,) = self.lines("device:alltoallv:64", policy=policy, below=below,
                                 settings={"SWITCHYARD_GPU_AWARE": answer})
            self.assertEqual(line["transfer"], transfer)

    @needs_stand_in
    def test_what_the_user_is_wrong_about(self):
        policy = self.rules(({}, {"algorithm": "pairwise", "transfer": "direct"}), otherwise="linear")
        (line,) = self.lines("device:alltoallv:64", policy=policy, warnings=1,
                             settings={"SWITCHYARD_GPU_AWARE": "yes"})
        self.assertEqual((line["algorithm"], line["transfer"]), ("linear", "staged"))

    def test_memory_limit(self):
        """What is staged counts: two sides of at most four blocks, and where they begin in a page."""
        policy = self.rules(({}, {"algorithm": "pairwise", "memory_limit_bytes": 100000}), otherwise="spread_out")
        small, large, again = self.lines("device:alltoall:1000", "device:alltoall:40000", "device:alltoall:1000",
                                         policy=policy)
        self.assertEqual([line["algorithm"] for line in (small, large, again)], ["pairwise", "spread_out", "pairwise"])
        self.assertEqual(large["reason"],
                         'rule 1 passed over: its workspace is over memory_limit_bytes 100000')

    def test_off(self):
        lines = self.lines("load", "host:alltoallv:64", policy=self.rules(*self.KINDS),
                           settings={"SWITCHYARD_GPU": "off"})
        self.assertEqual(self.chosen(lines), [("host", "spread_out")])


class LateDriver(DeviceTest):
    """Programs load the driver when they first need it."""

    RULES = (({"buffer": "device"}, {"algorithm": "pairwise"}),
             ({"collective": "alltoallv", "max_block_bytes": {"max": 1000}}, {"algorithm": "spread_out"}))

    @needs_stand_in
    def test_nobody_is_asked_where_no_gpu_can_come(self):
        """The buffers are seen all the same, and staged."""
        host_call, *device_calls = self.lines("host:alltoallv:64", "alltoallv:64", policy=self.rules(*self.RULES))
        self.assertEqual((host_call["buffer"], host_call["algorithm"]), ("host", "spread_out"))
        for line in device_calls:
            self.assertEqual((line["buffer"], line["transfer"], line["algorithm"]), ("device", "staged", "spread_out"))

    def test_told_along_with_the_largest_block(self):
        lines = self.lines("host:alltoallv:64", "alltoallv:64", policy=self.rules(*self.RULES), below=[FILES])
        self.assertEqual([line["algorithm"] for line in lines], ["spread_out"] + CALLS_OF_A_WORD * ["pairwise"])

    def test_asked_from_time_to_time(self):
        """Calls 1, 2, 4 and 8 ask; the driver is there from the fourth on."""
        words = 3 * ["host:alltoall:64"] + 3 * ["device:alltoall:64"]
        lines = self.lines(*words, policy=self.rules(*self.RULES), below=[FILES])
        self.assertEqual([line["algorithm"] for line in lines], 3 * ["native"] + 3 * ["pairwise"])
        words = 4 * ["host:alltoall:64"] + 6 * ["device:alltoall:64"]
        lines = self.lines(*words, policy=self.rules(*self.RULES), below=[FILES])
        self.assertEqual([line["algorithm"] for line in lines], 7 * ["native"] + 3 * ["pairwise"])
        self.assertEqual([line["buffer"] for line in lines], 4 * ["host"] + 6 * ["device"])

    def test_always_asked(self):
        words = ["host:alltoall:64", "device:alltoall:64"]
        lines = self.lines(*words, policy=self.rules(*self.RULES), settings={"SWITCHYARD_GPU": "on"})
        self.assertEqual([line["algorithm"] for line in lines], ["native", "pairwise"])

    def test_native_without_a_log(self):
        result = self.run_device("host:alltoall:64", "alltoall:64", settings={"SWITCHYARD_LOG": "off"},
                                 policy=self.native_policy())
        self.assertRegex(result.closing_line, "17 calls seen, 0 routed")


class Memory(DeviceTest):
    @needs_stand_in
    def test_nothing_is_allocated_after_the_first_call_of_a_size(self):
        for force in ("alltoallv:tuna;alltoallw:tuna;alltoall:pairwise;allgather:ring;allgatherv:ring", None):
            with self.subTest(force=force):
                words = [f"{collective}:4000" for collective in COLLECTIVES]
                result = self.run_device(*words, "counts", *words, "counts", *words, "counts", force=force)
                first, *later = self.counts(result)
                self.assertGreater(first["pinned"], 0)
                for counts in later:
                    self.assertEqual((counts["pinned"], counts["unpinned"]), (0, 0), counts)
                    self.assertEqual(counts["streams"], first["streams"])
                    self.assertGreater(counts["copies"], 0)

    @needs_stand_in
    def test_blocks_that_touch_are_one_copy(self):
        for collective in COLLECTIVES:
            result = self.run_device("load", "counts", f"touching:{collective}:40000", "counts",
                                     force="alltoallv:pairwise;alltoallw:pairwise;alltoall:pairwise;allgather:ring;"
                                           "allgatherv:ring")
            self.assertEqual(self.counts(result)[1]["copies"], 2)

    @needs_stand_in
    def test_copied_back_while_the_rest_is_under_way(self):
        """In chunks, each with at least so many bytes; with one block to a chunk all of them are."""
        for algorithm in ("pairwise", "linear", "stride_waitany:stride=1", "stride_testany"):
            for lazy in ("0", "1"):
                force = f"alltoallv:{algorithm}:chunk_bytes=1000"
                result = self.run_device("load", "counts", "chunk:1000", "touching:alltoallv:1000", "counts",
                                         "alltoallv:2000", "alltoallv:400", force=force,
                                         exported={"STAND_IN_CUDA_LAZY": lazy})
                copies = self.counts(result)[1]["copies"]
                self.assertEqual(copies, 1 + NP if NP > 2 else 3, force)

    @needs_stand_in
    def test_an_algorithm_that_moves_bytes_copies_them_back_at_the_end(self):
        result = self.run_device("load", "counts", "touching:alltoallv:1000", "counts",
                                 force="alltoallv:tuna:chunk_bytes=1000")
        self.assertEqual(self.counts(result)[1]["copies"], 2)

    def test_work_queued_before_the_call(self):
        words = [f"{kind}:{call}" for kind in ("queued", "elsewhere") for call in ("alltoallv:4000", "alltoall:400")]
        self.run_device(*words, force="alltoallv:linear;alltoall:pairwise")
        self.run_device(*words, policy=self.native_policy())

    def test_memory_that_was_freed(self):
        """All ranks hear of it, where they agree at all."""
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 1000}}, {"algorithm": "linear"}))
        result = self.run_device("device:alltoallv:64", "freed:alltoallv:64", "device:alltoallv:64", policy=policy)
        self.assertIn(f"MPI_ERR_BUFFER on {NP} ranks", result.stdout)

    def test_streams_in_flight(self):
        self.run_device("flying:alltoallv:4000", "flying:alltoall:400", force="alltoallv:linear;alltoall:pairwise")
        self.run_device("flying:alltoallv:4000", "flying:alltoall:400", policy=self.native_policy())

    def test_memory_of_a_pool_and_of_a_second_context(self):
        words = [f"{kind}:{collective}:4000" for kind in ("pooled", "foreign") for collective in COLLECTIVES]
        for line in self.lines(*words, force="alltoallv:pairwise;alltoallw:pairwise;alltoall:pairwise;allgather:ring;"
                                             "allgatherv:ring"):
            self.assertEqual((line["buffer"], line["transfer"]), ("device", "staged"))

    def test_a_context_that_is_destroyed(self):
        words = [f"{kind}:alltoallv:4000" for kind in ("destroyed", "device", "destroyed", "device")]
        self.run_device(*words, force="alltoallv:pairwise")
        self.run_device(*words, policy=self.native_policy())

    def test_the_program_resets_the_device(self):
        """Staging then pins its memory again, and has a stream again."""
        for policy in (self.rules(({"collective": "alltoallv"}, {"algorithm": "linear"})), self.native_policy()):
            result = self.run_device("device:alltoallv:4000", "counts", "reset:alltoallv:4000", "counts", policy=policy)
            if not REAL:
                self.assertEqual([counts["pinned"] for counts in self.counts(result)], [1, 1])

    def test_summary(self):
        result = self.run_device("alltoallv:64", force="alltoallv:pairwise", settings={"SWITCHYARD_DETAIL": "summary"})
        staged = [line for line in result.calls("summary.jsonl") if line.get("transfer") == "staged"]
        self.assertNotEqual(staged, [])
        for line in staged:
            self.assertGreater(line["phases_us"]["copy_out"], 0)


if __name__ == "__main__":
    unittest.main()
