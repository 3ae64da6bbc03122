// The official server doing what the service does for the channel live: one room an
// account, publications found by looking for new files, one tick for everybody. With
// AT_ONCE=1 the operating system gives notice of a new file as well, which is pushed at once
// unless something was pushed to the account less than a tick ago.
// FOLDER holds <account>.json, replaced when an account publishes; TOKENS is a file
// with each account's token.
import { watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { Server } from "socket.io";

const folder = process.env.FOLDER, tokens = JSON.parse(await readFile(process.env.TOKENS, "utf8"));
const poll = 250, tick = 2_000, most = 8; // as mkt serve looks for live snapshots
const accounts = new Map(Object.entries(tokens).map(([id, token]) => [token, { id, seen: 0, snapshot: null, fresh: false, pushed: 0, connections: 0 }]));

const http = createServer();
const io = new Server(http, { path: "/realtime", pingInterval: 10_000, pingTimeout: 10_000, maxHttpBufferSize: 4096 });

io.use((socket, next) => {
  const account = accounts.get(socket.handshake.auth.token);
  if (!account || account.connections >= most) return next(new Error("refused"));
  account.connections++;
  socket.on("disconnect", () => account.connections--);
  socket.data = account;
  next();
});
io.on("connection", (socket) => {
  socket.emit("ready", { client_id: socket.data.id });
  socket.on("subscribe", ({ channel }, ack) => {
    socket.join(socket.data.id);
    ack({ ok: true, channel });
  });
  socket.on("unsubscribe", ({ channel }, ack) => {
    socket.leave(socket.data.id);
    ack({ ok: true, channel });
  });
});

async function look(account) {
  const file = `${folder}/${account.id}.json`;
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
  if (mtimeMs === account.seen) return;
  account.snapshot = JSON.parse(await readFile(file, "utf8"));
  account.seen = mtimeMs;
  account.fresh = true;
}

function push(account) {
  if (!account.fresh) return;
  io.to(account.id).emit("live", account.snapshot);
  account.fresh = false;
  account.pushed = Date.now();
}

if (process.env.AT_ONCE === "1") {
  const named = new Map([...accounts.values()].map((account) => [`${account.id}.json`, account]));
  watch(folder, async (_, name) => {
    const account = named.get(name);
    if (!account) return;
    await look(account).catch(console.error);
    if (Date.now() - account.pushed >= tick) push(account);
  });
}
setInterval(() => accounts.forEach((account) => look(account).catch(console.error)), poll);
setTimeout(() => setInterval(() => accounts.forEach(push), tick), 100); // behind a look, as serve does it
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}`));
process.stdin.resume().on("end", () => process.exit());
