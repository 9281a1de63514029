"""Pictures of figures, as SVG."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "switchyard"  # the same picture again is the same file
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text

from matplotlib import pyplot, ticker  # noqa: E402  (after the choice of what draws)


def draw(picture, file):
    """Writes the lines of a paper.Picture over two logarithmic axes, or lets a picture write itself."""
    if hasattr(picture, "write"):
        picture.write(file)
        return
    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    for name, points in picture.series.items():
        points = sorted(points)
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", markersize=3, linewidth=1.2, label=name)
    for name, y in picture.marks.items():
        axes.axhline(y, linestyle="--", linewidth=1, color="0.4", label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.set(title=picture.title, xlabel=picture.x_title, ylabel=picture.y_title)
    axes.grid(True, which="major", linewidth=0.4)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
