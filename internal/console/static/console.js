"use strict";
// An element with data-refresh="SECONDS" is renewed from the same page, unless somebody is
// selecting text or typing in it, or the page is hidden. 0 ends that.
(() => {
  const busy = (e) => e.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")
    || !document.getSelection().isCollapsed && e.contains(document.getSelection().anchorNode);
  const renew = async (index) => {
    const now = () => document.querySelectorAll("[data-refresh]")[index];
    if (!document.hidden && !busy(now())) {
      try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (!answer.ok) throw new Error(String(answer.status));
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        const part = fresh.querySelectorAll("[data-refresh]")[index];
        if (part && !busy(now())) now().replaceWith(document.adoptNode(part));
        document.dispatchEvent(new CustomEvent("renewed"));
      } catch {
        now().dataset.stale = "";
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
  const plan = (e, index) => { if (Number(e.dataset.refresh)) setTimeout(renew, e.dataset.refresh * 1000, index); };
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
        const answer = await fetch(address, { headers: { Accept: "text/html" } });
        if (!answer.ok) throw new Error(String(answer.status));
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(form.dataset.search);
        if (number !== last || !fresh) return;
        document.getElementById(form.dataset.search).replaceWith(document.adoptNode(fresh));
        window.history.replaceState(null, "", address);
      } catch {
        if (number === last) document.getElementById(form.dataset.search).dataset.stale = "";
      }
    };
    form.addEventListener("input", () => {
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
