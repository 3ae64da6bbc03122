// Reads everything once, then follows the changes over the socket: docs/clients.md has the steps.
// BASE is the service, TOKEN the account's. It needs the package socket.io-client.
import { io } from "socket.io-client";

const base = process.env.BASE, token = process.env.TOKEN;
const fixtures = new Map(); // the state
let cursor = null; // the last seq in it: store both together

async function get(path) {
  const answer = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } });
  const body = await answer.json();
  if (!answer.ok && answer.status !== 404) throw new Error(body.error.code);
  return answer.ok ? body : null;
}

async function bootstrap() {
  let page, first = null;
  fixtures.clear();
  for (let next = ""; next !== null; next = page.pagination.next_cursor) {
    page = await get("/api/v1/fixtures?limit=200" + (next && `&cursor=${next}`));
    first ??= page.meta.changes_seq;
    for (const fixture of page.data) fixtures.set(fixture.fixture_id, fixture);
  }
  cursor = first; // what is published while the pages are read comes after it
}

async function apply({ events }) {
  events = events.filter((event) => event.seq > cursor);
  if (events.length > 0 && events[0].seq !== cursor + 1) return subscribe(); // a page is missing
  for (const event of events) {
    const fixture = event.type === "fixture_removed" ? null : await get(`/api/v1/fixtures/${event.fixture_id}`);
    if (fixture) fixtures.set(event.fixture_id, fixture.data);
    else fixtures.delete(event.fixture_id);
    cursor = event.seq;
  }
  console.log(JSON.stringify({ cursor, fixtures: fixtures.size }));
}

async function subscribe() {
  if (cursor === null) await bootstrap();
  const answer = await socket.timeout(10_000).emitWithAck("subscribe", { channel: "changes", cursor });
  if (answer.ok) return apply(answer);
  const { code, retry_after } = answer.error;
  if (code !== "INVALID_CURSOR") throw Object.assign(new Error(code), { retry_after }); // then() tries again
  cursor = null;
  return subscribe();
}

// One task after the other: a push waits until the state that it changes is complete.
// Tasks of an earlier connection are dropped: its events come again after the cursor.
let work = Promise.resolve();
function then(task) {
  const id = socket.id;
  work = work.then(() => socket.id === id && task()).catch((problem) => {
    console.error(problem.message);
    socket.disconnect();
    setTimeout(() => socket.connect(), (problem.retry_after ?? 2) * 1_000);
  });
}

const socket = io(base, { path: "/realtime", auth: { token }, transports: ["websocket"] });
socket.on("ready", () => then(subscribe));
socket.on("changes", (push) => then(() => apply(push)));
socket.on("channel_closed", ({ channel, error }) => console.error(channel, error.code));
socket.on("connect_error", (refusal) => {
  console.error(refusal.data?.code ?? refusal.message); // without data, the client tries again by itself
  if (refusal.data?.retry_after) setTimeout(() => socket.connect(), refusal.data.retry_after * 1_000);
});
