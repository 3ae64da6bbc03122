"use strict";
// Marks a score that changed since the page was opened, for a minute, and keeps open what the
// reader opened when the page renews its part.
(() => {
  const marked = 60000;
  const changed = new Map(); // by fixture: when its score changed
  const open = new Set();
  const scores = () => new Map([...document.querySelectorAll("[data-score]")].map((e) => [e.dataset.fixture, e.dataset.score]));
  let before = scores();
  document.addEventListener("renewed", () => {
    for (const [fixture, score] of scores()) {
      if (before.has(fixture) && before.get(fixture) !== score) changed.set(fixture, Date.now());
    }
    before = scores();
    document.querySelectorAll("[data-score]").forEach((e) => {
      e.classList.toggle("changed", Date.now() - (changed.get(e.dataset.fixture) ?? -Infinity) < marked);
    });
    document.querySelectorAll(".live details").forEach((e) => { if (open.has(e.className)) e.open = true; });
  });
  document.addEventListener("toggle", (event) => {
    const e = event.target;
    if (e.isConnected && e.matches(".live details")) e.open ? open.add(e.className) : open.delete(e.className);
  }, true);
})();
