"""What a round of `stress` runs under: everything follows from the round's seed."""

import dataclasses
import functools
import json
import math
import random
import re
import subprocess
import tempfile

COLLECTIVES = ("alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw")
KINDS = ("default", "forced", "random", "native", "off")
# Of ten rounds. The seed's place in them decides, so that rounds of one run differ.
TURNS = ("forced", "random", "default", "forced", "random", "forced", "native", "random", "forced", "off")
SIZES = (0, 1, 16, 64, 100, 512, 4096, 8192, 16384, 65536, 1 << 20, 1 << 31)


@dataclasses.dataclass
class Round:
    seed: int
    kind: str
    ranks: int
    policy: dict | None = None
    settings: dict = dataclasses.field(default_factory=dict)
    program: dict = dataclasses.field(default_factory=dict)
    has_log: bool = True
    stops: bool = False
    busy: int = 0

    def __str__(self):
        words = [f"{self.ranks} ranks", self.kind]
        words += [f"{name.removeprefix('SWITCHYARD_').lower()}={value}" for name, value in self.settings.items()]
        words += [f"{name}={value}" for name, value in self.program.items()]
        words += ["no log"] * (not self.has_log) + ["stopped ranks"] * self.stops + [f"{self.busy} busy loops"] * (self.busy > 0)
        return ", ".join(words)


class Draw:
    """The random choices of one round. `switchyard`: the command, which knows the algorithms and checks policies."""

    def __init__(self, switchyard, seed):
        self.switchyard = switchyard
        self.random = random.Random(seed)
        self.algorithms = algorithms(switchyard)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def number(self, parameter, ranks):
        """A possible value, mostly a small one."""
        most = ranks if parameter["max"] == "ranks" else parameter["max"]
        if parameter["name"] in ("direct_from", "auxiliary_bytes"):
            values = [size for size in SIZES if parameter["min"] <= size <= most]
            return self.random.choice(values + parameter.get("words", []))
        return self.random.randint(parameter["min"], max(parameter["min"], min(most, ranks + 2)))

    def use(self, collective, ranks):
        """An algorithm with any of its parameters."""
        algorithm = self.random.choice([one for one in self.algorithms[collective] if one["name"] != "native"])
        use = {"algorithm": algorithm["name"]}
        for parameter in algorithm["parameters"]:
            if self.chance(60):
                choices = parameter.get("choices")
                use[parameter["name"]] = self.random.choice(choices) if choices else self.number(parameter, ranks)
        return use

    def force(self, ranks):
        def spec(collective):
            use = self.use(collective, ranks)
            values = [f"{name}={value}" for name, value in use.items() if name != "algorithm"]
            return ":".join([collective, use["algorithm"], *values])
        return ";".join(spec(collective) for collective in COLLECTIVES)

    def range_of(self, values):
        low, high = sorted(self.random.choices(values, k=2))
        return self.random.choice([{"min": low}, {"max": high}, {"min": low, "max": high}])

    def when(self, collective, ranks):
        when = {"collective": collective}
        if self.chance(30):
            when["ranks"] = self.range_of(range(1, ranks + 1))
        if self.chance(20):
            when["nodes"] = self.range_of(range(1, 4))
        if self.chance(15):
            when["ranks_per_node"] = self.range_of(range(1, ranks + 1))
        if self.chance(50):
            when["max_block_bytes"] = self.range_of(SIZES[:-1])
        if self.chance(15):
            when["total_bytes"] = self.range_of(SIZES[:-1])
        if self.chance(15):
            when["skew"] = self.range_of(range(1, ranks + 1))
        if self.chance(15):
            when["in_place"] = self.chance(50)
        if self.chance(10):
            when["buffer"] = "host"
        return when

    def policy(self, ranks):
        """A policy that `switchyard check` accepts: rules that it complains of go."""
        rules = []
        for _ in range(self.random.randint(2, 10)):
            collective = self.random.choice(COLLECTIVES)
            use = self.use(collective, ranks)
            if self.chance(20):
                use["memory_limit_bytes"] = self.random.choice([1000, 100_000, 10_000_000])
            if self.chance(15):
                use["barrier_before"] = self.chance(80)
            if self.chance(15) and use["algorithm"] != "native":
                use["in_flight_limit"] = self.random.choice([1, 2, 3, 1000])
            rules.append({"when": self.when(collective, ranks), "use": use})
        return acceptable(self.switchyard, {"version": 1, "rules": rules, "otherwise": {"algorithm": "native"}})

    def settings(self, ranks):
        settings = {}
        if self.chance(60):
            settings["SWITCHYARD_RANKS_PER_NODE"] = self.placement(ranks)
        if self.chance(25):
            settings["SWITCHYARD_RANKS_PER_REGION"] = self.placement(ranks)
        if self.chance(40):
            settings["SWITCHYARD_SHARED_BYTES"] = str(self.random.choice([0, 1, 4096, 65536, 1 << 20, 1 << 24]))
        if self.chance(15):
            settings["SWITCHYARD_IN_FLIGHT_LIMIT"] = str(self.random.choice([1, 2, 600]))
        if self.chance(15):
            settings["SWITCHYARD_GPU"] = self.random.choice(["on", "off"])
        return settings

    def placement(self, ranks):
        """Blocks of equal ranks, ragged blocks, or one rank for each node in turn; one to four nodes."""
        nodes = self.random.randint(1, min(4, ranks))
        each = math.ceil(ranks / nodes)
        kind = self.random.randrange(3)
        if kind == 0:
            return str(each)
        if kind == 1:
            return f"cyclic:{each}"
        cuts = sorted(self.random.sample(range(1, ranks), nodes - 1))
        return ",".join(str(high - low) for low, high in zip([0, *cuts], [*cuts, ranks]))

    def program(self, can_spawn):
        program = {}
        if self.chance(25):
            program["threads"] = self.random.randint(2, 3)
        if self.chance(25):
            program["block_bytes"] = self.random.choice([100, 5000, 100_000])
        for name in ("delays", "messages", "pending"):
            if self.chance(20):
                program[name] = 0
        if can_spawn and self.chance(20):
            program["spawn"] = 1
        return program


@functools.cache
def algorithms(switchyard):
    """By collective, as the command lists them."""
    told = json.loads(subprocess.run([switchyard, "algorithms", "--json"], capture_output=True, check=True).stdout)
    return {name: [one for one in told if one["collective"] == name] for name in COLLECTIVES}


def acceptable(switchyard, policy):
    with tempfile.NamedTemporaryFile("w+", suffix=".json") as file:
        while policy["rules"]:
            file.seek(0)
            file.truncate()
            json.dump(policy, file)
            file.flush()
            checked = subprocess.run([switchyard, "check", file.name], text=True, capture_output=True, check=False)
            if checked.returncode == 0:
                break
            bad = {int(number) for number in re.findall(r": /rules/(\d+)[/ ]", checked.stdout + checked.stderr)}
            if not bad:
                raise RuntimeError(checked.stdout + checked.stderr)
            policy["rules"] = [rule for number, rule in enumerate(policy["rules"]) if number not in bad]
    return policy


def draw(switchyard, seed, ranks, kinds, can_spawn):
    """`ranks`: numbers to draw from. `kinds`: of KINDS."""
    draw = Draw(switchyard, seed)
    turns = [kind for kind in TURNS if kind in kinds]
    kind = turns[seed % len(turns)]
    made = Round(seed, kind, draw.random.choice(ranks))
    made.program = draw.program(can_spawn)
    made.stops = draw.chance(30)
    made.busy = draw.random.choice([0, 0, 0, 1, 2])
    if kind == "off":
        made.settings = {"SWITCHYARD": "off"}
        made.has_log = False
        return made
    made.settings = draw.settings(made.ranks)
    made.has_log = draw.chance(75)
    if made.has_log:
        made.settings["SWITCHYARD_DETAIL"] = draw.random.choice(["calls", "calls", "ranks", "summary", "all"])
    if kind == "forced":
        made.settings["SWITCHYARD_FORCE"] = draw.force(made.ranks)
    if kind == "random":
        made.policy = draw.policy(made.ranks)
    if kind == "native":
        made.policy = {"version": 1, "rules": [], "otherwise": {"algorithm": "native"}}
    return made
