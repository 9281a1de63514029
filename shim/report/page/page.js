// Sorts the tables of a report's page, and has dygraphs draw the timeline. Texts of the log go into the page as
// text, never as markup. Without this script the tables still stand.
"use strict";
(() => {
    const valueOf = (row, column) => {
        const cell = row.cells[column];
        return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
    };
    const compared = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));

    // Figures start with the largest one, words with the first of the alphabet. A second click turns the order.
    function sortBy(head) {
        const body = head.closest("table").tBodies[0], column = head.cellIndex, rows = [...body.rows];
        if (rows.length === 0) return;
        const before = head.getAttribute("aria-sort");
        const ascending = before ? before === "descending" : typeof valueOf(rows[0], column) === "string";
        rows.sort((a, b) => (ascending ? 1 : -1) * compared(valueOf(a, column), valueOf(b, column)));
        body.append(...rows);
        for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    }

    for (const head of document.querySelectorAll("th")) {
        // A button hears of the keyboard, and a screen reader names it. Its click is the head's click, too.
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        head.closest("table").classList.add("sortable");
        head.addEventListener("click", () => sortBy(head));
    }

    const written = document.getElementById("plot-data");
    if (!written || !window.Dygraph) return;
    const {series, end, range, kinds} = JSON.parse(written.textContent);
    const place = document.getElementById("timeline"), tip = document.createElement("div");
    place.closest("figure").hidden = false; // dygraphs wants to know its width
    tip.className = "tip";

    // A call's point: place, value, kind. A stretch's point: place, value, calls, low and high value; a line joins
    // these two. The points at both ends have no value: after a zoom dygraphs goes back to the range of all points.
    const ends = [{point: [0]}, {point: [end]}];
    const points = series.flatMap(({points}, place) => points.map(point => ({place, point}))).concat(ends);
    points.sort((a, b) => a.point[0] - b.point[0]);
    const rows = points.map(({place, point}) => [point[0], ...series.map((_, i) => (i === place ? point[1] : null))]);

    // Points as characters, one for each series, so that series differ by more than colour.
    function drawMark(graph, name, canvas, x, y, colour) {
        canvas.font = "10px sans-serif";
        canvas.textAlign = "center";
        canvas.textBaseline = "middle";
        canvas.fillStyle = colour;
        canvas.fillText(series[name - 1].mark, x, y);
    }

    function drawStretches(event) {
        const canvas = event.drawingContext;
        canvas.save();
        canvas.strokeStyle = event.color;
        canvas.globalAlpha = 0.4;
        canvas.lineWidth = 2;
        for (const {idx, canvasx, yval} of event.points) {
            // A row has a value for one series only.
            const [low, high] = Number.isFinite(yval) ? points[idx].point.slice(3) : [];
            if (low === undefined) continue;
            canvas.beginPath();
            canvas.moveTo(canvasx, event.dygraph.toDomYCoord(low));
            canvas.lineTo(canvasx, event.dygraph.toDomYCoord(high));
            canvas.stroke();
        }
        canvas.restore();
    }

    function timeText(us, digits = 3) {
        if (us === 0) return "0";
        const size = Math.abs(us);
        const [value, unit] =
            size < 1 ? [us * 1e3, "ns"] : size < 1e3 ? [us, "us"] : size < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
        return `${Number(value.toPrecision(digits))} ${unit}`;
    }

    function textOf({place, point: [at, us, what, low, high]}) {
        if (low === undefined) return `${kinds[what][0]}\n${timeText(us)} at ${timeText(at)}\n${kinds[what][1]}`;
        return `${series[place].name}\n${what} ${what === 1 ? "call" : "calls"}, median ${timeText(us)}\n` +
            `5% below ${timeText(low)}, 95% below ${timeText(high)}`;
    }

    // While the pointer is at a point, the tip shows the point's text.
    function showTip(event, x, [{canvasx, canvasy}], row) {
        const isRight = canvasx > place.clientWidth / 2;
        tip.textContent = textOf(points[row]);
        tip.style.left = `${canvasx + (isRight ? -12 : 12)}px`;
        tip.style.top = `${canvasy + 8}px`;
        tip.style.transform = isRight ? "translateX(-100%)" : "";
    }

    const graph = new Dygraph(place, rows, {
        labels: rows[0].map((_, column) => String(column)), colors: series.map(({colour}) => colour),
        logscale: true, valueRange: range,
        strokeWidth: 0, drawPoints: true, drawPointCallback: drawMark, plotter: [drawStretches, Dygraph.Plotters.linePlotter],
        highlightCircleSize: 6, highlightSeriesOpts: {strokeWidth: 0}, highlightSeriesBackgroundAlpha: 1,
        highlightCallback: showTip, unhighlightCallback: () => { tip.textContent = ""; },
        axes: {x: {axisLabelFormatter: us => timeText(us, 6)}, y: {axisLabelFormatter: us => timeText(us)}},
        // Greys that show on a light sheet and on a dark one.
        axisLineColor: "#8a939c", gridLineColor: "rgba(138,147,156,.35)", gridLineWidth: 1, axisLineWidth: 1,
        axisLabelFontSize: 12, legend: "never", animateBackgroundFade: false
    });
    place.append(tip);

    // What the pointer does by dragging. A movement is a fifth of what is shown.
    place.addEventListener("keydown", event => {
        const [first, last] = graph.xAxisRange(), step = (last - first) / 5;
        const move = {"+": [step, -step], "=": [step, -step], "-": [-step, step], ArrowLeft: [-step, -step],
                      ArrowRight: [step, step]}[event.key];
        if (event.key === "Escape") graph.resetZoom();
        else if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
        else graph.updateOptions({dateWindow: [Math.max(0, first + move[0]), Math.min(end, last + move[1])]});
        event.preventDefault();
    });
    matchMedia("print").addEventListener("change", () => graph.resize()); // paper has another width
})();
