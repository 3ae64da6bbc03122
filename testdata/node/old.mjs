// Clients before Socket.IO 4.5 do not know the limit of a packet, and put all that
// they have to send into one polling body: a burst of theirs must not be lost. A
// refusal reaches them however long their token is. BASE is a server, TOKEN an
// account's token.
import assert from "node:assert/strict";
import { io } from "socket.io-client-4.4";

const base = process.env.BASE, token = process.env.TOKEN;
const burst = 300, pad = "x".repeat(150);

for (const transports of [["polling"], ["websocket"], undefined]) {
  const socket = io(base, { path: "/realtime", forceNew: true, auth: { token }, transports });
  const lost = new Promise((_, reject) => socket.on("disconnect", (reason) => reject(new Error(`${transports}: ${reason}`))));
  const answers = [];
  for (let i = 0; i < burst; i++) { // before it is connected: all of it is sent at once then
    answers.push(new Promise((resolve) => socket.emit("subscribe", { channel: "nothing", i, pad }, resolve)));
  }
  const got = await Promise.race([Promise.all(answers), lost]);
  lost.catch(() => {});
  assert.equal(got.length, burst);
  assert.ok(got.every((answer) => answer.error.code === "NOT_FOUND"));
  socket.close();

  const refused = io(base, { path: "/realtime", forceNew: true, auth: { token: "x".repeat(10_000) }, transports });
  const error = await new Promise((resolve) => refused.on("connect_error", resolve));
  assert.equal(error.data?.code, "INVALID_API_TOKEN", `${transports}: ${error.message}`);
  assert.equal(refused.active, false, "it must not try again by itself");
  refused.close();
}
console.log("done");
process.exit();
