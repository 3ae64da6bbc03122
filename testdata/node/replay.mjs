// What one HTTP client and one socket client, the official one, get of a server while its publications
// follow each other, and whether they get the same when that time runs again. For scripts/drills/replay.sh:
//
//   node replay.mjs record FILE SECONDS BASE TOKEN
//   node replay.mjs span RECORDING
//   node replay.mjs replay FILE RECORDING SPEED KILL COMMAND...
//   node replay.mjs compare RECORDING FILE
//
// replay starts mkt serve --replay itself. At the speed 0 it asks for each step when it has every
// body of the one before. KILL is after how many seconds it kills the server and begins again; 0 = never.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { io } from "socket.io-client";

const pushed = 5000; // in which everything is pushed: longer than a tick of the socket
const served = 5000; // within which a publication is served
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// The age of data, and what is judged by it, is that of the moment of a request: see docs/auditors.md.
const ageless = (text) => text.replace(/"(feed_)?age_ms":\d+/g, '"$1age_ms":0').replace(/"index_stale":(true|false)/g, '"index_stale":0');

// Client records, by publication, what it is answered and what is pushed to it.
class Client {
  bodies = {}; // by time of publication and path
  events = []; // of the channel of changes, in order
  live = []; // pushes of the channel of matches in play, in order
  drops = 0; // ends of the connection that the server chose
  shown = {}; // the publication of each listing that was last read in full

  constructor(base, token, cursor) {
    Object.assign(this, { base, token, cursor });
  }

  async listen() {
    this.socket = io(this.base, { path: "/realtime", forceNew: true, auth: { token: this.token } });
    this.socket.on("disconnect", (reason) => reason === "io server disconnect" && this.drops++);
    this.socket.on("changes", (push) => this.events.push(...push.events));
    this.socket.on("live", (push) => this.live.push({ at: push.meta.published_at, body: ageless(JSON.stringify(push)) }));
    await new Promise((ready, failed) => this.socket.once("ready", ready).once("connect_error", failed));
    const from = this.cursor === undefined ? {} : { cursor: this.cursor, backlog: 1 };
    const changes = await this.socket.emitWithAck("subscribe", { channel: "changes", ...from });
    const live = await this.socket.emitWithAck("subscribe", { channel: "live" });
    if (!changes.ok || !live.ok) throw new Error(`subscribe: ${JSON.stringify([changes, live])}`);
    this.events.unshift(...changes.events); // a push may have come in one piece with the answer
    this.cursor ??= changes.cursor;
  }

  // ask returns the publication of an answer and its body.
  async ask(path) {
    const answer = await fetch(this.base + "/api/v1" + path, { headers: { authorization: `Bearer ${this.token}` } });
    const text = await answer.text();
    if (answer.status === 404) return {}; // the match has left the publication since it was listed
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    const body = JSON.parse(text), at = body.meta.published_at;
    // The ETag of matches in play contains the hash of the commit, which differs in a rebuilt data root. Any
    // other ETag ends with s while the data is stale.
    const tag = path.startsWith("/live") ? "" : answer.headers.get("etag").replace(/s"$/, '"') + " ";
    ((this.bodies[at] ??= {})[path] ??= tag + ageless(text));
    return { at, body };
  }

  async pages(path) {
    const all = [];
    for (let cursor = ""; ;) {
      const { body } = await this.ask(path + cursor);
      all.push(...body.data);
      if (!body.pagination.has_more) return all;
      cursor = `&cursor=${body.pagination.next_cursor}`;
    }
  }

  // look reads everything of each product whose publication is another one than before. It returns the
  // times of the publications.
  async look() {
    const times = [];
    for (const [listing, follow] of [["/live", this.matches], ["/fixtures", this.markets]]) {
      const { at } = await this.ask(`${listing}?limit=200`);
      times.push(at);
      if (this.shown[listing] === at) continue;
      this.shown[listing] = at;
      await follow.call(this, await this.pages(`${listing}?limit=20`));
    }
    return times;
  }

  async matches(list) {
    for (const { fixture_id } of list.slice(0, 6)) {
      for (const part of ["", "/timeline", "/momentum", "/stats"]) await this.ask(`/live/${fixture_id}${part}`);
    }
  }

  async markets(list) {
    await this.ask("/changes?limit=200");
    for (const { fixture_id } of list.filter((f) => f.market_count > 0).slice(0, 6)) {
      await this.ask(`/fixtures/${fixture_id}`);
      await this.ask(`/fixtures/${fixture_id}/markets?limit=200`);
    }
  }

  save(file, more) {
    this.socket.close();
    const { bodies, events, live, cursor, drops } = this;
    writeFileSync(file, JSON.stringify({ bodies, events, live, cursor, drops, ...more }));
  }
}

async function record(file, seconds, base, token) {
  const client = new Client(base, token);
  await client.listen();
  let read; // when the last reading of everything began
  for (const began = Date.now(); Date.now() - began < seconds * 1000; await sleep(250)) {
    read = Date.now();
    await client.look();
  }
  await sleep(pushed);
  client.save(file, span(client.bodies, new Date(read - served).toISOString()));
}

// span returns the time from the first publication of markets that was recorded to one at which everything
// was, with the newest event then.
function span(bodies, to) {
  const markets = Object.keys(bodies).filter((at) => bodies[at]["/fixtures?limit=200"] && at <= to).sort();
  return { from: markets[0], to, seq: JSON.parse(bodies[markets.at(-1)]["/fixtures?limit=200"].replace(/^[^{]*/, "")).meta.changes_seq };
}

// Server is mkt serve --replay with the lines that it prints.
class Server {
  ended = false;
  #waiting = [];

  constructor(command) {
    this.process = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    this.exit = new Promise((done) => this.process.once("exit", (code, signal) => done(signal ?? code)));
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const event = JSON.parse(line);
      if (event.event === "ended") this.ended = true;
      this.#waiting.shift()?.(event);
    });
    this.exit.then((code) => this.#waiting.forEach((done) => done({ event: "exit", code })));
  }

  next() {
    return new Promise((done) => this.#waiting.push(done));
  }

  step() {
    const event = this.next();
    this.process.stdin.write("\n");
    return event;
  }
}

async function replay(file, recording, speed, kill, command) {
  const { cursor } = JSON.parse(readFileSync(recording));
  const begin = async () => {
    const server = new Server([...command, "--speed", String(speed), "--output", "json"]);
    const ready = await server.next();
    if (ready.event !== "ready") throw new Error(`no ready line: ${JSON.stringify(ready)}`);
    const client = new Client(ready.base_url, ready.tokens[0].token, cursor);
    await client.listen();
    return { server, client };
  };
  let { server, client } = await begin();
  if (kill > 0) {
    for (const began = Date.now(); Date.now() - began < kill * 1000;) await client.look();
    if (server.ended) throw new Error("the replay ended before it was killed");
    server.process.kill("SIGKILL");
    console.log(`killed after ${client.events.length} events: ${await server.exit}`);
    client.socket.close();
    ({ server, client } = await begin());
  }
  const began = Date.now();
  await client.look();
  while (!server.ended) {
    if (speed === 0 && (await server.step()).event === "exit") throw new Error("the server has ended");
    await client.look();
  }
  await client.look();
  const took = (Date.now() - began) / 1000;
  await sleep(pushed);
  client.save(file, { took });
  server.process.kill("SIGTERM");
  const code = await server.exit;
  if (code !== 0) throw new Error(`the server ended with ${code}`);
}

// compare prints what two recordings have in common, and the first differences.
function compare(recording, file) {
  const then = JSON.parse(readFileSync(recording)), now = JSON.parse(readFileSync(file));
  const differences = [];
  const within = (at) => at >= then.from && at <= then.to;
  let bodies = 0;
  const shown = Object.keys(now.bodies).filter(within), recorded = Object.keys(then.bodies).filter(within);
  for (const at of shown) {
    for (const [path, is] of Object.entries(now.bodies[at])) {
      const was = then.bodies[at]?.[path];
      if (!was) continue;
      bodies++;
      if (was !== is) differences.push(`${at} ${path}:\n${is}\nwas\n${was}`);
    }
  }
  const events = then.events.filter((e) => e.seq <= then.seq);
  if (events.length !== then.seq - then.cursor) differences.push(`${events.length} events were recorded, not ${then.seq - then.cursor}`);
  if (now.events.length !== events.length) differences.push(`${now.events.length} events, not ${events.length}`);
  const other = events.findIndex((e, i) => JSON.stringify(e) !== JSON.stringify(now.events[i]));
  if (other >= 0) differences.push(`event ${other}: ${JSON.stringify(now.events[other])}\nwas ${JSON.stringify(events[other])}`);
  const pushes = new Map(then.live.map((p) => [p.at, p.body]));
  let live = 0, before = "";
  for (const p of now.live.filter((p) => within(p.at))) {
    if (p.at < before) differences.push(`the push of ${p.at} follows that of ${before}`);
    before = p.at;
    if (!pushes.has(p.at)) continue;
    live++;
    if (pushes.get(p.at) !== p.body) differences.push(`push of ${p.at}:\n${p.body}\nwas\n${pushes.get(p.at)}`);
  }
  if (now.drops > 0) differences.push(`the server ended ${now.drops} connections`);
  differences.slice(0, 5).forEach((d) => console.error(d));
  const count = (is, was, what) => `${is} of ${was} ${what}`;
  console.log([file, `${now.took} s`, count(shown.filter((at) => then.bodies[at]).length, recorded.length, "publications"),
    count(bodies, recorded.reduce((n, at) => n + Object.keys(then.bodies[at]).length, 0), "bodies"), count(now.events.length, events.length, "events"),
    count(live, [...pushes.keys()].filter(within).length, "pushes of matches in play"), `${differences.length} differences`].join(", "));
  if (differences.length > 0 || bodies === 0 || now.events.length === 0) process.exitCode = 1;
}

const [mode, ...args] = process.argv.slice(2);
if (mode === "record") await record(args[0], Number(args[1]), args[2], args[3]);
if (mode === "span") {
  const { from, to } = JSON.parse(readFileSync(args[0]));
  console.log([from, to].map((at) => new Date(Date.parse(at) + 1).toISOString()).join(" ")); // answers have no fractions of a millisecond
}
if (mode === "replay") await replay(args[0], args[1], Number(args[2]), Number(args[3]), args.slice(4));
if (mode === "compare") compare(args[0], args[1]);
