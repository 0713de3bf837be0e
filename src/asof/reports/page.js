// The table of facts: sort, filter, open. Text from the data goes into the page as text, never as HTML.
"use strict";

const PRECISIONS = { y: "year", m: "month", d: "day" };
const VERDICTS = { c: "correct", i: "incorrect", t: "transitional" };
const table = document.getElementById("fact-table");
const body = table.tBodies[0];
const rows = [...body.rows];
const filter = document.getElementById("filter");
const shown = document.getElementById("shown");

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const number = (value, digits) => (value === null ? "−∞" : value.toFixed(digits).replace("-", "−"));

function detailOf(row) {
  const next = row.nextElementSibling;
  return next && next.classList.contains("detail") ? next : null;
}

function sortBy(button) {
  const head = button.closest("th");
  const numeric = button.dataset.kind === "number";
  const up = head.getAttribute("aria-sort") === "none" ? !numeric : head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = (row) => row.cells[head.cellIndex].dataset.value;
  const compare = numeric ? (a, b) => value(a) - value(b) : (a, b) => value(a).localeCompare(value(b));
  const details = new Map(rows.map((row) => [row, detailOf(row)]));
  rows.sort((a, b) => (up ? compare(a, b) : compare(b, a)));
  for (const row of rows) body.append(row, ...(details.get(row) ? [details.get(row)] : []));
}

function show() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.cells[0].textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (detailOf(row)) detailOf(row).hidden = row.hidden;
    count += !row.hidden;
  }
  shown.textContent = `${count} of ${rows.length} facts`;
}

// One precision: each date at its α, the higher the likelier. Wrong dates on or above the dotted line are preferred.
function strip(points, title) {
  const finite = points.map((point) => point.logprob).filter((value) => value !== null);
  const low = finite.length ? Math.min(...finite) : -1;
  const high = finite.length ? Math.max(...finite) : 0;
  const reach = Math.max(5, ...points.map((point) => Math.abs(point.alpha)));
  const x = (alpha) => 46 + ((alpha + reach) / (2 * reach)) * 304;
  const y = (value) => (value === null ? 144 : 134 - ((value - low) / (high - low || 1)) * 100);
  const text = (content, place) => draw("text", place, content);
  const svg = draw("svg", { viewBox: "0 0 360 186", role: "img", "aria-label": title });
  svg.append(
    draw("rect", { class: "shade", x: x(-0.5), y: 28, width: x(0.5) - x(-0.5), height: 118 }),
    text("log-probability", { class: "small", x: 0, y: 13 }),
    text(number(high, 1), { class: "end", x: 40, y: 38 }),
    text(number(low, 1), { class: "end", x: 40, y: 138 }),
    ...[-4, -2, 0, 2, 4].map((tick) => text(number(tick, 0), { class: "mid", x: x(tick), y: 164 })),
    text("α, position of the date", { class: "mid", x: 198, y: 182 }),
  );
  const right = points.filter((point) => point.verdict === "c").map((point) => point.logprob);
  if (right.length) {
    const worst = y(right.includes(null) ? null : Math.min(...right));
    svg.append(draw("line", { class: "worst", x1: 46, x2: 350, y1: worst, y2: worst }));
  }
  for (const point of points) {
    const [px, py] = [x(point.alpha), y(point.logprob)];
    const d = {
      c: `M${px - 3.5} ${py}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`,
      i: `M${px - 2.5} ${py - 2.5}l5 5m0 -5l-5 5`,
      t: `M${px} ${py - 4.5}l4.5 8h-9z`,
    }[point.verdict];
    const said = `${point.date}: ${VERDICTS[point.verdict]}, α ${number(point.alpha, 2)}, log-probability ${number(point.logprob, 3)}`;
    svg.append(draw("path", { class: `v-${point.verdict}`, d }, draw("title", {}, said)));
  }
  return svg;
}

function dateTable(points, name) {
  const head = ["date", "precision", "verdict", "α", "log-probability"].map((column) => make("th", { scope: "col" }, column));
  const lines = points.map((point) =>
    make("tr", {}, ...[
      point.date, PRECISIONS[point.precision], VERDICTS[point.verdict], number(point.alpha, 2), number(point.logprob, 3),
    ].map((value) => make("td", {}, value))));
  const content = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines));
  const label = `All ${points.length} dates of ${name}`;
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, content);
  return make("details", { class: "numbers" }, make("summary", {}, label), box);
}

function contentOf(fact) {
  const key = make("p", {}, `Asked as: “${fact.prompt}” Answer: “${fact.answer}”. `);
  for (const [verdict, sign] of [["c", "●"], ["i", "×"], ["t", "▲"]])
    key.append(make("span", { class: `key-${verdict}` }, sign), ` ${VERDICTS[verdict]} `);
  key.append("· higher is likelier · wrong dates on or above the dotted line are preferred to a right one");
  const inside = make("div", { class: "inside" }, key);
  for (const run of fact.runs) {
    const asked = fact.dates[run.dates];
    const dates = asked.date.split(" ");
    const points = run.logprob.map((logprob, i) => ({
      date: dates[i], precision: asked.precision[i], verdict: asked.verdict[i], alpha: asked.alpha[i], logprob,
    }));
    const figures = Object.entries(PRECISIONS).map(([letter, name], i) => {
      const robust = run.robust[i] ? "robustly known" : "not robustly known";
      const caption = `${name}: win rate ${run.win[i].toFixed(3)}, ${robust}`;
      const chart = strip(points.filter((point) => point.precision === letter), `${run.run}, ${caption}; log-probability by α`);
      return make("figure", {}, make("figcaption", {}, caption), chart);
    });
    inside.append(make("h3", {}, run.run), make("div", { class: "figures" }, ...figures), dateTable(points, run.run));
  }
  return inside;
}

function toggle(button) {
  const row = button.closest("tr");
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  if (open) {
    detailOf(row).remove();
  } else {
    const fact = JSON.parse(document.getElementById(`fact${row.dataset.fact}`).textContent);
    row.after(make("tr", { class: "detail" }, make("td", { colspan: String(row.cells.length) }, contentOf(fact))));
  }
}

document.querySelector(".controls").hidden = false;
for (const button of body.querySelectorAll("button.open")) button.disabled = false;
table.tHead.addEventListener("click", (event) => event.target.closest("button") && sortBy(event.target.closest("button")));
body.addEventListener("click", (event) => event.target.closest("button.open") && toggle(event.target.closest("button.open")));
filter.addEventListener("input", show);
show();
