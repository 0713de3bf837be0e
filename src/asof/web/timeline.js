// Moves the page of an entity to a date: the slider goes by years, the field takes any date. The rule that says what a
// fact is worth is the one of asof.timeline.verdict; what this script cannot read, the server does.
"use strict";
(() => {
  const form = document.getElementById("asof");
  if (!form) return;
  const slider = document.getElementById("slider");
  const field = document.getElementById("on");
  const told = document.getElementById("told");
  const table = document.getElementById("timeline");
  const only = document.getElementById("only");
  const now = document.getElementById("now");
  const [first, last] = [Number(form.dataset.first), Number(form.dataset.last)];
  const rows = [...table.querySelectorAll("tr.fact")].map((row) => ({
    row, badge: row.querySelector(".badge"), days: row.dataset.days.split(" ").map(Number), worth: null,
  }));
  const WORDS = { correct: "holds", transitional: "transitional", incorrect: "does not hold" };

  // Day 0 is 1 January 1970, in the proleptic Gregorian calendar; years are astronomical (0 is 1 BCE).
  function dayNumber(year, month, day) {
    const y = month <= 2 ? year - 1 : year;
    const era = Math.floor(y / 400);
    const ofEra = y - era * 400;
    const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
    return era * 146097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719468;
  }
  const written = (year) => (year > 0 ? String(year).padStart(4, "0") : `-${String(1 - year).padStart(4, "0")}`);
  const said = (text) => (/^-\d+$/.test(text) ? `${Number(text.slice(1))} BCE` : text);
  const months = (count) => [Math.floor(count / 12), (((count % 12) + 12) % 12) + 1];
  const two = (number) => String(number).padStart(2, "0");

  // Years, quarters, months and days as they are written here; null for what only the server reads.
  function read(text) {
    const match = /^(-?)(\d{1,6})(?:-(?:[Qq]([1-4])|(\d{2})(?:-(\d{2}))?))?$/.exec(text.trim());
    if (!match || Number(match[2]) === 0) return null;
    const year = match[1] ? 1 - Number(match[2]) : Number(match[2]);
    if (match[5] || Number(match[4] || 1) > 12 || match[4] === "00") return null;
    const length = match[3] ? 3 : match[4] ? 1 : 12;
    const count = year * 12 + (match[3] ? (Number(match[3]) - 1) * 3 : match[4] ? Number(match[4]) - 1 : 0);
    const name = (at) => {
      const [y, m] = months(at);
      return written(y) + (length === 3 ? `-Q${(m + 2) / 3}` : length === 1 ? `-${two(m)}` : "");
    };
    return {
      text: name(count), first: dayNumber(...months(count), 1), last: dayNumber(...months(count + length), 1) - 1,
      previous: name(count - length), next: name(count + length), year,
    };
  }

  function verdict([earliestStart, latestStart, earliestEnd, latestEnd], date) {
    if (earliestStart > date.last || date.first > latestEnd) return "incorrect";
    return latestStart <= date.first && date.last <= earliestEnd ? "correct" : "transitional";
  }

  // A transition is sure on some day of the date; what is not may hold on none, as what is ongoing after the known day.
  function badge([, latestStart, earliestEnd], date, worth) {
    const sure = latestStart <= date.last && date.first <= earliestEnd;
    return worth === "transitional" && !sure ? "possibly" : WORDS[worth];
  }

  function address(text) {
    const url = new URL(location.href);
    if (text) url.searchParams.set("on", text);
    else url.searchParams.delete("on");
    return url;
  }

  const place = (day) => (100 * (Math.min(Math.max(day, first), last + 1) - first)) / (last + 1 - first);

  function show(date) {
    const counts = { correct: 0, transitional: 0, incorrect: 0 };
    table.classList.toggle("dated", Boolean(date));
    form.classList.toggle("dated", Boolean(date));
    for (const one of rows) {
      const worth = date ? verdict(one.days, date) : "";
      if (worth) counts[worth] += 1;
      const text = date ? badge(one.days, date, worth) : "";
      if (worth !== one.worth || text !== one.badge.textContent) one.badge.removeAttribute("title");
      if (worth === one.worth && text === one.badge.textContent) continue;
      one.worth = worth;
      one.row.className = `fact line ${worth}`;
      one.badge.textContent = text;
    }
    now.setAttribute("x", `${date ? place(date.first) : 0}%`);
    now.setAttribute("width", `${date ? Math.max(place(date.last + 1) - place(date.first), 0.6) : 0}%`);
    told.classList.remove("wrong");
    told.textContent = date
      ? `${said(date.text)}: ${counts.correct} hold, ${counts.transitional} transitional, ${counts.incorrect} do not`
      : "All times. Move the slider, or type a date.";
    field.value = date ? date.text : "";
    if (date && date.year !== undefined) slider.value = date.year;
    slider.setAttribute("aria-valuetext", date ? said(date.text) : "all times");
    only.disabled = !date;
    steps(date);
  }

  function steps(date) {
    for (const [id, text] of [["previous", date && date.previous], ["next", date && date.next]]) {
      const step = document.getElementById(id);
      step.hidden = !text;
      if (text) step.href = address(text);
    }
    document.getElementById("clear").hidden = !date;
    for (const link of document.querySelectorAll("a.to")) {
      const url = new URL(link.href);
      if (date) url.searchParams.set("on", date.text);
      else url.searchParams.delete("on");
      link.href = url;
    }
    const json = document.getElementById("json");
    const url = address(date && date.text);
    url.searchParams.set("format", "json");
    json.href = url;
    document.title = document.title.replace(/^(.*?)(, [^,·]*)? · asof$/, (_, name) => `${name}${date ? `, ${date.text}` : ""} · asof`);
  }

  function go(date) {
    show(date);
    const current = history.state && history.state.date;
    if ((current ? current.text : null) === (date ? date.text : null)) return;
    history.pushState({ date }, "", address(date && date.text));
  }

  // The date that the server has read for this page, also when it is one that this script cannot read.
  function atFirst() {
    if (!form.dataset.onFirst) return null;
    const simple = read(field.value);
    const given = { text: field.value, first: Number(form.dataset.onFirst), last: Number(form.dataset.onLast) };
    given.previous = form.dataset.previous;
    given.next = form.dataset.next;
    given.year = Number(slider.value);
    return simple || given;
  }

  slider.hidden = false;
  slider.addEventListener("input", () => show(read(written(Number(slider.value)))));
  slider.addEventListener("change", () => go(read(written(Number(slider.value)))));
  form.addEventListener("submit", (event) => {
    const date = read(field.value);
    if (field.value.trim() && !date) return; // the server reads it
    event.preventDefault();
    go(date);
  });
  form.addEventListener("click", (event) => {
    const link = event.target.closest("#previous, #next, #clear");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const text = link.id === "clear" ? "" : new URL(link.href).searchParams.get("on");
    const date = text ? read(text) : null;
    if (text && !date) return;
    event.preventDefault();
    go(date);
  });
  window.addEventListener("popstate", (event) => {
    if (event.state && "date" in event.state) show(event.state.date);
  });
  const date = atFirst();
  history.replaceState({ date }, "");
  const wrong = told.classList.contains("wrong") && told.textContent;
  const typed = field.value;
  show(date);
  if (wrong) {
    told.textContent = wrong;
    field.value = typed;
    told.classList.add("wrong");
  }
})();
