// The official server of the benchmark: it sends live to everybody when one asks.
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer();
const io = new Server(http, { pingInterval: 10_000, pingTimeout: 10_000, maxHttpBufferSize: 4096, serveClient: false });
const pad = "x".repeat(Number(process.argv[2]));
io.on("connection", (s) => s.on("fan", () => io.emit("live", { sent: performance.timeOrigin + performance.now(), pad })));
http.listen(0, "127.0.0.1", () => console.log(`port ${http.address().port}`));
