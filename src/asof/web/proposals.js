// Accept and reject proposals, by click or by key; a decision is shown when the server has written it down.
"use strict";
(() => {
  const table = document.getElementById("proposals");
  if (!table) return;
  const failed = document.getElementById("failed");
  const counts = document.getElementById("counts");
  document.getElementById("keys").hidden = false;
  for (const button of table.querySelectorAll("button[data-decision]")) button.disabled = false;

  async function decide(row, decision) {
    try {
      const reply = await fetch("/proposals", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Asof": "review" },
        body: JSON.stringify({ id: row.dataset.id, decision }),
      });
      const content = await reply.json();
      if (!reply.ok) throw new Error(content.error);
      row.className = decision || "";
      for (const button of row.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.decision === decision));
      const number = (name) => content.counts[name].toLocaleString("en");
      counts.textContent = `${number("open")} open, ${number("accept")} accepted, ${number("reject")} rejected`;
      failed.textContent = "";
      return true;
    } catch (error) {
      const gone = error instanceof TypeError;
      failed.textContent = gone ? "Not saved: asof serve does not respond. Start it again; your decisions are saved." : `Not saved: ${error.message}`;
      return false;
    }
  }

  function move(row, step) {
    const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (next) next.focus();
  }

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-decision]");
    if (!button) return;
    const taken = button.getAttribute("aria-pressed") === "true";
    decide(button.closest("tr"), taken ? null : button.dataset.decision);
  });
  document.addEventListener("keydown", async (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const row = document.activeElement.closest("#proposals tbody tr");
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      if (row) move(row, event.key === "j" ? 1 : -1);
      else table.tBodies[0].rows[0].focus();
    } else if (row && ["a", "r", "u"].includes(event.key)) {
      event.preventDefault();
      const done = await decide(row, { a: "accept", r: "reject", u: null }[event.key]);
      if (done && event.key !== "u") move(row, 1);
    }
  });
})();
