// What a team would write without mkt: GET /api/v1/fixtures/ID/markets?limit=N as JSON by
// Node's HTTP server from DuckDB. It checks no token and no limit.
//
//   node server.mjs files|tables FIXTURES.parquet MARKETS.parquet
//
// files reads the Parquet files for each request; tables loads them into tables of its own
// first. It prints its address when it is ready.
import { DuckDBInstance } from "@duckdb/node-api";
import { createServer } from "node:http";

const [mode, fixtures, markets] = process.argv.slice(2);
// Several requests run at once; more threads for one of them make each slower.
const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
const setup = await instance.connect();
await setup.run("SET parquet_metadata_cache = true");
for (const [name, file] of Object.entries({ fixtures, markets })) {
  await setup.run(`CREATE ${mode === "tables" ? "TABLE" : "VIEW"} ${name} AS FROM '${file.replaceAll("'", "''")}'`);
}

// As many connections as the benchmark has, each for one request at a time.
const free = await Promise.all(Array.from({ length: 4 }, async () => {
  const connection = await instance.connect();
  return {
    fixture: await connection.prepare("FROM fixtures WHERE fixture_id = $1"),
    markets: await connection.prepare("FROM markets WHERE fixture_id = $1 ORDER BY ordinal LIMIT $2"),
  };
}));
const waiting = [];
const take = () => free.pop() ?? new Promise((resolve) => waiting.push(resolve));
const give = (c) => (waiting.length ? waiting.shift()(c) : free.push(c));

async function page(id, limit) {
  const c = await take();
  try {
    c.fixture.bindVarchar(1, id);
    const [fixture] = (await c.fixture.runAndReadAll()).getRowObjectsJson();
    if (!fixture) return null;
    c.markets.bindVarchar(1, id);
    c.markets.bindInteger(2, limit);
    return { fixture, data: (await c.markets.runAndReadAll()).getRowObjectsJson(), pagination: { limit } };
  } finally {
    give(c);
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const [, id] = url.pathname.match(/^\/api\/v1\/fixtures\/([^/]+)\/markets$/) ?? [];
  const body = await page(id ?? "", Number(url.searchParams.get("limit") ?? 50)).catch((error) => console.error(error));
  response.writeHead(body ? 200 : body === null ? 404 : 500, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? {}));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
