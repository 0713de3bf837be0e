// Completion of names. "/" goes to the field, arrows choose, Enter opens, Escape closes.
"use strict";
(() => {
  const input = document.querySelector("[data-suggest]");
  if (!input) return;
  const list = document.getElementById(input.getAttribute("aria-controls"));
  let chosen = -1;
  let waiting = null;
  let timer = 0;

  // The date of the page goes along to the next one.
  function address(one) {
    const on = new URLSearchParams(location.search).get("on");
    const kept = on && location.pathname.startsWith("/entity/") ? `?on=${encodeURIComponent(on)}` : "";
    return `/${one.is_relation ? "relation" : "entity"}/${encodeURIComponent(one.id)}${kept}`;
  }

  function element(name, text, kind) {
    const made = document.createElement(name);
    made.textContent = text; // names come from anywhere: always text, never markup
    if (kind) made.className = kind;
    return made;
  }

  function close() {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function choose(place) {
    const rows = [...list.children];
    chosen = rows.length ? (place + rows.length) % rows.length : -1;
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === chosen)));
    if (chosen < 0) return;
    input.setAttribute("aria-activedescendant", rows[chosen].id);
    rows[chosen].scrollIntoView({ block: "nearest" });
  }

  function show(found) {
    list.replaceChildren(...found.map((one, at) => {
      const row = document.createElement("li");
      row.id = `${list.id}-${at}`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", "false");
      row.dataset.href = address(one);
      row.append(element("bdi", one.label.slice(0, 160)), element("span", (one.description || one.kind || one.id).slice(0, 160), "soft"));
      return row;
    }));
    chosen = -1;
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(Boolean(found.length)));
  }

  async function ask() {
    if (waiting) waiting.abort();
    const text = input.value.trim();
    if (!text) return close();
    waiting = new AbortController();
    try {
      const reply = await fetch(`/suggest?q=${encodeURIComponent(text.slice(0, 200))}`, { signal: waiting.signal });
      if (reply.ok && document.activeElement === input) show(await reply.json());
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 90); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) ask();
      else choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? -1 : chosen - 1);
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      location.assign(list.children[chosen].dataset.href);
    } else if (event.key === "Escape") {
      close();
    }
  });
  list.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("li");
    if (!row) return;
    event.preventDefault();
    location.assign(row.dataset.href);
  });
  input.addEventListener("blur", () => setTimeout(close, 100));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
