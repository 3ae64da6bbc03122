// Starts the two servers that the tests talk to: ours, and the official one with
// the same conventions to hold it against.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { Server as Engine } from "engine.io";
import { Server } from "socket.io";

// The suites' 200 ms for a pong are too little for a client on a busy machine.
const heartbeat = { pingInterval: 300, pingTimeout: 10_000, maxPayload: 1_000_000, perMessageDeflate: true };

// ours is the echo program, built beforehand.
export async function ours() {
  const path = process.env.ECHO;
  if (!path) throw new Error("ECHO must name the built echo program");
  const child = spawn(path, ["-listen", "localhost:0", "-ping-timeout", "10s"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { name: "ours", url: `http://localhost:${line.split(" ").at(-1)}`, stop: () => child.kill() };
}

// official is socket.io, doing what the echo program does.
export async function official() {
  const http = createServer();
  const engine = new Engine({ ...heartbeat, maxHttpBufferSize: heartbeat.maxPayload });
  engine.on("connection", (s) => s.on("message", (data) => s.send(data)));
  engine.attach(http, { path: "/engine.io" });
  const io = new Server(http, {
    ...heartbeat, maxHttpBufferSize: heartbeat.maxPayload, connectTimeout: 1000, cors: { origin: true },
  });
  const echo = (s) => {
    s.emit("auth", s.handshake.auth);
    s.on("message", (...args) => s.emit("message-back", ...args));
    s.on("message-with-ack", (...args) => args.pop()(...args));
    s.on("leave", () => s.disconnect());
    s.on("drop", () => s.conn.close());
  };
  io.on("connection", echo);
  io.of("/custom").on("connection", echo);
  io.of("/refused").use((_, next) => {
    next(Object.assign(new Error("Invalid API token"), { data: { code: "INVALID_API_TOKEN" } }));
  });
  http.listen(0, "localhost");
  await once(http, "listening");
  return {
    name: "official", url: `http://localhost:${http.address().port}`,
    stop: () => { io.close(); engine.close(); http.closeAllConnections(); http.close(); },
  };
}
