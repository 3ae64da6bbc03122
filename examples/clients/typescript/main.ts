// This program reads an account's fixtures, the markets of one of them, and the change log,
// with types generated from docs/openapi.yaml. BASE is the service, TOKEN the account's.
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
type ErrorCode = Schemas["ErrorCode"];

/** Refusal is an error of the API. Programs branch on its code; the message is for people. */
class Refusal extends Error {
  constructor(readonly code: ErrorCode, message: string) {
    super(`${code}: ${message}`);
  }
}

/** patient waits when the account has sent too many requests, and sends the request again. */
const patient: Middleware = {
  async onResponse({ request, response }) {
    while (response.status === 429) {
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      console.error(`RATE_LIMITED: waiting ${seconds} s`);
      await new Promise((wake) => setTimeout(wake, seconds * 1000));
      response = await fetch(request.clone());
    }
    return response;
  },
};

function connect(base: string, token: string) {
  const client = createClient<paths>({ baseUrl: `${base}/api/v1`, headers: { Authorization: `Bearer ${token}` } });
  client.use(patient);
  return client;
}

/** ok returns the body of a successful answer, and throws the error of another one. */
function ok<T>(answer: { data?: T; error?: Schemas["Error"] }): T {
  if (answer.error !== undefined) throw new Refusal(answer.error.error.code, answer.error.error.message);
  if (answer.data === undefined) throw new Error("an answer without a body");
  return answer.data;
}

const base = process.env["BASE"] ?? "http://127.0.0.1:8080";
const client = connect(base, process.env["TOKEN"] ?? "");
const limit = 200;
const fixtures: string[] = [];
const prices: { selection_id: string; decimal: number }[] = [];

// All fixtures. The changes since the first page are followed below.
let position: string | undefined, chosen: string | undefined, next: string | undefined;
do {
  const page: Schemas["FixturePage"] = ok(await client.GET("/fixtures", { params: { query: { limit, cursor: next } } }));
  position ??= page.meta.changes_cursor;
  for (const fixture of page.data) {
    fixtures.push(fixture.fixture_id);
    if (fixture.market_count > 0) chosen ??= fixture.fixture_id;
  }
  next = page.pagination.next_cursor ?? undefined;
} while (next !== undefined);

// The prices of one fixture that may be shown.
if (chosen !== undefined) {
  do {
    const page: Schemas["MarketPage"] = ok(
      await client.GET("/fixtures/{id}/markets", { params: { path: { id: chosen }, query: { limit, cursor: next } } }),
    );
    for (const market of page.data) {
      for (const selection of market.selections) {
        const { selection_id, odds: { decimal }, quality } = selection;
        if (market.origin_type === "MAPPED" && quality.publishable && selection_id !== null && decimal !== null) prices.push({ selection_id, decimal });
      }
    }
    next = page.pagination.next_cursor ?? undefined;
  } while (next !== undefined);
}

// The changes, until there are no more for now. A program that runs on polls from here.
let more = true, last_seq = 0;
while (more) {
  const page: Schemas["ChangePage"] = ok(await client.GET("/changes", { params: { query: { limit, cursor: position } } }));
  position = page.pagination.next_cursor; // INVALID_CURSOR above: it left the log; read everything again
  last_seq = page.meta.window.last_seq;
  more = page.pagination.has_more;
}

// Refusals, by their codes.
const refusals: ErrorCode[] = [];
for (const ask of [
  async () => ok(await connect(base, "mkt_unknown").GET("/fixtures")),
  async () => ok(await client.GET("/fixtures/{id}/markets", { params: { path: { id: "fx_unknown" } } })),
]) {
  try {
    await ask();
    throw new Error("want a refusal");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refusals.push(error.code);
  }
}
console.log(JSON.stringify({ fixtures, prices, last_seq, refusals }));
