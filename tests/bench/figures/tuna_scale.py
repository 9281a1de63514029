"""Figures of our own about the TuNA paper's claims: more simulated ranks, weak scaling, and a NIC that limits messages."""

from paper import Figure, Outcome, Picture, Table, best, enumerate_words, in_words, pick, times, us
from runs import Prediction, Run, distributed, option
from tuna_compared import CONTENDERS, PROPOSED
from tuna_runs import PAPER, PER_NODE, native, predicted_points, predictions, run_of

MODEL_SETTINGS = ("tuna:radix=2..ranks", "tuna_coalesced:radix=2,8,32:block_count=8,64,512", *CONTENDERS[2:])


def own(number, title, claim, runs, outcome, note=""):
    return Figure(PAPER, number, title, claim, runs, outcome, note, is_our_own=True)


# ---- The simulator and the model ------------------------------------------------------------------------------------------

MOST_ERROR = 0.2
FEW = ("tuna:radix=8", "tuna_coalesced:radix=8", "node_aware")  # a simulation of more takes hours


def more_ranks(scale):
    """The numbers of ranks that the paper begins with, which the other figures are too large for."""
    ranks_list, q = ((128, 256), scale.ranks_per_node) if scale.is_quick else ((1024, 2048), PER_NODE)
    words = [*option("max-block", 16), *[word for name in FEW for word in option("algorithm", name)]]
    # MPI_Alltoallv of 2,048 ranks has four million messages, which the simulator takes more than 20 minutes for.
    without_mpi = {ranks_list[-1]: ("--no-native",)}
    runs = {ranks: Run(ranks, (*words, *without_mpi.get(ranks, ())), q, "1e-7") for ranks in ranks_list}
    model = Prediction(scale.model, ranks_list, q, (16,), ("native", *FEW))

    def outcome(measurements):
        expected = predicted_points(measurements, [model])
        rows, errors = [], {}
        for ranks, run in runs.items():
            for name in dict.fromkeys(result["algorithm"] for result in measurements.results(run)):
                simulated, by_model = (best(pick(results, name))["median_us"]
                                       for results in (measurements.results(run), expected[ranks, 16]))
                errors[ranks, name] = by_model / simulated - 1
                rows.append([ranks, name, us(simulated), us(by_model), f"{errors[ranks, name]:+.0%}"])
        of_algorithms = {point: error for point, error in errors.items() if point[1] != "native"}
        largest = max(of_algorithms, key=lambda point: abs(errors[point]))
        words = f"With {enumerate_words([f'{ranks:,}' for ranks in ranks_list])} ranks and 16 bytes the model's largest error is " \
                f"{errors[largest]:+.0%}, of {largest[1]} with {largest[0]:,} ranks. MPI_Alltoallv's is " \
                f"{errors[ranks_list[0], 'native']:+.0%} with {ranks_list[0]:,}: the simulated one has 4 messages under way, the model's " \
                "32, as MPICH has."
        return Outcome([Table("16 bytes, us", ["ranks", "algorithm", "simulated", "by the model", "error"], rows)], [], words,
                       all(abs(error) <= MOST_ERROR for error in of_algorithms.values()),
                       "What ranks out of step gain or lose is fitted to simulations of fewer ranks.")
    return own("more ranks", "The model and the simulator, with more ranks",
               f"With 1,024 and 2,048 ranks the model's time of an algorithm is within {MOST_ERROR:.0%} of the simulated one.",
               [*runs.values(), model], outcome, "The paper's figures begin with 512 ranks, the other figures here end with 256. With 2,048 ranks the simulation has no "
               "MPI_Alltoallv, whose four million messages would take more than 20 minutes.")


# ---- Weak scaling ---------------------------------------------------------------------------------------------------------

def weak_scaling(scale):
    """Constant bytes of each rank, blocks of a normal distribution: with more ranks the blocks are smaller. Figure 16 has one size of
    blocks for all numbers of ranks."""
    whole = 1 << (14 if scale.is_quick else 17)  # bytes that a rank sends, if all blocks were the largest
    distribution = "normal"

    def block_of(ranks):
        return whole // ranks

    # All radices of figure 13 take ten minutes with 256 ranks.
    settings = ("tuna:radix=2,sqrt,ranks", "tuna_coalesced:radix=2,sqrt", *CONTENDERS[2:])
    few = [word for setting in settings for word in option("algorithm", setting)]
    runs = {ranks: run_of(scale, ranks, [*option("max-block", block_of(ranks)), *few, *distributed(distribution)], block_of(ranks))
            for ranks in scale.ranks}
    model_ranks = (512, 2048, 8192, 32768)
    model = {ranks: prediction for ranks in model_ranks if ranks <= whole
             for prediction in predictions(scale.model, *MODEL_SETTINGS, ranks=(ranks,), blocks=(block_of(ranks),),
                                           distribution=distribution)}

    def times_of(results):
        return {"MPI": native(results)["median_us"], **{name: best(pick(results, name))["median_us"] for name in CONTENDERS}}

    def outcome(measurements):
        simulated = {ranks: times_of(measurements.results(run)) for ranks, run in runs.items()}
        expected = {ranks: times_of(measurements.results(run)) for ranks, run in model.items()}
        series = {name: [(ranks, found[name]) for ranks, found in {**simulated, **expected}.items()] for name in ("MPI", *CONTENDERS)}
        growth = [{name: found[max(found)][name] / found[min(found)][name] for name in ("MPI", *PROPOSED[:2])}
                  for found in (simulated, expected) if found]
        tables = [Table(caption, ["ranks", "largest block", "MPI", *CONTENDERS],
                        [[ranks, in_words(block_of(ranks)), *map(us, times_there.values())] for ranks, times_there in found.items()])
                  for caption, found in (("us", simulated), ("us, by the model", expected)) if found]
        words = " ".join(f"From {min(found):,} to {max(found):,} ranks MPI's time grows {times(grown['MPI'])} times, tuna's "
                         f"{times(grown['tuna'])} times and coalesced's {times(grown['tuna_coalesced'])} times."
                         for found, grown in zip((simulated, expected), growth))
        return Outcome(tables, [Picture("weak-scaling", f"{in_words(whole)} of each rank", "ranks", series)], words,
                       all(grown[name] < grown["MPI"] for grown in growth for name in PROPOSED[:2]),
                       "While blocks are large, the bytes that are forwarded cost more than the messages that are spared.")
    return own("weak scaling", "Weak scaling, with constant bytes of each rank",
               "With constant bytes of each rank the time of tuna and coalesced grows more slowly than MPI_Alltoallv's.",
               [*runs.values(), *model.values()], outcome,
               f"At most {in_words(whole)} of each rank, in as many blocks as there are ranks. By the model to 32,768 ranks.")


# ---- A limit of messages --------------------------------------------------------------------------------------------------

AURORA, AURORA_PER_NODE = "aurora", 96
REPORTED_S = 2.3


def limit_of_messages(_):
    """MPICH issue 7601, which names one number: MPI_Alltoallv of 8 bytes on 128 nodes of 96 ranks."""
    ranks_list = tuple(AURORA_PER_NODE * nodes for nodes in (8, 32, 128))
    intra = "radix=2,10,96"
    settings = ("native", "scattered", "tuna:radix=2,4,8,16,32,sqrt", f"tuna_coalesced:{intra}", f"tuna_staggered:{intra}",
                "node_aware:radix=2,4,8,32,96")
    model = Prediction(AURORA, ranks_list, AURORA_PER_NODE, (8,), settings, "equal")
    names = tuple(setting.split(":")[0] for setting in settings)

    def outcome(measurements):
        rows, found = [], {}
        for (ranks, _), results in predicted_points(measurements, [model]).items():
            found[ranks] = {name: best(pick(results, name)) for name in names}
            mpi = found[ranks]["native"]["median_us"]
            rows.append([ranks, *[f"{result['median_us'] / 1000:.2f} ({times(mpi / result['median_us'])})"
                                  for result in found[ranks].values()]])
        most = found[max(found)]
        gains = {name: most["native"]["median_us"] / most[name]["median_us"] for name in ("tuna", "tuna_coalesced", "node_aware")}
        words = f"With {max(found):,} ranks MPI_Alltoallv takes {most['native']['median_us'] / 1e6:.2f} s; " \
                f"{enumerate_words([f'{name} is {gain:.0f} times as fast' for name, gain in gains.items()])}."
        return Outcome([Table("8 bytes, ms (and times faster than MPI_Alltoallv), by the model", ["ranks", *names], rows)], [], words,
                       all(gain > 10 for gain in gains.values()),
                       "They send as many messages to other nodes.")
    return own("limit of messages", "A NIC that limits messages (MPICH issue 7601)",
               f"Where MPI_Alltoallv of 8 bytes takes {REPORTED_S} s on 128 nodes of 96 ranks, algorithms that bundle the messages "
               "between nodes take less than a tenth.", [model], outcome,
               "By the model alone. The limit in config/machines/aurora.json is fitted to the time that the issue reports, so MPI's "
               "time is no finding; the others' times follow from it.")


def figures(scale):
    """By the model, so none of them for a launcher. The last one is the same on every page, so it stands on one."""
    if not scale.model:
        return []
    of_polaris = [more_ranks(scale), limit_of_messages(scale)] if scale.machine == "polaris" else []
    return [*of_polaris[:1], weak_scaling(scale), *of_polaris[1:]]
