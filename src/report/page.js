// Draws the page from the results in #data: see collect.h for their shape.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const charts = []; // {node, spec}: drawn again when the theme changes

  // element("td", {class: "x"}, "text" or nodes...)
  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  const number = (value, digits = 1) => (typeof value === "number" ? value.toFixed(digits) : "–");
  const plain = (value) => (value === null || value === undefined ? "–" : String(value));

  function table(className, header, rows) {
    return element("div", { class: "scroll" },
      element("table", { class: className },
        element("thead", {}, element("tr", {}, ...header.map((text) =>
          element("th", text === "labels it sees" ? { class: "text" } : {}, text)))),
        element("tbody", {}, ...rows)));
  }
  const row = (cells) => element("tr", {}, ...cells.map((text) => element("td", {}, text)));

  function chart(parent, id, caption, spec) {
    const node = element("div", { class: "chart", id });
    parent.append(element("figure", {}, node, element("figcaption", {}, caption)));
    charts.push({ node, spec });
  }

  // Mean and deviation over seeds where there are several.
  const testOf = (winner) => winner.test_map_mean ?? winner.test_map;
  const valOf = (winner) => winner.val_map_mean ?? winner.val_map;
  const withDeviation = (winner) =>
    number(testOf(winner)) +
    (winner.test_map_std === undefined ? "" : " ± " + number(winner.test_map_std));

  function resultsTable(group) {
    const rows = group.losses.map(({ loss, labels, single, rank, winner }) => {
      const test = element("td", { class: ["", "first", "second"][rank] }, withDeviation(winner));
      const line = element("tr", single ? { class: "single" } : {},
        element("td", {}, loss), element("td", { class: "text" }, labels), test,
        ...[number(valOf(winner)), number(winner.train_map), plain(winner.lr), plain(winner.batch),
          plain(winner.best_epoch)].map((text) => element("td", {}, text)));
      return line;
    });
    return table("results",
      ["loss", "labels it sees", "test MAP", "val MAP", "train MAP", "lr", "batch", "epoch"], rows);
  }

  function testChart(group) {
    const values = group.losses
      .filter(({ winner }) => typeof testOf(winner) === "number")
      .map(({ loss, labels, winner }) => ({
        loss, labels, test: testOf(winner), deviation: winner.test_map_std ?? 0,
        low: testOf(winner) - (winner.test_map_std ?? 0),
        high: testOf(winner) + (winner.test_map_std ?? 0),
      }));
    if (values.length === 0) return null;
    const y = { field: "loss", type: "nominal", sort: null, title: null };
    const x = { type: "quantitative", title: "test MAP (%)", scale: { zero: false, nice: true } };
    return {
      data: { values },
      height: 26 * values.length,
      layer: [
        { mark: { type: "rule", strokeWidth: 2, opacity: 0.5 },
          encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" } } },
        { mark: { type: "point", filled: true, size: 110, opacity: 1 },
          encoding: { y,
            x: { ...x, field: "test" },
            color: { field: "labels", type: "nominal", sort: null, title: "labels it sees",
              legend: { orient: "bottom", columns: window.innerWidth < 640 ? 1 : 2, labelLimit: 300 } },
            tooltip: [{ field: "loss" }, { field: "labels" },
              { field: "test", format: ".2f", title: "test MAP" },
              { field: "deviation", format: ".2f" }] } },
      ],
    };
  }

  // One small chart per loss, a line per run, the winner in front.
  function curvesChart(group) {
    const values = [];
    for (const run of group.runs) {
      run.curve.forEach((val, epoch) => {
        if (typeof val === "number") {
          values.push({ loss: run.result.loss, run: run.name, epoch: epoch + 1, val,
            lr: plain(run.result.lr), batch: run.result.batch, seed: run.result.seed,
            kind: run.winner ? "chosen on validation" : "other settings" });
        }
      });
    }
    if (values.length === 0) return null;
    const narrow = window.innerWidth < 640;
    return {
      data: { values },
      facet: { field: "loss", type: "nominal", sort: group.losses.map(({ loss }) => loss),
        title: null },
      columns: narrow ? 2 : 3,
      spec: {
        width: narrow ? Math.max(90, (window.innerWidth - 150) / 2) : 260,
        height: narrow ? 90 : 130,
        mark: { type: "line", strokeWidth: 1.6 },
        encoding: {
          x: { field: "epoch", type: "quantitative", title: "epoch", axis: { tickMinStep: 1, tickCount: 5 } },
          y: { field: "val", type: "quantitative", title: "val MAP (%)", scale: { zero: false } },
          detail: { field: "run" },
          color: { field: "kind", type: "nominal", title: null,
            sort: ["chosen on validation", "other settings"], legend: { orient: "bottom" } },
          opacity: { condition: { test: "datum.kind === 'chosen on validation'", value: 1 }, value: 0.35 },
          order: { field: "epoch" },
          tooltip: [{ field: "loss" }, { field: "lr" }, { field: "batch" }, { field: "seed" },
            { field: "epoch" }, { field: "val", format: ".2f", title: "val MAP" }],
        },
      },
    };
  }

  function classesChart(group) {
    const values = [];
    for (const { loss, winner } of group.losses) {
      (winner.per_class_ap || []).forEach((ap, j) => {
        if (typeof ap === "number") values.push({ loss, name: group.classes[j] ?? "class " + j, ap });
      });
    }
    if (values.length === 0) return null;
    return {
      data: { values },
      height: 18 * new Set(values.map(({ name }) => name)).size,
      mark: "rect",
      encoding: {
        y: { field: "name", type: "nominal", sort: group.classes, title: null },
        x: { field: "loss", type: "nominal", sort: null, title: null,
          axis: { orient: "top", labelAngle: -45 } },
        color: { field: "ap", type: "quantitative", title: "AP (%)",
          scale: { scheme: "viridis" }, legend: { orient: "bottom" } },
        tooltip: [{ field: "name", title: "class" }, { field: "loss" },
          { field: "ap", format: ".1f", title: "AP" }],
      },
    };
  }

  const distinct = (values) => [...new Set(values.map(plain))].join("; ");

  function provenance(group) {
    const configs = group.runs.map((run) => run.config);
    const of = (read) => distinct(configs.map((config) => {
      try { return read(config); } catch { return null; }
    }));
    const facts = [
      ["folder", group.path],
      ["data", of((c) => c.data)],
      ["fingerprint of the data", of((c) => c.config.data_fingerprint)],
      ["rows", of((c) => `${c.rows.train} train, ${c.rows.val} val, ${c.rows.test} test`)],
      ["features", of((c) => c.features)],
      ["version", of((c) => c.version)],
      ["machine", of((c) => Object.entries(c.machine).map(([k, v]) => `${k} ${v}`).join(", "))],
    ];
    return element("div", {}, table("facts", ["", ""],
      facts.map(([name, value]) => row([name, value]))));
  }

  function runsTable(group) {
    const rows = group.runs.map(({ result }) => row([
      result.loss, plain(result.mode), plain(result.lr), plain(result.batch), plain(result.epochs),
      plain(result.seed), number(result.k, 2),
      Object.entries(result.params || {}).map(([k, v]) => `${k}=${v}`).join(" "),
      plain(result.best_epoch), number(result.val_map), number(result.test_map),
      number(result.train_seconds, 2)]));
    return table("results", ["loss", "mode", "lr", "batch", "epochs", "seed", "k", "parameters",
      "best epoch", "val MAP", "test MAP", "seconds"], rows);
  }

  function configurations(group) {
    const text = element("pre");
    const choice = element("select", { "aria-label": "run" },
      ...group.runs.map((run, i) => element("option", { value: i }, run.name)));
    const show = () => { text.textContent = JSON.stringify(group.runs[choice.value].config, null, 2); };
    choice.addEventListener("change", show);
    show();
    return element("details", {}, element("summary", {}, "Whole configuration of a run"), choice, text);
  }

  function section(group, index) {
    const part = element("section", {}, element("h2", {}, group.title));
    main.append(part);
    part.append(resultsTable(group), element("p", { class: "note" },
      "Best in bold, second-best underlined, among the losses that see one positive label per " +
      "example and nothing else. Settings were chosen on validation."));
    const add = (title, id, caption, spec) => {
      if (spec === null) return;
      part.append(element("h3", {}, title));
      chart(part, `${id}-${index}`, caption, spec);
    };
    add("Test MAP", "test", "The chosen run of every loss.", testChart(group));
    add("Learning curves", "curves", "Validation MAP after every epoch, a line per run.",
      curvesChart(group));
    add("Average precision per class", "classes", "The chosen run of every loss, on the test rows.",
      classesChart(group));
    part.append(element("h3", {}, "Where this comes from"), provenance(group),
      element("details", {}, element("summary", {}, `All ${group.runs.length} runs`), runsTable(group)),
      configurations(group));
  }

  function chartConfig(dark) {
    const ink = dark ? "#e6eaf1" : "#1c2330", line = dark ? "#303947" : "#d9dfe8";
    return {
      background: null,
      font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
      axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line,
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontWeight: "normal" },
      header: { labelColor: ink, labelFontSize: 13, labelFontWeight: "bold" },
      view: { stroke: line },
      range: { category: dark ? ["#7db4f0", "#f0a35e", "#8fd19e", "#d6a5e8"]
                              : ["#2563a8", "#c2600c", "#2f7d43", "#8a4ba3"] },
    };
  }

  async function draw() {
    const dark = document.documentElement.dataset.theme === "dark";
    for (const { node, spec } of charts) {
      await vegaEmbed(node, {
        ...(spec.facet ? {} : { width: "container", autosize: { type: "fit-x", contains: "padding" } }), ...spec, config: chartConfig(dark),
      }, { mode: "vega-lite", renderer: "svg", actions: false, tooltip: { theme: dark ? "dark" : "light" } });
    }
    document.documentElement.dataset.drawn = String(charts.length);
  }

  function setTheme(name) {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    return draw();
  }

  const button = document.getElementById("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  button.addEventListener("click", () =>
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  window.addEventListener("beforeprint", () => setTheme("light"));

  document.getElementById("subtitle").textContent =
    `Learning from one positive label per example. Made with spml ${report.version}.`;
  document.querySelector("#licenses pre").textContent =
    document.getElementById("license-text").textContent;
  report.groups.forEach(section);
  setTheme(prefersDark.matches ? "dark" : "light");
})();
