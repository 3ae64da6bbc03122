// What the contract says of the socket, seen by the official client. BASE is a
// server that keeps publishing for three accounts; TOKENS are those accounts'
// tokens, named after the transport they are used with, and that of one more.
import assert from "node:assert/strict";
import { io } from "socket.io-client";

const base = process.env.BASE, tokens = JSON.parse(process.env.TOKENS);
const transports = { polling: ["polling"], websocket: ["websocket"], upgrade: undefined };

const once = (socket, event) => new Promise((resolve, reject) => {
  const late = setTimeout(() => reject(new Error(`no ${event}`)), 15_000);
  socket.once(event, (value) => { clearTimeout(late); resolve(value); });
});

const connect = (auth, options) => io(base, { path: "/realtime", forceNew: true, auth, ...options });

const get = async (path, token) =>
  (await fetch(base + path, { headers: { authorization: `Bearer ${token}` } })).json();

async function refused(auth, options) {
  const socket = connect(auth, options);
  const error = await once(socket, "connect_error");
  const waits = error.data.code === "RATE_LIMITED";
  assert.deepEqual(Object.keys(error.data), ["code", "message", "request_id", ...(waits ? ["retry_after"] : [])]);
  if (waits) assert.ok(Number.isInteger(error.data.retry_after) && error.data.retry_after >= 1);
  assert.equal(error.message, error.data.message);
  assert.equal(socket.active, false, "it must not try again by itself");
  socket.close();
  return error.data.code;
}

async function channels(name) {
  const token = tokens[name], options = { transports: transports[name] };
  const socket = connect({ token }, options);
  const ready = await once(socket, "ready");
  assert.equal(ready.client_id, name);
  assert.deepEqual(ready.channels.map((c) => [c.channel, c.available, c.reason]), [["changes", true, null], ["live", true, null]]);
  if (name === "upgrade") {
    while (socket.io.engine.transport.name !== "websocket") await new Promise((resolve) => setTimeout(resolve, 10));
  }

  // Before the subscribe: a first push may come in one piece with the answer.
  const events = [];
  socket.on("changes", (push) => {
    events.push(...push.events);
    assert.equal(push.cursor, events.at(-1).seq);
  });
  const changes = await socket.emitWithAck("subscribe", { channel: "changes", cursor: 0, backlog: 7 });
  assert.equal(changes.ok, true);
  assert.equal(changes.events.length, 7);
  events.unshift(...changes.events);
  const live = await socket.emitWithAck("subscribe", { channel: "live" });
  assert.equal(live.ok, true);
  assert.equal(live.fixture_count, 10);

  // The push of one snapshot is the body of GET /live as long as that one is served.
  for (let same = 0; same < 3; ) {
    const push = await once(socket, "live");
    const { data, meta } = await get("/api/v1/live?limit=200", token);
    if (meta.published_at !== push.meta.published_at) continue;
    delete meta.age_ms;
    assert.deepEqual(push, { data, meta });
    same++;
  }

  assert.equal((await socket.emitWithAck("subscribe", { channel: "nothing" })).error.code, "NOT_FOUND");
  assert.equal((await socket.emitWithAck("subscribe", { channel: "changes", cursor: 1.5 })).error.code, "INVALID_PARAMETER");
  assert.equal((await socket.emitWithAck("subscribe", Buffer.from("changes"))).error.code, "BAD_REQUEST");
  assert.equal((await socket.emitWithAck("subscribe")).error.code, "BAD_REQUEST");
  assert.deepEqual(await socket.emitWithAck("unsubscribe", { channel: "changes" }), { ok: true, channel: "changes" });

  events.forEach((event, i) => assert.equal(event.seq, i + 1));
  for (let cursor = "", all = []; ; ) {
    const page = await get(`/api/v1/changes?limit=200${cursor}`, token);
    all = all.concat(page.data);
    cursor = `&cursor=${page.pagination.next_cursor}`;
    if (!page.pagination.has_more) {
      assert.deepEqual(events, all.slice(0, events.length));
      break;
    }
  }
  socket.close();
  console.log(`${name}: ${events.length} events`);
}

for (const options of [{ transports: ["polling"] }, { transports: ["websocket"] }, {}]) {
  assert.equal(await refused({ token: "nonsense" }, options), "INVALID_API_TOKEN");
  assert.equal(await refused({}, options), "INVALID_API_TOKEN");
  assert.equal(await refused({ token: tokens.full }, { ...options, extraHeaders: { origin: "https://elsewhere.example" } }), "ORIGIN_NOT_ALLOWED");
}
const server = connect({}, { extraHeaders: { authorization: `Bearer ${tokens.full}` } }); // from server to server
assert.equal((await once(server, "ready")).client_id, "full");
const others = await Promise.all(Array.from({ length: 7 }, async () => {
  const socket = connect({ token: tokens.full });
  await once(socket, "ready");
  return socket;
}));
assert.equal(await refused({ token: tokens.full }), "RATE_LIMITED");
others[0].close();
await new Promise((resolve) => setTimeout(resolve, 300));
const ninth = connect({ token: tokens.full });
await once(ninth, "ready");
[server, ninth, ...others].forEach((socket) => socket.close());

await Promise.all(Object.keys(transports).map(channels));
