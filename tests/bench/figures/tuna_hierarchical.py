"""Figures 10 and 11 of the TuNA paper: coalesced and staggered."""

import math

from paper import PHASES, Figure, Outcome, Table, best, in_words, phase, pick, share, times, us
from runs import option
from tuna_runs import MODEL_RANKS, PAPER, SIZES, predicted_points, predictions, run_of


def hierarchical_words(scale, ranks, name):
    nodes, q = max(2, ranks // scale.ranks_per_node), scale.ranks_per_node
    partners = (nodes - 1) * (q if name == "tuna_staggered" else 1)
    counts = [count for count in (1, 8, 64, 512) if count < partners] + [partners]
    intra = sorted({2, math.isqrt(q - 1) + 1, q})
    return ("--algorithm", f"{name}:radix={','.join(map(str, intra))}:block_count={','.join(map(str, counts))}")


def hierarchical(scale):
    """Figure 10: coalesced and staggered, over the radix inside a node and the batches between nodes."""
    ranks = min(scale.most_ranks, 128)  # large blocks take the simulator hours beyond
    blocks = (16, 2048) if scale.is_quick else (16, 2048, 16384)
    runs = {block: run_of(scale, ranks, [*option("max-block", block), *hierarchical_words(scale, ranks, "tuna_coalesced"),
                                         *hierarchical_words(scale, ranks, "tuna_staggered"), *PHASES[not scale.is_simulated]],
                           block) for block in blocks}
    model = predictions(scale.model, "tuna_coalesced", "tuna_staggered")

    def outcome(measurements):
        tables, ratio, batch, words = [], {}, {}, ""
        for block, run in runs.items():
            results, rows = measurements.results(run), []
            for name in ("tuna_coalesced", "tuna_staggered"):
                for result in sorted(pick(results, name), key=lambda r: r["median_us"]):
                    parameters = result["parameters"]
                    inner = phase(result, "prepare", "metadata", "data", "intra", "rearrange")
                    rows.append([name, parameters["radix"], parameters["block_count"], us(result["median_us"]), us(inner),
                                 us(phase(result, "inter"))])
            fastest = {name: best(pick(results, name)) for name in ("tuna_coalesced", "tuna_staggered")}
            ratio[block] = fastest["tuna_staggered"]["median_us"] / fastest["tuna_coalesced"]["median_us"]
            batch[block] = fastest["tuna_staggered"]["parameters"]["block_count"]
            tables.append(Table(f"{ranks} ranks, {in_words(block)}", ["algorithm", "radix in a node", "block_count", "us",
                                                                               "inside the node", "between nodes"], rows))
        small, large = blocks[0], blocks[-1]
        expected = {point: best(pick(results, "tuna_staggered"))["median_us"] / best(pick(results, "tuna_coalesced"))["median_us"]
                    for point, results in predicted_points(measurements, model).items()}
        if expected:
            tables.append(Table("how many times as fast coalesced is, by the model", ["ranks", *map(in_words, SIZES)],
                                [[ranks, *[times(expected[ranks, block]) for block in SIZES]] for ranks in MODEL_RANKS]))
            words = f" By the model {times(expected[8192, small])} times with 8,192 ranks and {in_words(small)}."
        return Outcome(tables, [], f"Coalesced is {times(ratio[small])} times as fast as staggered with {in_words(small)}, "
                       f"{times(ratio[large])} times with {in_words(large)}; staggered's best block_count is {batch[small]} and "
                       f"{batch[large]}.{words}",
                       ratio[small] > 1 and ratio[large] < ratio[small] and batch[large] <= batch[small],
                       "Few nodes leave few partners, so batches hardly matter.")
    return Figure(PAPER, "10", "Coalesced and staggered hierarchical TuNA",
                  "Coalesced is far faster with small blocks (17 times with 8,192 ranks and 16 bytes), staggered catches up with "
                  "large ones; larger blocks want smaller batches.", [*runs.values(), *model], outcome)


def parts(scale):
    """Figure 11: where the time goes. The paper's replace-cost is in `rearrange`, as its rearrange-cost."""
    ranks, blocks = scale.most_ranks, (16, 256) if scale.is_quick or scale.most_ranks > 128 else (16, 256, 2048)
    runs = {block: run_of(scale, ranks, [*option("max-block", block), "--algorithm", "tuna_coalesced+tuna_staggered",
                                         *PHASES[not scale.is_simulated]], block) for block in blocks}
    names = ("tuna_coalesced", "tuna_staggered")

    def outcome(measurements):
        rows, inter, dominates = [], {}, True
        for block, run in runs.items():
            results = measurements.results(run)
            for name in names:
                result = pick(results, name)[0]
                times_of = [phase(result, "prepare"), phase(result, "metadata"), phase(result, "data", "intra"),
                            phase(result, "rearrange"), phase(result, "inter")]
                inter[block, name] = times_of[-1]
                rows.append([in_words(block), name, *map(us, times_of), share(times_of[-1], sum(times_of)),
                             result["messages_inter"]])
            dominates = dominates and inter[block, "tuna_staggered"] > inter[block, "tuna_coalesced"]
        small = blocks[0]
        staggered = pick(measurements.results(runs[small]), "tuna_staggered")[0]
        part = inter[small, "tuna_staggered"] / sum(staggered["phases_us"].values())
        return Outcome([Table(f"{ranks} ranks, default parameters; us, the mean over the ranks",
                              ["largest block", "algorithm", "prepare", "metadata", "data in the node", "rearrange",
                               "between nodes", "its share", "messages to other nodes"], rows)], [],
                       f"With {in_words(small)} staggered spends {us(inter[small, 'tuna_staggered'])} us between nodes, "
                       f"{share(part, 1)} of its time, and coalesced {us(inter[small, 'tuna_coalesced'])} us.",
                       dominates and part > 0.5,
                       "Few nodes leave few messages between them.")
    return Figure(PAPER, "11", "Parts of coalesced and staggered",
                  "The communication between nodes costs staggered much more than coalesced, and dominates it with small blocks.",
                  list(runs.values()), outcome,
                  note="Our messages inside the node say sizes and blocks at once, so metadata is part of data.")
