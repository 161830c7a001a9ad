// Draws a simulated review from the results in #data: see suggest/simulate.h for their shape.
"use strict";
(() => {
  const simulation = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const curves = [["suggested", simulation.rounds], ["an", simulation.an], ["random", simulation.random]];

  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }
  const number = (value, digits) => (typeof value === "number" ? value.toFixed(digits) : "–");
  const count = (value) => value.toLocaleString("en");

  document.getElementById("subtitle").textContent =
    `${simulation.data}, ${simulation.loss}: ${count(simulation.rows)} rows, ${count(simulation.unknown)} unknown labels, ` +
    `${count(simulation.hidden)} of them hidden positives. The full labels answer the questions and nothing else.`;
  document.querySelector("#licenses pre").textContent = document.getElementById("license-text").textContent;

  const points = curves.flatMap(([ranking, rounds]) => rounds.map((round) => ({ ranking, ...round,
    found: 100 * round.found, precision: round.precision === null ? null : 100 * round.precision })));

  function curve(field, title, zero) {
    const values = points.filter((point) => typeof point[field] === "number");
    if (values.length === 0) return null;
    return {
      data: { values }, height: 300,
      mark: { type: "line", point: { size: 45, filled: true }, strokeWidth: 2 },
      encoding: {
        x: { field: "answers", type: "quantitative", title: "answers" },
        y: { field, type: "quantitative", title, scale: { zero } },
        color: { field: "ranking", type: "nominal", sort: null, title: null, legend: { orient: "bottom" } },
        tooltip: [{ field: "ranking" }, { field: "answers" }, { field, title, format: ".2f" }],
      },
    };
  }

  const drawn = [];
  function chart(title, caption, spec) {
    if (spec === null) return;
    const node = element("div", { class: "chart" });
    main.append(element("h2", {}, title), element("figure", {}, node, element("figcaption", {}, caption)));
    drawn.push({ node, spec });
  }
  chart("Hidden labels found", "Of all hidden positives, in percent.", curve("found", "found (%)", true));
  chart("What the answers are worth", "Test MAP of a classifier trained on what is known after so many answers. For “random” it is " +
    "the same kind of classifier as for “suggested”; “an” trains with unknown labels as absent.",
    curve("test_map", "test MAP (%)", false));
  chart("Precision", "Share of yes among all answers so far.", curve("precision", "precision (%)", true));

  const head = element("tr", {}, element("th", {}, "answers"), ...curves.flatMap(([name]) =>
    [`${name}: found`, "precision", "test MAP"].map((text) => element("th", {}, text))));
  const rows = simulation.rounds.map((round, i) => element("tr", {}, element("td", {}, count(round.answers)),
    ...curves.flatMap(([, rounds]) => {
      const { found, precision, test_map } = rounds[i] ?? {};
      const percent = (value) => (typeof value === "number" ? number(100 * value, 1) + " %" : "–");
      return [percent(found), percent(precision), number(test_map, 2)].map((text) => element("td", {}, text));
    })));
  main.append(element("h2", {}, "Numbers"), element("div", { class: "scroll", tabindex: "0" },
    element("table", { class: "results" }, element("thead", {}, head), element("tbody", {}, ...rows))));

  async function draw() {
    const dark = document.documentElement.dataset.theme === "dark";
    const ink = dark ? "#e6eaf1" : "#1c2330", line = dark ? "#303947" : "#d9dfe8";
    const config = { background: null,
      axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12 },
      legend: { labelColor: ink, labelFontSize: 12 }, view: { stroke: line },
      range: { category: dark ? ["#7db4f0", "#f0a35e", "#8fd19e"] : ["#2563a8", "#c2600c", "#2f7d43"] } };
    for (const { node, spec } of drawn) {
      await vegaEmbed(node, { width: "container", autosize: { type: "fit-x", contains: "padding" }, ...spec, config },
        { mode: "vega-lite", renderer: "svg", actions: false, tooltip: { theme: dark ? "dark" : "light" } });
    }
    document.documentElement.dataset.drawn = String(drawn.length);
  }
  const button = document.getElementById("theme");
  function setTheme(name) {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    draw();
  }
  button.addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
})();
