// This program prints each goal and card of the matches in play, and each that is taken back, as a line of JSON.
// BASE is the service, TOKEN the account's, and the argument a small file from which the next run goes on. It
// follows the socket, and polls while there is none. The file is written after the lines of a match: if the program
// is killed in between, the next run prints them again, and a reader knows them by their entry_id.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";
import type { components } from "./api.js";

type Match = components["schemas"]["ListedLiveFixture"];
type Timeline = components["schemas"]["Timeline"];
type Seen = { revision: number | null; printed: Record<string, string> }; // the sides printed, by entry_id
type Answer = { body: any; etag: string };
const { BASE = "", TOKEN = "", EVERY = "8" } = process.env, file = process.argv[2] ?? "goals.json";
const known: Record<string, Seen> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}; // by match
const { origin, pathname } = new URL(BASE), prefix = pathname.replace(/\/+$/, "");
let pages = new Map<string, Answer>(), following = false; // the answers of the last list, by path

async function ask(path: string, old?: Answer): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, "if-none-match": old?.etag ?? "" };
  const answer = await fetch(origin + prefix + path, { headers, signal: AbortSignal.timeout(60_000) });
  if (answer.status === 304 && old) return old;
  const body = await answer.json().catch(() => null), code = body?.error?.code; // a proxy may answer in HTML
  const absent = code === "FIXTURE_NOT_FOUND" || (code === "DATA_NOT_READY" && path.endsWith("/timeline")); // no other 404 is about a match
  if (absent || (answer.ok && body?.data)) return { body, etag: answer.headers.get("etag") ?? "" };
  await sleep(1000 * Number(answer.headers.get("retry-after")));
  throw new Error(`${answer.status} ${code ?? "is not from the service"}`);
}

async function update(matches: Match[]) {
  const listed = new Map(matches.map((match) => [match.fixture_id, match]));
  for (const fixture of new Set([...listed.keys(), ...Object.keys(known)])) {
    const seen = (known[fixture] ??= { revision: null, printed: {} });
    const match: Match | undefined = listed.get(fixture) ?? (await ask(`/api/v1/live/${fixture}`)).body.data; // left play, readable for 15 minutes
    if (!match) delete known[fixture];
    else if (match.detail_available && match.timeline_revision !== null && match.timeline_revision !== seen.revision) {
      const timeline: Timeline | undefined = (await ask(`/api/v1/live/${fixture}/timeline`)).body.data;
      if (timeline?.timeline_revision !== match.timeline_revision) continue; // a newer list follows
      printChanges(match, timeline, seen.printed);
      seen.revision = timeline.timeline_revision;
      writeFileSync(`${file}.new`, JSON.stringify(known));
      renameSync(`${file}.new`, file);
    }
  }
}

function printChanges({ fixture_id, home, away, score }: Match, { timeline, withdrawn }: Timeline, printed: Seen["printed"]) {
  const print = (event: string, entry: object) => console.log(JSON.stringify({ event, fixture_id, home, away, score, ...entry }));
  for (const entry of withdrawn.filter((entry) => entry.entry_id in printed)) {
    print("WITHDRAWN", entry);
    delete printed[entry.entry_id];
  }
  for (const entry of timeline.filter((entry) => ["GOAL", "CARD"].includes(entry.state))) {
    const { entry_id = "", state, side_proven } = entry;
    if (printed[entry_id] !== side_proven) print(state, entry); // of the other side now: the line replaces the first
    printed[entry_id] = side_proven;
  }
}

async function poll() {
  const read: typeof pages = new Map(), first = "/api/v1/live?limit=200";
  for (let path = first; path; ) {
    const page = await ask(path, pages.get(path)), cursor = page.body.pagination.next_cursor;
    read.set(path, page);
    path = cursor && `${first}&cursor=${encodeURIComponent(cursor)}`;
  }
  if ([...read].some(([path, page]) => page !== pages.get(path))) await update([...read.values()].flatMap((page) => page.body.data));
  pages = read;
}

async function follow() {
  const answer = await socket.timeout(10_000).emitWithAck("subscribe", { channel: "live" });
  if (!answer.ok) throw new Error(answer.error.code);
  following = true;
  await poll();
}

let work = Promise.resolve(); // one task after the other
const then = (task: () => Promise<void>) => (work = work.then(task).catch((problem) => console.error(problem.message)));
const socket = io(origin, { path: `${prefix}/realtime`, auth: { token: TOKEN }, transports: ["websocket"] });
socket.on("ready", () => then(follow));
socket.on("live", (push) => then(() => (push.meta.live_fixture_count > push.data.length ? poll() : update(push.data))));
for (const end of ["disconnect", "connect_error", "channel_closed"]) socket.on(end, () => (following = false));
for (;; await sleep(1000 * Number(EVERY))) {
  if (following) continue;
  await then(poll);
  if (socket.connected) await then(follow);
  else socket.connect();
}
