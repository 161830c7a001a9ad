// Draws a simulated review from the results in #data: see suggest/simulate.h for their shape.
"use strict";
(() => {
  const simulation = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const curves = [["suggested", simulation.rounds], ["an", simulation.an], ["random", simulation.random]];

  const { element, number, show } = drawing;
  const count = (value) => value.toLocaleString("en");

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

  const chart = (title, caption, spec) => drawing.chart(main, { h2: title }, caption, () => spec);
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

  show(`${simulation.data}, ${simulation.loss}: ${count(simulation.rows)} rows, ${count(simulation.unknown)} unknown labels, ` +
    `${count(simulation.hidden)} of them hidden positives. The full labels answer the questions and nothing else.`);
})();
