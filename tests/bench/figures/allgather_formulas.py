"""What section 4 of the locality-aware Bruck paper models: the time of an allgather by Bruck's algorithm and by the locality-aware
one, from the costs of a message between regions and inside of one. Times are microseconds, sizes bytes."""

import dataclasses
import math

# A message of 4, 8, ... bytes one way, of ranks 0 and 1 on two nodes of Lassen, and of ranks 4 and 6 on one socket. Measured by
# an author of the paper on 12 February 2020: github.com/bienz2/BenchPress, benchmarks/lassen/02_12_20/ping_pong.877385.out.
# The paper takes its parameters from another paper (its reference 6), whose table is not at hand; they come from such measurements.
BETWEEN_NODES = (1.28, 1.29, 1.20, 1.25, 1.26, 1.35, 1.83, 2.02, 2.22, 2.72, 3.41, 4.88,
                 6.84, 9.08, 11.89, 17.91, 26.71, 46.01, 82.95)
IN_A_SOCKET = (0.32, 0.32, 0.34, 0.35, 0.36, 0.37, 0.42, 0.45, 0.51, 0.64, 0.80, 1.01,
               3.47, 4.00, 4.84, 7.06, 12.04, 20.18, 36.75)
EAGER_MESSAGES = 12  # of these: the times leap after 8 KiB
RENDEZVOUS_FROM = 8192  # "any message greater than or equal to 8192 bytes modeled with rendezvous parameters"


@dataclasses.dataclass(frozen=True)
class Postal:
    """A message takes alpha + beta times its bytes."""
    alpha: float
    beta: float

    def time(self, size):
        return self.alpha + self.beta * size


def fitted(sizes, found):
    """The line with the least squares of relative errors."""
    weights = [1 / time ** 2 for time in found]
    whole, over_sizes, over_times = (sum(w * value for w, value in zip(weights, values)) for values in ([1] * len(sizes), sizes, found))
    squares, products = (sum(w * size * value for w, size, value in zip(weights, sizes, values)) for values in (sizes, found))
    beta = (whole * products - over_sizes * over_times) / (whole * squares - over_sizes ** 2)
    return Postal((over_times - beta * over_sizes) / whole, beta)


@dataclasses.dataclass(frozen=True)
class Link:
    eager: Postal
    rendezvous: Postal

    @classmethod
    def of(cls, measured):
        sizes = [4 << power for power in range(len(measured))]
        border = EAGER_MESSAGES
        return cls(fitted(sizes[:border], measured[:border]), fitted(sizes[border:], measured[border:]))

    def postal(self, size):
        return self.rendezvous if size >= RENDEZVOUS_FROM else self.eager

    def time(self, size):
        return self.postal(size).time(size)


FAR, NEAR = Link.of(BETWEEN_NODES), Link.of(IN_A_SOCKET)


def doubling(link, known, groups):
    """Bruck's algorithm among some ranks, each of which begins with `known` bytes."""
    return sum(link.time(known << step) for step in range(math.ceil(math.log2(groups))))


def bruck(regions, per_region, block):
    """Equation 3, each message by its own protocol: log2(p) alpha + (b - 1) beta."""
    return doubling(FAR, block, regions * per_region)


def locality_aware(regions, per_region, block):
    """Algorithm 2, message by message: with a power of the region's ranks log(r) messages to other regions, and after each an allgather
    inside of log2(p_l) messages, as the text of section 4 counts them."""
    time, known = doubling(NEAR, block, per_region), 1
    while known < regions:
        reached = min(known * per_region, regions)
        size = block * per_region * known
        time += FAR.time(size) + doubling(NEAR, size, math.ceil(reached / known))
        known = reached
    return time


def equation_3(regions, per_region, block):
    ranks = regions * per_region
    steps, size = math.log2(ranks), block * ranks
    postal = FAR.postal(size / steps)
    return steps * postal.alpha + size * postal.beta


def equation_4(regions, per_region, block):
    """As printed: one local alpha for each allgather inside of a region, where the text counts log2(p_l). The protocol is that of the mean
    message of a kind."""
    size, steps = block * regions * per_region, math.log(regions, per_region)
    far, near = FAR.postal(size / per_region / steps), NEAR.postal(size / (steps + 1))
    return steps * far.alpha + size / per_region * far.beta + (steps + 1) * near.alpha + size * near.beta


def gain(regions, per_region, block):
    return bruck(regions, per_region, block) / locality_aware(regions, per_region, block)


def gain_as_printed(regions, per_region, block):
    return equation_3(regions, per_region, block) / equation_4(regions, per_region, block)
