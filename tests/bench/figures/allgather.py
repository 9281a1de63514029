"""Figures 7 to 10 of the locality-aware Bruck paper. Where the paper evaluates a model (7 and 8), we evaluate it and measure."""

import allgather_formulas as formulas
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
    """Ranks of each node, with the numbers of nodes: powers of the ranks of a node, as in the paper (up to 64 nodes of 4 and 8), and
    some between."""
    per_node = (4, 8, 16) if scale.is_quick else (4, 8, 16, 32)
    most = 2 * scale.most_ranks  # an allgather is simulated in seconds
    return [(q, nodes) for q in per_node for nodes in (4, 8, 16, 32, 64) if q * nodes <= most]


REGIONS = (4, 16, 64, 256, 1024)
MODELLED = (16, 1024)  # ranks of a region and regions of the paper's figure 8


def modelled(block):
    """By ranks of a region: the gains by the paper's formulas over its numbers of regions."""
    return {q: [formulas.gain(regions, q, block) for regions in REGIONS] for q in (4, 8, 16, 32)}


def table_of_modelled(block):
    rows = [[q, *[f"{times(gain)} ({times(formulas.gain_as_printed(regions, q, block))})" for regions, gain in zip(REGIONS, gains)]]
            for q, gains in modelled(block).items()]
    return Table(f"gain by section 4 of the paper, {in_words(block)}, costs of a message as on Lassen: message by message (and by "
                 "equations 3 and 4 as printed)", ["ranks a region", *[f"{regions} regions" for regions in REGIONS]], rows)


def modelled_in_words(block):
    gains = modelled(block)
    first, last = (gains[q] for q in (min(gains), max(gains)))
    grows = min(map(min, gains.values())) > 1 and sum(last) > sum(first)
    return f" By the paper's formulas the gain is {times(sum(first) / len(first))} on average with {min(gains)} ranks a region, " \
           f"{times(sum(last) / len(last))} with {max(gains)}.", grows


def by_nodes(scale, number, title, claim, block, names, note="", has_formulas=False):
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
        by_formulas, formulas_agree = modelled_in_words(block) if has_formulas else ("", True)
        tables = [table_of_modelled(block)] if has_formulas else []
        return Outcome([Table(f"{in_words(block)} of each rank, us; gain, messages and bytes: bruck / locality_aware_bruck",
                              ["ranks a node", "nodes", "MPI", *names, "gain", SHARED, "messages to other nodes",
                               "bytes to other nodes"], rows), *tables],
                       [Picture(f"allgather-{number.split()[0]}", title, "nodes", series)],
                       f"Locality-aware Bruck is faster than all others of ours in {wins} of {len(rows)} points and than MPI in "
                       f"{over_mpi}; its gain over Bruck is {times(average[first])} with {first} ranks a node, {times(average[last])} "
                       f"with {last}.{by_formulas}",
                       average[last] > 1 and average[last] >= average[first] and wins * 2 > len(rows) and formulas_agree,
                       "What is spared are latencies between nodes; where a message inside a node costs nearly as much, little is.")
    return Figure(PAPER, number, title, claim, list(runs.values()), outcome, note)


LASSEN = "The paper evaluates formulas; here messages are sent, too. Its costs of a message come from a paper that is not at hand; ours " \
         "are fitted to times that one of its authors measured on Lassen (allgather_formulas.py)."


def is_flat(gains):
    return min(gains) > 1 and max(gains) < 1.5 * min(gains)


def by_size(scale):
    """Figure 8: the gain at all sizes, on a fixed shape, and by the paper's formulas on the paper's shape."""
    q, nodes = (8, 16) if scale.most_ranks < 256 else (16, 16)
    blocks = (4, 64, 1024)
    ranks = q * nodes if scale.is_simulated else scale.most_ranks
    runs = {block: run_of(ranks, q, block, ("bruck", "locality_aware_bruck")) for block in blocks}
    per_region, regions = MODELLED

    def outcome(measurements):
        rows, gains, by_formulas = [], [], [formulas.gain(regions, per_region, block) for block in blocks]
        for block, run in runs.items():
            results = measurements.results(run)
            bruck, aware = time_of(results, "bruck"), time_of(results, "locality_aware_bruck")
            gains.append(bruck / aware)
            rows.append([in_words(block), us(bruck), us(aware), times(bruck / aware), us(time_of(results, SHARED))])
        expected = [[in_words(block), times(gain), times(formulas.gain_as_printed(regions, per_region, block))]
                    for block, gain in zip(blocks, by_formulas)]
        return Outcome([Table(f"{ranks} ranks, us", ["block", "bruck", "locality_aware_bruck", "gain", SHARED], rows),
                        Table(f"gain by section 4 of the paper, {regions:,} regions of {per_region} ranks, costs of a message as on Lassen",
                              ["block", "message by message", "by equations 3 and 4 as printed"], expected)], [],
                       f"By the paper's formulas on its shape the gain is {enumerate_words([times(gain) for gain in by_formulas])}; "
                       f"with messages it is {enumerate_words([times(gain) for gain in gains])}.",
                       is_flat(by_formulas),
                       "Bruck sends each block out of its node as often as the node has ranks: with large blocks, the NICs "
                       "are what it waits for.",
                       "" if is_flat(gains) else "in the paper's model, which has no NIC that the ranks of a node share: there Bruck, "
                       "which sends each block out of its node as often as the node has ranks, loses more with large blocks")
    return Figure(PAPER, "8", "The gain over the size of the data",
                  "The size has no notable modelled effect on the gain over Bruck.", list(runs.values()), outcome, LASSEN)


def figures(scale):
    names = ("bruck", "locality_aware_bruck")
    return [
        by_nodes(scale, "7", "Bruck and locality-aware Bruck, 4 bytes",
                 "Locality-aware Bruck is faster than Bruck with small data, the more the more ranks a node has.", 4, names,
                 LASSEN, has_formulas=True),
        by_size(scale),
        by_nodes(scale, "9 and 10", "Allgather algorithms, 8 bytes",
                 "Locality-aware Bruck improves over Bruck, hierarchical and multi-lane at many shapes, the more the more ranks a "
                 "node has, and often over MPI.", 8, CONTENDERS,
                 "Quartz and Lassen are no longer there; both figures are of one kind."),
    ]
