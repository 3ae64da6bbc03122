// Opens pages in a real browser and reports what a reader meets.
//
// stdin: {"base": URL, "also"?: [URL] (of other hosts that pages may ask),
// "shots": FOLDER or "", "pages": [{"path", "width"?, "dark"?, "phone"?,
// "height"?, "shot"?: NAME (of a PNG of the whole page), "picture"?: NAME (of a WebP of its first
// screen), "do"?: [["fill", SELECTOR, TEXT] | ["press", SELECTOR, KEY] | ["click",
// SELECTOR] | ["see", SELECTOR] | ["pause", MILLISECONDS] | ["reload"] | ["offline"]], "texts"?: {NAME: SELECTOR}, "within"?: SELECTOR (of what must not be
// cut off at a side before anything is scrolled)}]}
// stdout: one line of JSON for each page: {"path", "url", "status", "title", "ms", "errors",
// "wider": whether the page scrolls sideways, "texts": {NAME: [TEXT]}}
// What axe finds is an error: the pages are for people who use a keyboard or a screen reader, too.
import { readFileSync, writeFileSync } from "node:fs";
import axe from "axe-core";
import { chromium } from "playwright-core";

const job = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const page of job.pages) {
  const context = await browser.newContext({
    viewport: { width: page.width ?? (page.phone ? 390 : 1280), height: page.height ?? (page.phone ? 844 : 900) },
    colorScheme: page.dark ? "dark" : "light", reducedMotion: "reduce", hasTouch: Boolean(page.phone),
  });
  const tab = await context.newPage();
  const errors = [];
  let offline = false; // then nothing answers any more
  tab.on("console", (m) => { if (["error", "warning"].includes(m.type()) && !offline) errors.push(`${m.type()}: ${m.text()}`); });
  tab.on("pageerror", (e) => errors.push(`exception: ${e.message}`));
  let leaving = false; // a click may leave a page while it renews itself
  tab.on("requestfailed", (r) => {
    const why = r.failure()?.errorText;
    if (!offline && (!leaving || why !== "net::ERR_ABORTED" || r.resourceType() !== "fetch")) errors.push(`request failed: ${r.url()} ${why}`);
  });
  tab.on("request", (r) => { if (![job.base, ...(job.also ?? [])].some((base) => r.url().startsWith(base)) && !/^(data|blob):/.test(r.url())) errors.push(`request to another host: ${r.url()}`); });
  const result = { path: page.path, errors, texts: {} };
  try {
    const began = performance.now();
    const answer = await tab.goto(job.base + page.path, { waitUntil: "load", timeout: 60000 });
    result.ms = Math.round(performance.now() - began);
    result.status = answer.status();
    for (const [what, selector, value] of page.do ?? []) {
      if (what === "pause") await tab.waitForTimeout(selector);
      else if (what === "reload") await tab.reload();
      else if (what === "offline") await context.setOffline(offline = true);
      else if (what === "see") await tab.locator(selector).first().waitFor({ timeout: 60000 });
      else if (what === "click") {
        leaving = true;
        await tab.locator(selector).first().click();
        await tab.waitForLoadState("load"); // of the page that the click has opened, if it has
        leaving = false;
      } else await tab.locator(selector).first()[what](value);
    }
    await tab.waitForLoadState("load"); // of the page that a choice has opened
    for (const [name, selector] of Object.entries(page.texts ?? {})) {
      result.texts[name] = (await tab.locator(selector).allTextContents()).map((s) => s.trim());
    }
    if (page.within) {
      const beyond = await tab.locator(page.within).evaluateAll((all) => all.length === 0 ? ["there is none"] : all.filter((e) => {
        const { left, right } = e.getBoundingClientRect();
        let from = 0, to = document.documentElement.clientWidth;
        for (let p = e; (p = p.parentElement ?? p.getRootNode().host);) {
          if (getComputedStyle(p).overflowX !== "visible") [from, to] = [Math.max(from, p.getBoundingClientRect().left), Math.min(to, p.getBoundingClientRect().right)];
        }
        return left < from - 1 || right > to + 1;
      }).map((e) => e.textContent.trim()));
      for (const text of beyond) errors.push(`cut off: ${page.within}: ${text}`);
    }
    result.url = tab.url();
    result.title = await tab.title();
    result.wider = await tab.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    if (!page.path.startsWith("/docs/") || page.path === "/docs/clients") { // one guide stands for all
      await tab.evaluate(axe.source);
      // RapiDoc's own elements are not ours to change, but where they stand in the page is.
      const found = await tab.evaluate(async () => [
        ...(await axe.run({ exclude: [["rapi-doc"]] }, { resultTypes: ["violations"] })).violations,
        ...(await axe.run(document, { runOnly: ["landmark-one-main", "landmark-no-duplicate-main", "landmark-main-is-top-level"] })).violations,
      ]);
      for (const v of found) errors.push(`axe ${v.id} (${v.help}): ${v.nodes.length} × ${v.nodes.slice(0, 2).map((n) => `${n.target} ${n.html.slice(0, 160)}`).join(" | ")}`);
    }
    if (job.shots && page.shot) await tab.screenshot({ path: `${job.shots}/${page.shot}.png`, fullPage: true });
    if (job.shots && page.picture) {
      const { data } = await (await context.newCDPSession(tab)).send("Page.captureScreenshot", { format: "webp", quality: 75 });
      writeFileSync(`${job.shots}/${page.picture}.webp`, Buffer.from(data, "base64"));
    }
  } catch (e) {
    errors.push(`exception: ${e.message}`);
  }
  await context.close();
  console.log(JSON.stringify(result));
}
await browser.close();
