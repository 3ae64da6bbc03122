// What DuckDB does with the files that mkt is measured on. It uses one thread: two cost
// more processor time for the same work.
//
//   node duckdb.mjs payloads 'GLOB' 'GLOB' ...   reads JSON and writes each glob as Parquet
//   node duckdb.mjs maps 'GLOB' 'GLOB' ...       the same, told to expect maps
//   node duckdb.mjs rows FILE FILE ...           writes the rows of Parquet files again
//   node duckdb.mjs columns FILE FILE ...        prints the compressed bytes of each column
//
// payloads infers the columns as read_json does: each kind of market becomes a column. maps
// lets it take objects of more than 20 keys as maps instead, which is faster. rows prints the processor
// time of the writing alone.
import { DuckDBInstance } from "@duckdb/node-api";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [what, ...paths] = process.argv.slice(2);
const database = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
const text = (s) => `'${s.replaceAll("'", "''")}'`;
const folder = await mkdtemp(join(tmpdir(), "mkt-duckdb-"));
const write = (rows, i) => database.run(`COPY (${rows}) TO ${text(join(folder, `${i}.parquet`))} (FORMAT parquet, COMPRESSION zstd)`);
try {
  switch (what) {
    case "payloads":
    case "maps": {
      const options = what === "maps" ? ", map_inference_threshold = 20" : "";
      for (const [i, glob] of paths.entries()) await write(`FROM read_json(${text(glob)}, union_by_name = true${options})`, i);
      break;
    }
    case "rows": {
      for (const [i, path] of paths.entries()) await database.run(`CREATE TABLE t${i} AS FROM ${text(path)}`);
      const before = process.cpuUsage();
      for (const i of paths.keys()) await write(`FROM t${i}`, i);
      const { user, system } = process.cpuUsage(before);
      console.log(JSON.stringify({ seconds: (user + system) / 1e6 }));
      break;
    }
    case "columns": {
      const rows = await database.runAndReadAll(`SELECT path_in_schema, sum(total_compressed_size)::BIGINT FROM parquet_metadata([${paths.map(text).join()}]) GROUP BY ALL`);
      console.log(JSON.stringify(Object.fromEntries(rows.getRows().map(([name, bytes]) => [name, Number(bytes)]))));
      break;
    }
    default:
      throw new Error(`unknown command ${what}`);
  }
} finally {
  await rm(folder, { recursive: true });
}
