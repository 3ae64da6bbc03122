// This program prints each goal and card of the matches in play, and each that is taken back, as a line of JSON.
// BASE is the service, TOKEN the account's, and the argument a small file from which the next run goes on. It
// follows the socket, and polls while there is none. The file is written after the lines of a match: if the program
// is killed in between, the next run prints them again, and a reader knows them by their entry_id.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { io } from "socket.io-client";
import type { components } from "./api.js";

type Match = components["schemas"]["ListedLiveFixture"];
type Timeline = components["schemas"]["Timeline"];
type Seen = { revision: number | null; printed: Record<string, string> }; // the sides printed, by entry_id
const { BASE = "", TOKEN = "", EVERY = "8" } = process.env, file = process.argv[2] ?? "goals.json";
const known: Record<string, Seen> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
let etag = 'W/""', following = false, again = 0; // when to poll again

async function ask(path: string, headers = {}) {
  const answer = await fetch(BASE + path, { headers: { authorization: `Bearer ${TOKEN}`, ...headers }, signal: AbortSignal.timeout(60_000) });
  const body = answer.status === 304 ? {} : await answer.json();
  if ([200, 304, 404].includes(answer.status) || (answer.status === 503 && path.endsWith("/timeline"))) return { answer, body };
  again = Date.now() + 1000 * Number(answer.headers.get("retry-after"));
  throw new Error(`${answer.status} ${body.error.code}`);
}

async function update(matches: Match[]) {
  const listed = matches.map((match) => match.fixture_id);
  for (const gone of Object.keys(known).filter((id) => !listed.includes(id))) { // can be read for a quarter of an hour
    const { body } = await ask(`/api/v1/live/${gone}`);
    if (body.data) matches.push(body.data);
    else delete known[gone];
  }
  for (const match of matches) {
    const seen = (known[match.fixture_id] ??= { revision: null, printed: {} });
    if (match.timeline_revision === seen.revision || !match.detail_available) continue;
    const timeline: Timeline | undefined = (await ask(`/api/v1/live/${match.fixture_id}/timeline`)).body.data;
    if (timeline?.timeline_revision !== match.timeline_revision) continue; // a newer list follows
    printChanges(match, timeline, seen.printed);
    seen.revision = timeline.timeline_revision;
    writeFileSync(`${file}.new`, JSON.stringify(known));
    renameSync(`${file}.new`, file);
  }
}

function printChanges({ fixture_id, home, away, score }: Match, timeline: Timeline, printed: Seen["printed"]) {
  const print = (event: string, entry: object) => console.log(JSON.stringify({ event, fixture_id, home, away, score, ...entry }));
  for (const entry of timeline.withdrawn) {
    if (printed[entry.entry_id]) print("WITHDRAWN", entry);
    delete printed[entry.entry_id];
  }
  for (const entry of timeline.timeline) {
    if (!["GOAL", "CARD"].includes(entry.state) || printed[entry.entry_id] === entry.side_proven) continue;
    print(entry.state, entry); // if it was printed for the other side, this corrects it
    printed[entry.entry_id] = entry.side_proven;
  }
}

async function poll() {
  const { answer, body } = await ask("/api/v1/live?limit=200", { "if-none-match": etag });
  if (answer.status !== 200) return;
  await update(body.data);
  etag = answer.headers.get("etag") ?? etag;
}

async function follow() {
  const answer = await socket.timeout(10_000).emitWithAck("subscribe", { channel: "live" });
  if (!answer.ok) throw new Error(answer.error.code);
  following = true;
  await poll();
}

let work = Promise.resolve(); // one task after the other
const then = (task: () => Promise<void>) => (work = work.then(task).catch((problem) => console.error(problem.message)));
const socket = io(BASE, { path: "/realtime", auth: { token: TOKEN }, transports: ["websocket"] });
socket.on("ready", () => then(follow));
socket.on("live", (push) => then(() => update(push.data)));
for (const end of ["disconnect", "connect_error", "channel_closed"]) socket.on(end, () => (following = false));
setInterval(() => {
  if (following) return;
  if (Date.now() >= again) then(poll);
  if (socket.connected) then(follow);
  else socket.connect();
}, 1000 * Number(EVERY));
