"""Figures 7 to 10 of the locality-aware Bruck paper. Where the paper evaluates a model (7 and 8), we measure."""

from paper import Figure, Outcome, Picture, Table, best, enumerate_words, in_words, pick, times, us
from runs import Run, option

PAPER = "allgather"
CONTENDERS = ("bruck", "hierarchical", "multi_lane", "locality_aware_bruck")
SHARED = "locality_aware_bruck, shared"  # ours: inside a node by memory that its ranks share


def run_of(ranks, ranks_per_node, block, names):
    return Run(ranks, ("--collective", "allgather", *option("max-block", block), "--algorithm", "+".join(names),
                       "--algorithm", "locality_aware_bruck:intra=shared"), ranks_per_node, iterations=3)


def time_of(results, name):
    if name == SHARED:
        return best(pick(results, "locality_aware_bruck", intra="shared"))["median_us"]
    messages = {"intra": "messages"} if name in CONTENDERS[1:] else {}
    return best(pick(results, name, **messages))["median_us"]


def to_other_nodes(results, what):
    """`messages_inter` or `wire_bytes_inter` of the rank with most: bruck / locality_aware_bruck."""
    aware = pick(results, "locality_aware_bruck", intra="messages")[0]
    return f"{pick(results, 'bruck')[0][what]} / {aware[what]}"


def shapes(scale):
    """Ranks of each node, with the numbers of nodes: powers of the ranks of a node, as in the paper, and one between."""
    per_node = (4, 8, 16) if scale.is_quick else (4, 8, 16, 32)
    most = 2 * scale.most_ranks  # an allgather is simulated in seconds
    return [(q, nodes) for q in per_node for nodes in (4, 8, 16, 32) if q * nodes <= most]


def by_nodes(scale, number, title, claim, block, names, note=""):
    """Over nodes and ranks of a node. A launcher has nodes of its own: there the ranks alone vary."""
    if scale.is_simulated:
        runs = {(q, nodes): run_of(q * nodes, q, block, names) for q, nodes in shapes(scale)}
    else:
        runs = {("as launched", ranks): run_of(ranks, 0, block, names) for ranks in scale.ranks}

    def outcome(measurements):
        rows, series, gains, wins, over_mpi = [], {}, {}, 0, 0
        for (q, nodes), run in runs.items():
            results = measurements.results(run)
            mpi, found = time_of(results, "native"), {name: time_of(results, name) for name in names}
            others = min(time for name, time in found.items() if name != "locality_aware_bruck")
            wins += found["locality_aware_bruck"] < others
            over_mpi += found["locality_aware_bruck"] < mpi
            gains.setdefault(q, []).append(found["bruck"] / found["locality_aware_bruck"])
            rows.append([q, nodes, us(mpi), *[us(time) for time in found.values()], times(gains[q][-1]),
                         us(time_of(results, SHARED)), to_other_nodes(results, "messages_inter"),
                         to_other_nodes(results, "wire_bytes_inter")])
            for name, time in found.items():
                series.setdefault(f"{name}, {q} a node", []).append((nodes, time))
        average = {q: sum(gain) / len(gain) for q, gain in gains.items()}
        first, last = min(average, key=str), max(average, key=str)
        if scale.is_simulated:
            first, last = min(average), max(average)
        return Outcome([Table(f"{in_words(block)} of each rank, us; gain, messages and bytes: bruck / locality_aware_bruck",
                              ["ranks a node", "nodes", "MPI", *names, "gain", SHARED, "messages to other nodes",
                               "bytes to other nodes"], rows)],
                       [Picture(f"allgather-{number.split()[0]}", title, "nodes", series)],
                       f"Locality-aware Bruck is faster than all others of ours in {wins} of {len(rows)} points and than MPI in "
                       f"{over_mpi}; its gain over Bruck is {times(average[first])} with {first} ranks a node, {times(average[last])} "
                       f"with {last}.", average[last] > 1 and average[last] >= average[first] and wins * 2 > len(rows),
                       "What is spared are latencies between nodes; where a message inside a node costs nearly as much, little is.")
    return Figure(PAPER, number, title, claim, list(runs.values()), outcome, note)


def by_size(scale):
    """Figure 8: the gain at all sizes, on a fixed shape."""
    q, nodes = (8, 16) if scale.most_ranks < 256 else (16, 16)
    blocks = (4, 64, 1024)
    ranks = q * nodes if scale.is_simulated else scale.most_ranks
    runs = {block: run_of(ranks, q, block, ("bruck", "locality_aware_bruck")) for block in blocks}

    def outcome(measurements):
        rows, gains = [], []
        for block, run in runs.items():
            results = measurements.results(run)
            bruck, aware = time_of(results, "bruck"), time_of(results, "locality_aware_bruck")
            gains.append(bruck / aware)
            rows.append([in_words(block), us(bruck), us(aware), times(bruck / aware), us(time_of(results, SHARED))])
        return Outcome([Table(f"{ranks} ranks, us", ["block", "bruck", "locality_aware_bruck", "gain", SHARED], rows)], [],
                       f"The gain is {enumerate_words([times(gain) for gain in gains])}.",
                       min(gains) > 1 and max(gains) < 1.5 * min(gains),
                       "Bruck sends each block out of its node as often as the node has ranks: with large blocks, the NICs "
                       "are what it waits for.")
    return Figure(PAPER, "8", "The gain over the size of the data",
                  "The size has no notable effect on the gain over Bruck.", list(runs.values()), outcome,
                  note="The paper evaluates a model for 1,024 regions of 16 ranks.")


def figures(scale):
    names = ("bruck", "locality_aware_bruck")
    return [
        by_nodes(scale, "7", "Bruck and locality-aware Bruck, 4 bytes",
                 "Locality-aware Bruck is faster than Bruck with small data, the more the more ranks a node has.", 4, names,
                 "The paper evaluates a model; here messages are sent."),
        by_size(scale),
        by_nodes(scale, "9 and 10", "Allgather algorithms, 8 bytes",
                 "Locality-aware Bruck improves over Bruck, hierarchical and multi-lane at many shapes, the more the more ranks a "
                 "node has, and often over MPI.", 8, CONTENDERS,
                 "Quartz and Lassen are no longer there; both figures are of one kind."),
    ]
