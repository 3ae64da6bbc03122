// An account may have eight sockets over all servers of BASES together, however they are
// divided; a socket that is closed makes room on every server; while the server of the limits
// is away, each allows two. TOKEN is the account's token.
import assert from "node:assert/strict";
import { io } from "socket.io-client";

const bases = JSON.parse(process.env.BASES), token = process.env.TOKEN;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// connect resolves to a socket, or to the code of the refusal.
function connect(base, transports) {
  const socket = io(base, { path: "/realtime", forceNew: true, reconnection: false, auth: { token }, transports });
  return new Promise((resolve, reject) => {
    socket.on("ready", () => resolve(socket));
    socket.on("connect_error", (error) => (error.data ? resolve(error.data.code) : reject(error)));
  });
}

// fill opens four sockets on each server at once.
async function fill() {
  const all = await Promise.all(bases.flatMap((base) => [["websocket"], ["polling"], undefined, ["websocket"]].map((transports) => connect(base, transports))));
  const open = all.filter((socket) => typeof socket !== "string");
  assert.ok(all.every((socket) => typeof socket !== "string" || socket === "RATE_LIMITED"), `${all.filter((s) => typeof s === "string")}`);
  return open;
}

async function closeAll(sockets) {
  sockets.forEach((socket) => socket.close());
  for (let i = 0; ; i++) { // the server learns of it a moment later
    const socket = await connect(bases[i % bases.length], ["websocket"]);
    if (typeof socket !== "string") return socket;
    await sleep(50);
  }
}

let open = await fill();
assert.equal(open.length, 8);
let one = await closeAll(open.slice(0, 1));
for (const base of bases) assert.equal(await connect(base, ["websocket"]), "RATE_LIMITED");
open = [...open.slice(1), one];
console.log("full");

for (;;) { // until every server has noticed: then an account without sockets gets its share
  one = await closeAll(open);
  one.close();
  await sleep(1500);
  open = await fill();
  const perServer = bases.map((base) => open.filter((socket) => socket.io.uri === base).length);
  if (perServer.every((n) => n === 2)) break;
}
console.log("shares");

await sleep(3000);
for (const base of bases) {
  for (;;) {
    const socket = await connect(base, ["websocket"]);
    if (socket === "RATE_LIMITED") break; // the open ones are counted again
    socket.close();
    await sleep(200);
  }
}
console.log("done");
process.exit();
