// Draws the report from the results in #data: see collect.h for their shape.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const { element, number, show } = drawing;
  const signed = (value) => (typeof value === "number" ? (value > 0 ? "+" : "") + value.toFixed(2) : "–");
  // 0.0001 as 1e-4
  const power = (value) => value.toExponential().replace("e+", "e");
  // 0.0031000000000000003 as 0.0031
  const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(6))) : plain(value));
  const plain = (value) => (value === null || value === undefined ? "–" : String(value));
  const withDeviation = (mean, deviation, digits) =>
    number(mean, digits) + (typeof deviation === "number" ? " ± " + number(deviation, digits) : "");
  const cell = (text, className) => element("td", className ? { class: className } : {}, text);
  const rankClass = (rank) => ["", "first", "second"][rank || 0];

  // A header cell is a text or {text, ...attributes}.
  function table(className, headers, rows) {
    const head = headers.map((cells) => element("tr", {}, ...cells.map((header) => {
      const { text, ...attributes } = typeof header === "string" ? { text: header } : header;
      return element("th", attributes, text);
    })));
    return element("div", { class: "scroll", tabindex: "0" },
      element("table", { class: className }, element("thead", {}, ...head), element("tbody", {}, ...rows)));
  }
  const row = (cells) => element("tr", {}, ...cells.map((text) => cell(text)));

  const chart = (parent, title, caption, make) => drawing.chart(parent, { h3: title }, caption, make);

  // Says so when a mean is over fewer seeds than were asked for.
  function seedsNote({ seeds, seeds_missing }) {
    const done = seeds ? seeds.length : 1;
    return seeds_missing ? ` (${done} of ${done + seeds_missing.length} seeds)` : "";
  }

  // What a classifier is the mean of, and what its features and steps were like, where it is told.
  const meanOf = ({ average, blend_ridge }) => [
    ...(average > 1 ? [`mean of ${average} seeds`] : []),
    ...(blend_ridge ? ["blended with ridge"] : [])].join(", ");
  const moreSettings = (result) => [
    ...(result.transform && result.transform !== "none" ? [result.transform] : []),
    ...(result.weight_decay > 0 ? [`weight decay ${short(result.weight_decay)}`] : []),
    meanOf(result)].filter((text) => text).join(", ");

  // The chosen run of every row of a sweep.
  function resultsTable(group) {
    const more = group.rows.some(({ winner }) => moreSettings(winner));
    const rows = group.rows.map(({ label, labels, single, rank, winner }) =>
      element("tr", single ? { class: "single" } : {},
        cell(label), cell(labels, "text"),
        cell(withDeviation(winner.test_map_mean ?? winner.test_map, winner.test_map_std) + seedsNote(winner),
          rankClass(rank)),
        ...[number(winner.val_map_mean ?? winner.val_map), number(winner.train_map_mean ?? winner.train_map),
          short(winner.lr), plain(winner.batch), plain(winner.best_epoch)].map((text) => cell(text)),
        ...(more ? [cell(moreSettings(winner), "text")] : [])));
    return table("results", [["loss", { text: "labels it sees", class: "text" }, "test MAP", "val MAP",
      "train MAP", "lr", "batch", "epoch", ...(more ? [{ text: "settings", class: "text" }] : [])]], rows);
  }

  // An experiment's numbers beside the paper's, a group of columns per data set.
  function comparisonTable(experiment) {
    const described = experiment.rows.some(({ labels }) => labels);
    const settings = experiment.rows.some(({ cells }) =>
      Object.values(cells || {}).some(({ lr }) => lr !== undefined));
    const columns = experiment.columns.map((dataset) => ({ dataset,
      given: experiment.rows.some(({ cells }) => typeof ((cells || {})[dataset] || {}).ours === "number") }));
    const width = ({ given }) => (given ? (settings ? 4 : 3) : 1);
    const top = [{ text: "" }, ...(described ? [{ text: "" }] : []),
      ...columns.map((c) => ({ text: c.dataset, colspan: width(c), class: "over" }))];
    const below = [{ text: experiment.row_title }, ...(described ? [{ text: "labels it sees", class: "text" }] : []),
      ...columns.flatMap((c) => c.given
        ? ["ours", "paper", "difference", ...(settings ? ["lr, batch"] : [])] : ["paper"])];
    const rows = experiment.rows.map((line) => element("tr", { class: line.extra ? "extra" : line.single ? "single" : "" },
      cell(line.label), ...(described ? [cell(line.labels || "", "text")] : []),
      ...columns.flatMap(({ dataset, given }) => {
        const value = (line.cells || {})[dataset] || {};
        if (!given) return [cell(number(value.paper))];
        return [cell(withDeviation(value.ours, value.std, 2), rankClass(value.rank)), cell(number(value.paper)),
          cell(signed(value.difference)), ...(settings ? [cell(value.lr === undefined ? "–" : `${power(value.lr)}, ${value.batch}`)] : [])];
      })));
    return table("results", [top, below], rows);
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
      ["features, labels", of((c) => c.features) + ", " + group.classes.length],
      ["seeds", distinct(group.runs.map((run) => run.result.seed))],
      ["version", of((c) => c.version)],
      ["machine", of((c) => Object.entries(c.machine).map(([k, v]) => `${k} ${v}`).join(", "))],
    ];
    return table("facts", [], facts.map(([name, value]) => row([name, value])));
  }

  function runsTable(group) {
    const rows = group.runs.map(({ name, row: label, result, config: { config = {} } }) => row([
      name, label, plain(result.mode), short(result.lr), plain(result.batch), plain(result.epochs),
      plain(result.seed), number(result.k, 2), plain(config.transform), short(config["weight-decay"]),
      plain(config.subsample), meanOf(result),
      Object.entries(result.params || {}).map(([k, v]) => `${k}=${v}`).join(" "),
      plain(result.best_epoch), number(result.val_map, 2), number(result.test_map, 2),
      number(result.train_seconds, 2)]));
    return table("results", [["run", "loss", "mode", "lr", "batch", "epochs", "seed", "k", "transform",
      "weight decay", "subsample", "mean", "parameters", "best epoch", "val MAP", "test MAP", "seconds"]], rows);
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

  // What a search chose by: a trial may hold out several parts in turn, the MAP is that of the first.
  const scoreNote = (run) => (run.result.selected_on === "clean"
    ? "validation MAP against full labels, the mean over the parts that were held out"
    : "how near the top of a label's scores the validation rows observed with it are, for as many positives " +
      "as it is expected to have, in percent; not MAP, which takes unobserved positives for mistakes");

  // A mean of two is taken though it is hardly worse (kHardlyWorse in auto.cc).
  function choiceNote(trials) {
    const chosen = trials.find((t) => t.chosen);
    const beaten = chosen && chosen.blend_ridge &&
      trials.some((t) => t.stage === "final" && t.score > chosen.score);
    return beaten ? " It is not the best by score: a blend with ridge is chosen unless something else is more " +
      "than 1 % better, because less than that is chance, on which a mean of two depends less." : "";
  }

  // Every trial of a search, best first within its stage.
  function searchPart(part, run) {
    const trials = [...run.search].sort((a, b) =>
      (a.stage < b.stage ? -1 : a.stage > b.stage ? 1 : (b.score ?? -1) - (a.score ?? -1)));
    const rows = trials.map((t) => element("tr", t.chosen ? { class: "single" } : {},
      ...[t.stage === "final" ? "whole run" : "short run", t.loss,
        Object.entries(t.params).map(([k, v]) => `${k}=${v}`).join(" "), t.transform, short(t.lr),
        plain(t.weight_decay), plain(t.epochs), t.blend_ridge ? "ridge" : "", number(t.val_map, 2),
        t.error ? t.error : number(t.score, 2)].map((text) => cell(text, t.chosen ? "first" : ""))));
    part.append(element("h3", {}, "The search"),
      element("p", { class: "note" }, `${trials.length} trials; score: ${scoreNote(run)}. The chosen one is in ` +
        `bold.${choiceNote(trials)}`),
      table("results", [["stage", "loss", "parameters", "transform", "lr", "weight decay", "epochs",
        "blend", "val MAP", "score"]], rows));
  }

  // What is shown of any set of runs.
  function runsPart(part, group) {
    const of = group.name ? ` (${group.name})` : "";
    chart(part, "Average precision per class" + of, "The chosen run of every row, on the test rows.",
      () => charts.perClass(group));
    chart(part, "Learning curves" + of, "Validation MAP after every epoch, a line per run.",
      (colors) => charts.learningCurves(group, colors));
    chart(part, "Do probabilities mean what they say?" + of,
      "Of labels given a probability, the share that is there, on the test rows. On the line: exactly as often as said.",
      () => charts.reliability(group));
    for (const run of group.runs) if (run.search) searchPart(part, run);
    part.append(element("h3", {}, "Where this comes from" + of), provenance(group),
      element("details", {}, element("summary", {}, `All ${group.runs.length} runs`), runsTable(group)),
      configurations(group));
  }

  const ranking = "Best in bold, second-best underlined, among the losses that see one positive label per " +
    "example and nothing else. Settings were chosen on validation.";

  function sweepSection(part, { groups: [group] }) {
    part.append(resultsTable(group), element("p", { class: "note" }, ranking));
    chart(part, "Test MAP", "The chosen run of every loss.", () => charts.testMap(group));
    runsPart(part, group);
  }

  function experimentSection(part, { experiment, groups }) {
    if (experiment.note) part.append(element("p", {}, experiment.note));
    part.append(element("p", { class: "note" }, `Mode ${experiment.mode}, ${experiment.runs} runs, ` +
      `${experiment.seeds} ${experiment.seeds === 1 ? "seed" : "seeds, mean ± standard deviation"}.`));
    if (experiment.show === "table") {
      part.append(comparisonTable(experiment));
      if (groups.length > 0) part.append(element("p", { class: "note" }, ranking));
    }
    for (const { name } of groups) {
      if (experiment.show === "table") {
        chart(part, `Beside the paper (${name})`, "The chosen run of every row and the published number.",
          () => charts.besidePaper(experiment, name));
      }
      chart(part, name, experiment.caption || "", () => charts.againstX(experiment, name));
      chart(part, name, experiment.caption || "", () => charts.heatMaps(experiment, name));
    }
    for (const group of groups) runsPart(part, group);
  }

  function section(content) {
    const part = element("section", {}, element("h2", {}, content.title));
    main.append(part);
    (content.experiment ? experimentSection : sweepSection)(part, content);
  }

  report.sections.forEach(section);
  show(`Learning from one positive label per example. Made with spml ${report.version}.`);
})();
