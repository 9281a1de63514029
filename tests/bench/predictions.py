"""How well `switchyard predict` agrees with other times of the same settings: what predict_error and predict_hosts share."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TIES = (0, 0.05, 0.1)  # times within such a share of each other count as equal


def name_of(result):
    """Of a setting, as predict and the benchmark both write it in their JSON."""
    return " ".join([result["algorithm"]] + [f"{key}={value}" for key, value in result["parameters"].items()])


def predicted(*words):
    """The points of `switchyard predict` with these words."""
    command = [ROOT / "build/bin/switchyard", "predict", *words, "--format", "json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["points"]


def words_of(settings):
    return [word for setting in settings for word in ("--algorithm", setting)]


class Point:
    """The settings at one number of ranks and size of blocks. `pairs` has for each its name, its time, and its predicted time."""

    def __init__(self, pairs):
        self.pairs = pairs
        self.times = {name: us for name, us, _ in pairs}
        self.errors = {name: ours / theirs - 1 for name, theirs, ours in pairs}
        self.worst = max(self.errors, key=lambda name: abs(self.errors[name]))
        self.best = self.best_by(1)
        self.predicted_best = self.best_by(2)

    def best_by(self, column):
        """The three fastest of our algorithms."""
        return [pair[0] for pair in sorted((p for p in self.pairs if p[0] != "native"), key=lambda pair: pair[column])[:3]]

    def median_error(self):
        return statistics.median(map(abs, self.errors.values()))

    def loss(self):
        """How much slower the predicted best is than the best."""
        return self.times[self.predicted_best[0]] / self.times[self.best[0]] - 1

    def is_same_order(self, tie):
        """The predicted order of the best three, where times within `tie` of each other count as equal."""
        return all(self.times[ours] <= self.times[theirs] * (1 + tie) and self.times[theirs] <= self.times[ours] * (1 + tie)
                   for ours, theirs in zip(self.predicted_best, self.best))

    def lines(self):
        return [f"    {name:60} {theirs:10.1f} {ours:10.1f} {self.errors[name]:+8.1%}"
                for name, theirs, ours in sorted(self.pairs, key=lambda pair: pair[1])]


def summary(points, times):
    """Sentences about all points together. `times` is what their times are called."""
    errors = sorted(abs(error) for point in points for error in point.errors.values())
    text = [f"median error {statistics.median(errors):.1%} of {len(errors)} times, "
            f"nine of ten within {errors[len(errors) * 9 // 10]:.1%}"]
    for tie in TIES:
        count = sum(point.is_same_order(tie) for point in points)
        text.append(f"order of the best three the same in {count} of {len(points)} points" +
                    (f", where {times} times within {tie:.0%} count as equal" if tie else ""))
    return text
