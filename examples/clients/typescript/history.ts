// This program reads the path of a market's prices, with types generated from docs/openapi-history.yaml.
// BASE is the service, TOKEN the account's, which needs the feature history.
//
//	node build/history.js fx_… mk_…
import createClient from "openapi-fetch";
import type { components, paths } from "./history-api.js";

type Path = components["schemas"]["Path"];

const [fixture_id = "", market_id = ""] = process.argv.slice(2);
const base = process.env["BASE"] ?? "http://127.0.0.1:8080";
const client = createClient<paths>({
  baseUrl: `${base}/api/ext/history/v0`,
  headers: { Authorization: `Bearer ${process.env["TOKEN"] ?? ""}` },
});

/** read returns a page of the path, or the market as it was published at a time. */
async function read(query: { limit?: number; cursor?: string; at?: string }) {
  const { data, error } = await client.GET("/fixtures/{fixture_id}/markets/{market_id}", {
    params: { path: { fixture_id, market_id }, query },
  });
  if (error !== undefined) throw new Error(`${error.error.code}: ${error.error.message}`);
  return data;
}

/** decimal is the price of a point: null if there was none, "gone" if the selection was not there. */
function decimal(point: components["schemas"]["Point"]) {
  return point.present ? (point.odds?.decimal ?? null) : "gone";
}

// The whole path: each page has all selections, with some of their points.
const points = new Map<string, ReturnType<typeof decimal>[]>();
let newest: Path | undefined, cursor: string | undefined;
do {
  const page = await read({ limit: 5, cursor });
  for (const selection of page.data.selections) {
    points.set(selection.selection_id, [...(points.get(selection.selection_id) ?? []), ...selection.points.map(decimal)]);
  }
  newest = page.data;
  cursor = page.pagination.next_cursor ?? undefined;
} while (cursor !== undefined);

// The closing price is FINAL once something was published since kick-off.
const selections = newest.selections.map(({ selection_id, closing }) => ({
  selection_id,
  closing: closing.state,
  reason: closing.reason,
  price: closing.point === null ? null : decimal(closing.point),
  points: points.get(selection_id),
}));

// The market as it was at kick-off.
const then = newest.kick_off === null ? undefined : await read({ at: newest.kick_off });
const at_kick_off = then?.data.selections.map((s) => ({ selection_id: s.selection_id, price: s.points.map(decimal)[0] }));
console.log(JSON.stringify({ kick_off: newest.kick_off, kick_off_moved: newest.kick_off_moved, selections, at_kick_off }));
