// The official server doing what the service does for the channel live: one room an
// account, publications found by notices of the operating system and by looking for new
// files, and pushed at once unless there was a push to the account less than a tick ago.
// FOLDER holds <account>.json, replaced when an account publishes; TOKENS is a file
// with each account's token. With DEFLATE=on it compresses.
import { watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { Server } from "socket.io";

const folder = process.env.FOLDER, tokens = JSON.parse(await readFile(process.env.TOKENS, "utf8"));
const poll = 250, tick = 2_000, most = 8; // as mkt serve looks for live snapshots
const accounts = new Map(Object.entries(tokens).map(([id, token]) => [token, { id, seen: 0, snapshot: null, fresh: false, pushed: -tick, connections: 0 }]));

const http = createServer();
const io = new Server(http, { path: "/realtime", pingInterval: 10_000, pingTimeout: 10_000, maxHttpBufferSize: 4096, perMessageDeflate: process.env.DEFLATE === "on" });

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
  account.seen = mtimeMs;
  account.snapshot = JSON.parse(await readFile(file, "utf8"));
  account.fresh = true;
  if (performance.now() - account.pushed >= tick) push(account);
}

function push(account) {
  if (account.fresh) {
    io.to(account.id).emit("live", account.snapshot);
    account.pushed = performance.now();
  }
  account.fresh = false;
}

const byFile = new Map([...accounts.values()].map((account) => [`${account.id}.json`, account]));
watch(folder, (_, name) => byFile.has(name) && look(byFile.get(name)).catch(console.error));
setInterval(() => accounts.forEach((account) => look(account).catch(console.error)), poll);
setInterval(() => accounts.forEach(push), tick);
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}`));
process.stdin.resume().on("end", () => process.exit());
