// What the pages share: elements, charts in the colours of the theme, the button that changes it.
// Text from results only ever becomes text nodes and chart data, never markup or code.
"use strict";
const drawing = (() => {
  const drawn = []; // {node, make}: made and drawn again when theme or width change

  // element("td", {class: "x"}, "text" or nodes...)
  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  const number = (value, digits = 1) => (typeof value === "number" ? value.toFixed(digits) : "–");

  const colors = (dark) => (dark ? { chosen: "#7db4f0", other: "#7d8796" } : { chosen: "#2563a8", other: "#9aa4b2" });

  // A chart below its heading, {h2: "text"} or {h3: "text"}. make(colors) gives a Vega-Lite
  // specification, or null where there is nothing to draw.
  function chart(parent, heading, caption, make) {
    if (make(colors(false)) === null) return;
    const [[tag, title]] = Object.entries(heading);
    const node = element("div", { class: "chart", id: "chart-" + drawn.length });
    parent.append(element(tag, {}, title), element("figure", {}, node, element("figcaption", {}, caption)));
    drawn.push({ node, make });
  }

  function chartConfig(dark) {
    const ink = dark ? "#e6eaf1" : "#1c2330", line = dark ? "#303947" : "#d9dfe8";
    return {
      background: null,
      font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
      axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line,
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontWeight: "normal" },
      header: { labelColor: ink, labelFontSize: 13, labelFontWeight: "bold", labelLimit: 240 },
      text: { color: ink },
      view: { stroke: line },
      range: { category: dark ? ["#7db4f0", "#f0a35e", "#8fd19e", "#d6a5e8"]
                              : ["#2563a8", "#c2600c", "#2f7d43", "#8a4ba3"] },
    };
  }

  async function draw() {
    const dark = document.documentElement.dataset.theme === "dark";
    for (const { node, make } of drawn) {
      const spec = make(colors(dark));
      const width = spec.facet ? {} : { width: "container", autosize: { type: "fit-x", contains: "padding" } };
      await vegaEmbed(node, { ...width, ...spec, config: chartConfig(dark) },
        { mode: "vega-lite", renderer: "svg", actions: false, tooltip: { theme: dark ? "dark" : "light" } });
    }
    document.documentElement.dataset.drawn = String(drawn.length);
  }

  const button = document.getElementById("theme");
  function setTheme(name) {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    return draw();
  }

  // Draws the charts; to be called when all of them are there.
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  function show(subtitle) {
    document.getElementById("subtitle").textContent = subtitle;
    document.querySelector("#licenses pre").textContent = document.getElementById("license-text").textContent;
    return setTheme(prefersDark.matches ? "dark" : "light");
  }

  button.addEventListener("click", () =>
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  window.addEventListener("beforeprint", () => setTheme("light"));
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if ((width < 640) !== (window.innerWidth < 640)) draw();
    width = window.innerWidth;
  });

  return { element, number, chart, show };
})();
