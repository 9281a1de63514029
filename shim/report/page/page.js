// Sorts the tables of a report's page, and has dygraphs draw its plots. Texts of the log go into the page as text, never as
// markup. Without this script the tables still stand.
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
        head.closest("table").classList.add("sortable");
        head.tabIndex = 0;
        head.addEventListener("click", () => sortBy(head));
        head.addEventListener("keydown", event => { if (event.key === "Enter") sortBy(head); });
    }

    const written = document.getElementById("plot-data");
    if (!written || !window.Dygraph) return;
    const data = JSON.parse(written.textContent);
    // Greys that show on a light sheet and on a dark one.
    const looks = {
        axisLineColor: "#8a939c", gridLineColor: "rgba(138,147,156,.35)", gridLineWidth: 1, axisLineWidth: 1,
        axisLabelFontSize: 12, legend: "never", animateBackgroundFade: false, highlightCircleSize: 6
    };

    // Draws into the element `id`. While the pointer is at a row of the data, the tip shows the row's text.
    function draw(id, rows, texts, options) {
        const place = document.getElementById(id), tip = document.createElement("div");
        place.hidden = place.closest("figure").hidden = false; // dygraphs wants to know its width
        tip.className = "tip";
        const graph = new Dygraph(place, rows, {
            ...looks, ...options,
            labels: rows[0].map((_, column) => String(column)),
            highlightCallback: (event, x, points, row) => {
                const left = points[0].canvasx, isRight = left > place.clientWidth / 2;
                // A series without a value here has no height.
                const heights = points.map(point => point.canvasy).filter(Number.isFinite);
                tip.textContent = texts[row];
                tip.style.left = `${left + (isRight ? -12 : 12)}px`;
                tip.style.top = `${Math.min(...heights) + 8}px`;
                tip.style.transform = isRight ? "translateX(-100%)" : "";
            },
            unhighlightCallback: () => { tip.textContent = ""; }
        });
        place.append(tip);
        matchMedia("print").addEventListener("change", () => graph.resize()); // paper has another width
        return graph;
    }

    // Points as characters, one for each series, so that series differ by more than colour.
    function drawMarks(marks, font = "10px sans-serif") {
        return (graph, name, canvas, x, y, colour) => {
            canvas.font = font;
            canvas.textAlign = "center";
            canvas.textBaseline = "middle";
            canvas.fillStyle = colour;
            canvas.fillText(marks[name - 1], x, y);
        };
    }

    function timeText(us, digits = 3) {
        if (us === 0) return "0";
        const size = Math.abs(us);
        const [value, unit] =
            size < 1 ? [us * 1e3, "ns"] : size < 1e3 ? [us, "us"] : size < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
        return `${Number(value.toPrecision(digits))} ${unit}`;
    }

    // A point: place, value, text; of a stretch of time also its low and its high value, which a line joins. Without a value
    // at each end, as dygraphs goes back to the range of the points after a zoom.
    function drawTimeline({series, end, range}) {
        const ends = [{point: [0]}, {point: [end]}];
        const points = series.flatMap(({points}, place) => points.map(point => ({place, point}))).concat(ends);
        points.sort((a, b) => a.point[0] - b.point[0]);
        const rows = points.map(({place, point}) => [point[0], ...series.map((_, i) => (i === place ? point[1] : null))]);
        const drawStretches = event => {
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
        };
        draw("timeline", rows, points.map(({point}) => point[2]), {
            colors: series.map(({colour}) => colour), logscale: true, valueRange: range,
            strokeWidth: 0, drawPoints: true, drawPointCallback: drawMarks(series.map(({mark}) => mark)), plotter: [drawStretches, Dygraph.Plotters.linePlotter],
            highlightSeriesOpts: {strokeWidth: 0}, highlightSeriesBackgroundAlpha: 1,
            axes: {x: {axisLabelFormatter: us => timeText(us, 6)}, y: {axisLabelFormatter: us => timeText(us)}}
        });
    }

    // Columns of blocks, each a stack of collectives. An empty column at each end makes room for half a bar.
    function drawSizes(id, {colours, columns}, values, labelOf) {
        const none = colours.map(() => 0), first = columns[0].bits;
        const rows = [[first - 1, ...none], ...columns.map(column => [column.bits, ...column[values]]),
            [first + columns.length, ...none]];
        const drawBars = event => {
            const canvas = event.drawingContext, sets = event.allSeriesPoints;
            const width = Math.min(64, 0.85 * (event.dygraph.toDomXCoord(1) - event.dygraph.toDomXCoord(0)));
            const base = event.dygraph.toDomYCoord(0);
            canvas.fillStyle = event.color;
            event.points.forEach((point, i) => {
                const below = event.seriesIndex + 1 < sets.length ? sets[event.seriesIndex + 1][i].canvasy : base;
                canvas.fillRect(point.canvasx - width / 2, point.canvasy, width, below - point.canvasy);
            });
        };
        const ticks = (from, to, pixels) => {
            const step = Math.max(1, Math.ceil((to - from) * 56 / pixels));
            return columns.filter(({bits}) => bits >= from && bits <= to && (bits - first) % step === 0)
                .map(({bits, label}) => ({v: bits, label}));
        };
        draw(id, rows, ["", ...columns.map(({text}) => text), ""], {
            colors: colours, stackedGraph: true, plotter: drawBars, includeZero: true, highlightCircleSize: 0,
            axes: {x: {ticker: ticks, drawGrid: false}, y: {axisLabelFormatter: labelOf, axisLabelWidth: 60}}
        });
    }

    // Runs in the order of their start, A and B of a pair above each other. An empty pair at each end makes room for the letters.
    function drawPairs({id, values, texts}, colours) {
        const rows = [[0.5, null, null], ...values.map((pair, place) => [place + 1, ...pair]), [values.length + 0.5, null, null]];
        const ticks = (from, to, pixels) => {
            const step = Math.max(1, Math.ceil((to - from) * 40 / pixels));
            return values.map((_, place) => ({v: place + 1, label: String(place + 1)}))
                .filter(({v}) => v >= from && v <= to && (v - 1) % step === 0);
        };
        draw(id, rows, ["", ...texts, ""], {
            colors: colours, strokeWidth: 0, drawPoints: true, drawPointCallback: drawMarks(["A", "B"], "bold 13px sans-serif"),
            yRangePad: 16, highlightCircleSize: 9,
            axes: {x: {ticker: ticks, drawGrid: false}, y: {axisLabelFormatter: us => timeText(us, 4), axisLabelWidth: 64, pixelsPerLabel: 18}} // low plots have two labels, too
        });
    }

    if (data.timeline) drawTimeline(data.timeline);
    if (data.sizes) {
        drawSizes("calls-by-size", data.sizes, "calls", calls => calls.toLocaleString("en"));
        drawSizes("times-by-size", data.sizes, "times", us => timeText(us));
    }
    for (const plot of data.pairs?.plots ?? []) drawPairs(plot, data.pairs.colours);
})();
