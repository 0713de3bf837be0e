// A table that is wider than the screen can be moved sideways with the keyboard, too.
document$.subscribe(() => {
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap")) {
    wide.tabIndex = 0;
    wide.setAttribute("role", "group");
    wide.setAttribute("aria-label", "Table");
  }
});
