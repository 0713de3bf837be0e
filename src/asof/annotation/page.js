"use strict";
// The texts come from anywhere: they are only ever put in as text, never as markup.
const $ = (id) => document.getElementById(id);
let overview = { count: 0, done: [] };
let item = null;
let spans = [];
let found = null; // the place that "Find next" has shown
let searchFrom = [0, 0];
let changed = false;
const drafts = new Map(); // what was changed and not confirmed, by item

// Python counts characters, JavaScript half of some of them.
const toUnits = (text, points) => Array.from(text).slice(0, points).join("").length;
const toPoints = (text, units) => Array.from(text.slice(0, units)).length;
const words = (span) => Array.from(item.paragraphs[span[0]]).slice(span[1], span[2]).join("");
const same = (one, other) => one.every((part, place) => part === other[place]);

function say(message) { $("message").textContent = message; }

async function ask(path, body) {
  const options = body ? { method: "POST", headers: { "Content-Type": "application/json", "X-Asof": "annotate" }, body: JSON.stringify(body) } : {};
  let content;
  try {
    const reply = await fetch(path, options);
    content = await reply.json();
  } catch {
    throw new Error("asof annotate does not respond. Start it again: everything you confirmed is saved.");
  }
  if (content.error) throw new Error(content.error);
  return content;
}

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

// One paragraph as text and marks, cut at every border of a mark.
function paragraph(number, text, marks) {
  const made = element("p");
  made.dataset.number = number;
  const cuts = [0, text.length, ...marks.flatMap((mark) => [mark.start, mark.end])];
  const borders = [...new Set(cuts)].sort((one, other) => one - other);
  for (let place = 0; place + 1 < borders.length; place++) {
    const kinds = marks.filter((mark) => mark.start <= borders[place] && borders[place + 1] <= mark.end).map((mark) => mark.kind);
    const part = text.slice(borders[place], borders[place + 1]);
    made.append(kinds.length ? element("mark", part, [...new Set(kinds)].join(" ")) : document.createTextNode(part));
  }
  return made;
}

function showText() {
  const marks = item.paragraphs.map(() => []);
  const add = (list, kind) => list.forEach(([number, start, end]) => {
    const text = item.paragraphs[number];
    if (text !== undefined) marks[number].push({ start: toUnits(text, start), end: toUnits(text, end), kind });
  });
  add(item.dates, "date");
  add(item.proposed, "proposed");
  add(spans, "answer");
  if (found) add([found], "found");
  const parts = [];
  item.paragraphs.forEach((text, number) => {
    if (item.headings[number] && item.headings[number] !== item.headings[number - 1]) parts.push(element("h4", item.headings[number]));
    parts.push(paragraph(number, text, marks[number]));
  });
  $("text").replaceChildren(...parts);
}

function showAnswers() {
  $("answers").replaceChildren(...spans.map((span, place) => {
    const entry = element("li");
    const jump = element("button", words(span), "jump");
    jump.type = "button";
    jump.setAttribute("aria-label", `Answer: ${words(span)}. Brackets move its ends, Delete removes it.`);
    jump.onclick = () => bringIntoView(span);
    jump.onkeydown = (event) => editSpan(event, place);
    const remove = element("button", "Remove");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${words(span)}`);
    remove.onclick = () => setSpans(spans.filter((_, other) => other !== place));
    entry.append(jump, remove);
    return entry;
  }));
  $("none").hidden = spans.length > 0;
}

function show() { showText(); showAnswers(); }

function setSpans(list) {
  const unique = list.filter((span, place) => !list.slice(0, place).some((other) => same(span, other)));
  spans = unique.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
  changed = true;
  say("");
  show();
}

function bringIntoView(span) {
  const holder = $("text").querySelector(`p[data-number="${span[0]}"]`);
  const marks = [...(holder?.querySelectorAll("mark.found, mark.answer") ?? [])];
  const beginning = Array.from(words(span)).slice(0, 3).join("");
  const mark = marks.find((one) => one.textContent.startsWith(beginning)) ?? holder;
  if (mark) mark.scrollIntoView({ block: "center" });
}

// The ends of an answer move by whole words.
function editSpan(event, place) {
  const [number, start, end] = spans[place];
  const points = Array.from(item.paragraphs[number]);
  const blank = (at) => at < 0 || at >= points.length || /\s/u.test(points[at]);
  const left = (at) => { let to = at - 1; while (to > 0 && blank(to)) to--; while (to > 0 && !blank(to - 1)) to--; return Math.max(to, 0); };
  const right = (at) => { let to = at + 1; while (to < points.length && blank(to)) to++; while (to < points.length && !blank(to)) to++; return Math.min(to, points.length); };
  const nextWord = (at) => { let to = at; while (to < points.length && !blank(to)) to++; while (to < points.length && blank(to)) to++; return to; };
  const lastEnd = (at) => { let to = at - 1; while (to > 0 && !blank(to)) to--; while (to > 0 && blank(to - 1)) to--; return to; };
  const moves = { "[": [left(start), end], "]": [nextWord(start), end], "{": [start, lastEnd(end)], "}": [start, right(end)] };
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    setSpans(spans.filter((_, other) => other !== place));
  } else if (moves[event.key]) {
    event.preventDefault();
    event.stopPropagation();
    const [first, last] = moves[event.key];
    if (first < last) {
      const moved = [number, first, last];
      setSpans(spans.map((span, other) => (other === place ? moved : span)));
      const at = spans.findIndex((span) => same(span, moved));
      $("answers").querySelectorAll(".jump")[at].focus();
    }
  }
}

// Which letters of which paragraph are selected, without white space at the ends.
function selected() {
  const selection = window.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const holder = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest("#text p");
  const begin = holder(range.startContainer);
  let finish = holder(range.endContainer);
  if (!begin) return null;
  const stop = range.cloneRange();
  if (finish !== begin) {
    // A triple click ends at the beginning of the next paragraph.
    if (range.endOffset !== 0) { say("Select words of one paragraph."); return null; }
    stop.setEndAfter(begin.lastChild);
    finish = begin;
  }
  const before = document.createRange();
  before.selectNodeContents(begin);
  before.setEnd(stop.startContainer, stop.startOffset);
  const text = stop.toString();
  const first = before.toString().length + text.length - text.trimStart().length;
  const last = before.toString().length + text.trimEnd().length;
  if (first >= last) return null;
  const number = Number(begin.dataset.number);
  const whole = item.paragraphs[number];
  return [number, toPoints(whole, first), toPoints(whole, last)];
}

function addSelection() {
  const span = selected() || found;
  if (!span) { say("Select words of the passage first."); return; }
  window.getSelection().removeAllRanges();
  found = null;
  setSpans([...spans, span]);
}

function findNext() {
  const wanted = $("find").value.trim().toLowerCase();
  if (!wanted) return;
  const count = item.paragraphs.length;
  for (let step = 0; step <= count; step++) {
    const number = (searchFrom[0] + step) % count;
    const at = item.paragraphs[number].toLowerCase().indexOf(wanted, step ? 0 : searchFrom[1]);
    if (at >= 0) {
      const text = item.paragraphs[number];
      found = [number, toPoints(text, at), toPoints(text, at + wanted.length)];
      searchFrom = [number, at + 1];
      say("");
      showText();
      bringIntoView(found);
      $("add").disabled = false;
      return;
    }
  }
  found = null;
  say("The passage does not have these words.");
  showText();
}

function showProgress() {
  const done = overview.done.length;
  $("progress").textContent = `${overview.name}: ${done} of ${overview.count} done${done === overview.count ? ". All done, thank you." : ""}`;
}

function keepDraft() {
  if (item && changed) drafts.set(item.id, { spans, note: $("note").value });
}

function stateOf() {
  if (changed) return "Changed, not confirmed yet.";
  if (item.done) return "Decided; you can change it.";
  return item.proposed.length ? "Proposed." : "Nothing was proposed.";
}

async function go(place) {
  keepDraft();
  try {
    item = await ask(`/item?place=${place}`);
  } catch (error) { say(error.message); return; }
  const draft = drafts.get(item.id);
  spans = draft ? draft.spans : item.spans;
  found = null;
  searchFrom = [0, 0];
  changed = Boolean(draft);
  const at = item.time ? item.question.lastIndexOf(item.time) : -1;
  $("question").replaceChildren(...(at < 0 ? [item.question] : [
    item.question.slice(0, at), element("span", item.time, "time"), item.question.slice(at + item.time.length)]));
  $("title").textContent = item.title;
  $("state").textContent = `Item ${item.place + 1} of ${overview.count}. ${stateOf()}`;
  $("note").value = draft ? draft.note : item.note;
  $("find").value = "";
  $("add").disabled = true;
  $("back").disabled = item.place === 0;
  $("forward").disabled = item.place + 1 === overview.count;
  say("");
  show();
  showProgress();
  if (spans.length) bringIntoView(spans[0]); else window.scrollTo(0, 0);
  location.replace(`#${item.place + 1}`);
}

function nextOpen() {
  const done = new Set(overview.done);
  for (let step = 1; step <= overview.count; step++) {
    const place = (item.place + step) % overview.count;
    if (!done.has(place)) return place;
  }
  return Math.min(item.place + 1, overview.count - 1);
}

let saving = false;
async function confirmItem() {
  if (saving) return;
  saving = true;
  try {
    overview = await ask("/decide", { id: item.id, spans, note: $("note").value });
    changed = false;
    drafts.delete(item.id);
    showProgress();
    await go(nextOpen());
  } catch (error) { say(`Not saved. ${error.message}`); } finally { saving = false; }
}

$("add").onclick = addSelection;
$("unanswerable").onclick = () => setSpans([]);
$("propose").onclick = () => setSpans(item.proposed);
$("confirm").onclick = confirmItem;
$("back").onclick = () => go(item.place - 1);
$("forward").onclick = () => go(item.place + 1);
$("next").onclick = () => go(nextOpen());
$("finder").onsubmit = (event) => { event.preventDefault(); findNext(); };
$("note").oninput = () => { changed = true; };
document.addEventListener("selectionchange", () => { if (item) $("add").disabled = !(found || !window.getSelection().isCollapsed); });
document.addEventListener("keydown", (event) => {
  if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "INPUT") {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Enter" && ["BUTTON", "SUMMARY"].includes(event.target.tagName)) return;
  const keys = {
    a: addSelection, u: () => setSpans([]), p: () => setSpans(item.proposed), f: () => $("find").focus(), Enter: confirmItem, n: () => go(nextOpen()),
    ArrowLeft: () => item.place > 0 && go(item.place - 1), ArrowRight: () => item.place + 1 < overview.count && go(item.place + 1),
  };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
window.addEventListener("beforeunload", (event) => { if (changed || drafts.size) event.preventDefault(); });

(async () => {
  try { overview = await ask("/overview"); } catch (error) { say(error.message); return; }
  const done = new Set(overview.done);
  const wanted = Number(location.hash.slice(1)) - 1;
  let first = 0;
  while (first < overview.count - 1 && done.has(first)) first++;
  await go(Number.isInteger(wanted) && wanted >= 0 && wanted < overview.count ? wanted : first);
})();
