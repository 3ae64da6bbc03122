"use strict";
// The ids of fixtures and names of leagues that this browser keeps on top of the lists of the page's account.
const stars = {
  key: () => `stars ${document.querySelector("[data-stars]")?.dataset.stars}`,
  get all() { try { return [JSON.parse(localStorage.getItem(this.key())) ?? []].flat(); } catch { return []; } },
  set all(list) { localStorage.setItem(this.key(), JSON.stringify(list.slice(-60))); },
};
// read returns a page of which the caller shows a part.
const read = async (address) => {
  const url = new URL(address, location);
  for (const star of stars.all) url.searchParams.append("top", star);
  const answer = await fetch(url, { headers: { Accept: "text/html", Prefer: "return=minimal" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
};
// renew puts a part of such a page in the place of the old one. The focus and what is open stay as they are: of several
// of a name, the one at the same place; if none has the name, such as the link to the newest cycle, what is in its place.
const renew = (old, fresh) => {
  const name = (e) => e.tagName + (e.ariaLabel ?? e.getAttribute("href") ?? e.textContent);
  const all = (e) => [...e.querySelectorAll("a, button, summary, [tabindex]")];
  const before = all(old), focused = before.indexOf(document.activeElement), named = (e) => name(e) === name(before[focused]);
  const open = [...old.querySelectorAll("details")].map((e) => e.open);
  document.title = fresh.ownerDocument.title;
  old.replaceWith(document.adoptNode(fresh));
  fresh.querySelectorAll("details").forEach((e, i) => { e.open = open[i] ?? e.open; });
  document.dispatchEvent(new CustomEvent("renewed"));
  if (focused < 0) return;
  const after = all(fresh), same = after.filter(named);
  (same[before.slice(0, focused).filter(named).length] ?? same[0] ?? after[focused])?.focus({ preventScroll: true });
};
// markOld says that a part was not renewed, until it is.
const markOld = (part) => {
  if (part.firstElementChild?.role === "alert") return;
  document.title = "old: " + document.title.replace(/^old: /, "");
  part.insertAdjacentHTML("afterbegin", `<p role="alert" class="bad">mkt did not answer at ${new Date().toISOString().slice(11, 19)} UTC. This is what it said before.</p>`);
};
// An element with data-refresh="SECONDS" is renewed from the same page, unless somebody is
// selecting text or typing in it, or the page is hidden. 0 ends that.
(() => {
  const busy = (e) => e.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")
    || !document.getSelection().isCollapsed && e.contains(document.getSelection().anchorNode);
  const refresh = async (index) => {
    const now = () => document.querySelectorAll("[data-refresh]")[index];
    if (!document.hidden && !busy(now())) {
      try {
        const part = (await read(location.href)).querySelectorAll("[data-refresh]")[index];
        if (part && !busy(now())) renew(now(), part);
      } catch {
        markOld(now());
      }
    }
    plan(now(), index);
  };
  const reference = document.querySelector("rapi-doc");
  if (reference) {
    const colours = getComputedStyle(document.documentElement);
    reference.setAttribute("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    customElements.whenDefined("rapi-doc").then(() => { // the page has a main already, and the line with the licence begins left of its box
      const inside = reference.shadowRoot, style = new CSSStyleSheet();
      style.replaceSync("#api-info { margin-left: 0; }");
      inside.adoptedStyleSheets.push(style);
      new MutationObserver(() => inside.querySelectorAll("main:not([role])").forEach((m) => { m.role = "group"; })).observe(inside, { childList: true, subtree: true });
    });
    for (const [name, colour] of [["bg-color", "--paper"], ["text-color", "--ink"], ["primary-color", "--home"]]) reference.setAttribute(name, colours.getPropertyValue(colour).trim());
  }
  const plan = (e, index) => { if (Number(e.dataset.refresh)) setTimeout(refresh, e.dataset.refresh * 1000, index); };
  document.querySelectorAll("select[data-submit]").forEach((s) => {
    s.form.querySelector("button").hidden = true;
    s.addEventListener("change", () => s.form.requestSubmit());
  });
  document.querySelectorAll("[data-refresh]").forEach(plan);
})();
// A form with data-search="ID" searches as one types: the element with that id is renewed from
// the page that the form would open.
(() => {
  document.querySelectorAll("form[data-search]").forEach((form) => {
    let waiting, last = 0;
    const search = async () => {
      const number = ++last;
      const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      const address = form.getAttribute("action") + (query.size ? "?" + query : "");
      try {
        const fresh = (await read(address)).getElementById(form.dataset.search);
        if (number !== last || !fresh) return;
        renew(document.getElementById(form.dataset.search), fresh);
        window.history.replaceState(null, "", address);
      } catch {
        if (number === last) markOld(document.getElementById(form.dataset.search));
      }
    };
    form.addEventListener("input", (e) => {
      if (e.target.dataset.whole !== undefined) return; // half a time means nothing
      clearTimeout(waiting);
      waiting = setTimeout(search, 120);
    });
  });
})();
// The field with data-key="KEY" is where that key leads to, unless somebody is typing. Escape leaves it.
(() => {
  document.addEventListener("keydown", (e) => {
    const field = document.querySelector("[data-key]");
    if (e.key === "Escape" && document.activeElement === field) field.blur();
    if (e.key !== field.dataset.key || e.ctrlKey || e.metaKey || e.altKey || e.target.isContentEditable || e.target.closest("input, select, textarea, rapi-doc")) return;
    e.preventDefault();
    field.focus();
    field.select();
  });
})();
// A score that changed since the page was opened is marked for a minute.
(() => {
  const changed = new Map(); // by fixture: when its score changed
  const scores = () => new Map([...document.querySelectorAll("[data-score]")].map((e) => [e.dataset.fixture, e.dataset.score]));
  let before = scores();
  document.addEventListener("renewed", () => {
    for (const [fixture, score] of scores()) if (before.has(fixture) && before.get(fixture) !== score) changed.set(fixture, Date.now());
    before = scores();
    document.querySelectorAll("[data-score]").forEach((e) => e.classList.toggle("changed", Date.now() - (changed.get(e.dataset.fixture) ?? -Infinity) < 60000));
  });
})();
// An element with data-star, an id or a name, gets a button that keeps it on top of the lists.
(() => {
  try { localStorage.length; } catch { return; } // the reader lets no page keep anything
  const mark = () => document.querySelectorAll("[data-star]").forEach((e) => {
    if (!e.querySelector(":scope > .star")) {
      e.prepend(Object.assign(document.createElement("button"), { type: "button", className: "star", ariaLabel: `Keep ${e.dataset.name ?? e.textContent} on top` }));
    }
    e.firstChild.ariaPressed = String(stars.all.includes(e.dataset.star));
  });
  const lift = async () => {
    const list = () => document.querySelector("[data-stars]:not(p)");
    const fresh = list() && (await read(location.href)).querySelector("[data-stars]");
    if (fresh) renew(list(), fresh);
  };
  document.addEventListener("click", (event) => {
    if (!event.target.matches(".star")) return;
    const { star } = event.target.parentElement.dataset, others = stars.all.filter((s) => s !== star);
    stars.all = others.length < stars.all.length ? others : [...others, star];
    mark();
    lift();
  });
  document.addEventListener("renewed", mark);
  mark();
  if (stars.all.length) lift();
})();
// An id and a command in the text get a button that copies it, where the browser lets a page do that.
(() => {
  if (!navigator.clipboard) return;
  const said = document.body.appendChild(Object.assign(document.createElement("p"), { className: "said", role: "status" }));
  const mark = () => document.querySelectorAll("main code").forEach((code) => {
    const text = code.textContent, place = code.closest("a, summary") ?? code;
    const wanted = /^(fx|mk|sl|req)_|^\d{8}T\d{6}|^[0-9a-f]{32,}$/.test(text) || code.matches(":is(p, li, dd) > code") && /\S \S/.test(text);
    if (!wanted || place.nextElementSibling?.matches(".copy")) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", ariaLabel: `Copy ${text}` });
    button.addEventListener("click", async () => {
      said.textContent = await navigator.clipboard.writeText(text).then(() => `Copied ${text}`, () => "The browser did not copy it.");
      setTimeout(() => { said.textContent = ""; }, 3000);
    });
    place.after(button);
  });
  document.addEventListener("renewed", mark);
  mark();
})();
