// The charts of the page as Vega-Lite specifications: functions of the results alone.
"use strict";
const charts = (() => {
  // "container" makes a chart as wide as its place; facets need numbers.
  const narrow = () => window.innerWidth < 640;
  const facetWidth = (columns, margin) =>
    Math.max(90, Math.floor((document.getElementById("main").clientWidth - margin) / columns));
  const testOf = (winner) => winner.test_map_mean ?? winner.test_map;
  const two = (field, title) => ({ field, title, format: ".2f" });
  const legendBelow = (extra) => ({ orient: "bottom", labelLimit: 300, columns: narrow() ? 1 : 4, symbolOpacity: 1, ...extra });

  // A dot per row of a group: the test MAP of its chosen run, with its deviation over seeds.
  function testMap(group) {
    const values = group.rows
      .filter(({ winner }) => typeof testOf(winner) === "number")
      .map(({ label, labels, winner }) => {
        const test = testOf(winner), deviation = winner.test_map_std ?? 0;
        return { label, labels, test, deviation, low: test - deviation, high: test + deviation };
      });
    if (values.length === 0) return null;
    const y = { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: 160 } };
    const x = { type: "quantitative", title: "test MAP (%)",
      scale: { zero: false, nice: true, padding: 24 }, axis: { tickCount: narrow() ? 5 : 10 } };
    return {
      data: { values },
      height: 26 * values.length,
      layer: [
        { mark: { type: "rule", strokeWidth: 2, opacity: 0.5 },
          encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" } } },
        { mark: { type: "point", filled: true, size: 110, opacity: 1 },
          encoding: { y, x: { ...x, field: "test" },
            color: { field: "labels", type: "nominal", sort: null, title: "labels it sees",
              legend: legendBelow({ columns: narrow() ? 1 : 2 }) },
            tooltip: [{ field: "label", title: "loss" }, { field: "labels" }, two("test", "test MAP"),
              two("deviation", "deviation")] } },
        { mark: { type: "text", align: "left", dx: 9, fontSize: 11 },
          encoding: { y, x: { ...x, field: "test" },
            text: { field: "test", type: "quantitative", format: ".1f" } } },
      ],
    };
  }

  // Predicted probability against the share that is positive, a line per chosen run.
  function reliability(group) {
    const values = [];
    for (const run of group.runs) {
      if (!run.chosen || !run.result.reliability) continue;
      for (const { entries, predicted, positives } of run.result.reliability) {
        if (entries > 0) {
          values.push({ label: run.row, run: run.name, predicted: predicted / entries,
            positive: positives / entries, entries });
        }
      }
    }
    if (values.length === 0) return null;
    const scale = { domain: [0, 1] };
    return {
      height: 300,
      layer: [
        { data: { values: [{ at: 0 }, { at: 1 }] }, mark: { type: "line", strokeDash: [4, 4], opacity: 0.6 },
          encoding: { x: { field: "at", type: "quantitative", scale }, y: { field: "at", type: "quantitative", scale } } },
        { data: { values }, mark: { type: "line", point: true },
          encoding: { x: { field: "predicted", type: "quantitative", title: "predicted probability", scale },
            y: { field: "positive", type: "quantitative", title: "share that is positive", scale },
            detail: { field: "run" },
            color: { field: "label", type: "nominal", sort: null, title: "loss", legend: legendBelow() },
            tooltip: [{ field: "label", title: "loss" }, two("predicted", "predicted"),
              two("positive", "positive"), { field: "entries", format: "," }] } },
      ],
    };
  }

  // One small chart per row, a line per run, the chosen one in front.
  function learningCurves(group, colors) {
    const values = [];
    for (const run of group.runs) {
      run.curve.forEach((val, epoch) => {
        if (typeof val === "number") {
          values.push({ label: run.row, run: run.name, epoch: epoch + 1, val,
            lr: String(Number(run.result.lr.toPrecision(6))), batch: run.result.batch, seed: run.result.seed,
            kind: run.chosen ? "chosen on validation" : "other settings" });
        }
      });
    }
    if (values.length === 0) return null;
    const kinds = new Set(values.map(({ kind }) => kind));
    const columns = narrow() ? 2 : 3;
    const line = (kind, opacity, width) => ({
      transform: [{ filter: `datum.kind === '${kind}'` }],
      mark: { type: "line", strokeWidth: width, opacity },
      encoding: {
        x: { field: "epoch", type: "quantitative", title: "epoch",
          axis: { tickMinStep: 1, tickCount: 5 } },
        y: { field: "val", type: "quantitative", title: narrow() ? null : "val MAP (%)",
          scale: { zero: false }, axis: { tickCount: 5 } },
        detail: { field: "run" },
        color: { field: "kind", type: "nominal", title: null, legend: legendBelow({ symbolStrokeWidth: 2.5 }),
          scale: { domain: ["chosen on validation", "other settings"],
            range: [colors.chosen, colors.other] } },
        tooltip: [{ field: "label", title: "loss" }, { field: "lr" }, { field: "batch" },
          { field: "seed" }, { field: "epoch" }, two("val", "val MAP")],
      },
    });
    return {
      data: { values },
      facet: { field: "label", type: "nominal", sort: group.rows.map(({ label }) => label), title: null },
      columns,
      spec: {
        width: facetWidth(columns, narrow() ? 130 : 145),
        height: narrow() ? 90 : 130,
        layer: [line("other settings", 0.5, 1.2), line("chosen on validation", 1, 2.2)]
          .filter((_, i) => kinds.has(i === 0 ? "other settings" : "chosen on validation")),
      },
    };
  }

  // Average precision of every class under the chosen runs; numbers in the cells where they fit.
  function perClass(group) {
    const values = [];
    for (const { label, winner } of group.rows) {
      (winner.per_class_ap || []).forEach((ap, j) => {
        if (typeof ap === "number") values.push({ label, name: group.classes[j] ?? "class " + j, ap });
      });
    }
    if (values.length === 0) return null;
    const encoding = {
      y: { field: "name", type: "nominal", sort: group.classes, title: null, axis: { labelLimit: 160 } },
      x: { field: "label", type: "nominal", sort: null, title: null,
        axis: { orient: "top", labelAngle: -45, labelLimit: 160 } },
    };
    const cells = {
      mark: "rect",
      encoding: { ...encoding,
        color: { field: "ap", type: "quantitative", title: "AP (%)", scale: { scheme: "viridis" },
          legend: { orient: "bottom" } },
        tooltip: [{ field: "name", title: "class" }, { field: "label", title: "loss" }, two("ap", "AP")] },
    };
    const middle = (Math.min(...values.map(({ ap }) => ap)) + Math.max(...values.map(({ ap }) => ap))) / 2;
    const numbers = {
      mark: { type: "text", fontSize: 11 },
      encoding: { ...encoding, text: { field: "ap", type: "quantitative", format: ".1f" },
        color: { condition: { test: `datum.ap > ${middle}`, value: "#111" }, value: "#eee" } },
    };
    return {
      data: { values },
      height: 20 * new Set(values.map(({ name }) => name)).size,
      layer: narrow() || group.rows.length > 14 ? [cells] : [cells, numbers],
    };
  }

  // Points of an experiment that varies something, for one data set.
  function againstX(experiment, dataset) {
    const byLabels = experiment.x === "subsample";
    const values = [], references = [];
    for (const row of experiment.rows) {
      for (const point of (row.curves || {})[dataset] || []) {
        if (typeof point.ours !== "number") continue;
        const std = point.std ?? 0;
        values.push({ label: row.label, x: byLabels ? point.labels_seen : point.x, share: point.x,
          ours: point.ours, std, low: point.ours - std, high: point.ours + std,
          lr: String(point.lr), batch: point.batch });
      }
      const reference = (row.references || {})[dataset];
      if (reference && typeof reference.ours === "number") {
        const std = reference.std ?? 0;
        references.push({ label: row.label, k: reference.x, ours: reference.ours,
          low: reference.ours - std, high: reference.ours + std });
      }
    }
    if (values.length === 0) return null;
    const x = { field: "x", type: "quantitative",
      title: byLabels ? "labels seen in training (log scale)" : experiment.x,
      scale: byLabels ? { type: "log", nice: false } : { zero: false, nice: false },
      axis: byLabels ? { format: "~s", tickCount: 8 } : { tickCount: 8 } };
    const y = (field) => ({ field, type: "quantitative", title: experiment.metric_text + " (%)",
      scale: { zero: false } });
    const color = { field: "label", type: "nominal", sort: null, title: null, legend: legendBelow() };
    const layer = [];
    if (references.length > 0) {
      layer.push(
        { data: { values: references }, mark: { type: "rect", opacity: 0.18 },
          encoding: { y: y("low"), y2: { field: "high" }, color } },
        { data: { values: references }, mark: { type: "rule", strokeDash: [5, 4] },
          encoding: { x: { field: "k", type: "quantitative" }, color,
            tooltip: [two("k", "true k"), two("ours", "MAP there")] } });
    }
    layer.push(
      { mark: { type: "rule", strokeWidth: 1.5, opacity: 0.6 },
        encoding: { x, y: y("low"), y2: { field: "high" }, color } },
      { mark: { type: "line", strokeWidth: 2 }, encoding: { x, y: y("ours"), color } },
      { mark: { type: "point", filled: true, size: 55, opacity: 1 },
        encoding: { x, y: y("ours"), color,
          tooltip: [{ field: "label", title: "loss" }, { field: "share", title: experiment.x },
            { field: "x", title: byLabels ? "labels seen" : "x" }, two("ours", experiment.metric_text),
            two("std", "deviation"), { field: "lr" }, { field: "batch" }] } });
    return { data: { values }, height: 300, layer };
  }

  // Share of the unobserved positives in every bin of predicted probability, epoch by epoch.
  function heatMaps(experiment, dataset) {
    const values = [];
    for (const row of experiment.rows) {
      const counts = (row.histograms || {})[dataset] || [];
      counts.forEach((bins, epoch) => {
        const sum = bins.reduce((a, b) => a + b, 0) || 1;
        bins.forEach((count, i) => values.push({ label: row.label, epoch: epoch + 1,
          low: i / bins.length, high: (i + 1) / bins.length, share: 100 * count / sum,
          from: epoch + 0.5, to: epoch + 1.5 }));
      });
    }
    if (values.length === 0) return null;
    const columns = narrow() ? 1 : 2;
    return {
      data: { values },
      facet: { field: "label", type: "nominal", sort: null, title: null },
      columns,
      spec: {
        width: facetWidth(columns, narrow() ? 80 : 110),
        height: 260,
        mark: "rect",
        encoding: {
          x: { field: "from", type: "quantitative", title: "epoch", scale: { nice: false, zero: false },
            axis: { grid: false, tickMinStep: 1 } },
          x2: { field: "to" },
          y: { field: "low", type: "quantitative", title: "predicted probability",
            scale: { nice: false }, axis: { grid: false } },
          y2: { field: "high" },
          color: { field: "share", type: "quantitative", title: "% of unobserved positives",
            scale: { scheme: "viridis", type: "sqrt" }, legend: { orient: "bottom" } },
          tooltip: [{ field: "label", title: "loss" }, { field: "epoch" }, two("low", "from"),
            two("high", "to"), two("share", "% of them")],
        },
      },
    };
  }

  // Ours and the paper's, row by row.
  function besidePaper(experiment, dataset) {
    const values = [];
    for (const row of experiment.rows) {
      const cell = (row.cells || {})[dataset] || {};
      if (typeof cell.ours !== "number") continue;
      values.push({ label: row.label, who: "this program", value: cell.ours });
      if (typeof cell.paper === "number") values.push({ label: row.label, who: "paper", value: cell.paper });
    }
    if (values.length === 0) return null;
    const y = { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: 180 } };
    const x = { field: "value", type: "quantitative", title: experiment.metric_text + " (%)",
      scale: { zero: false, padding: 12 }, axis: { tickCount: narrow() ? 5 : 10 } };
    return {
      data: { values },
      height: 24 * new Set(values.map(({ label }) => label)).size,
      layer: [
        { mark: { type: "line", strokeWidth: 2, opacity: 0.4 },
          encoding: { y, x, detail: { field: "label" }, color: { value: "#888" } } },
        { mark: { type: "point", filled: true, size: 100, opacity: 1 },
          encoding: { y, x,
            color: { field: "who", type: "nominal", sort: null, title: null, legend: legendBelow() },
            shape: { field: "who", type: "nominal", sort: null, title: null },
            tooltip: [{ field: "label", title: "loss" }, { field: "who", title: "whose" }, two("value", "MAP")] } },
      ],
    };
  }

  return { testMap, learningCurves, reliability, perClass, againstX, heatMaps, besidePaper };
})();
