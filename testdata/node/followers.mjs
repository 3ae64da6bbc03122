// Sockets that follow live, without reading what they get: EACH of them for each account of the
// file TOKENS, at URL, offering compression if DEFLATE is on. It prints a line when all are
// subscribed, and a line of JSON with what they have got so far for each line of its input. With
// FOLDER each push of an account also becomes <account>.json there, for fanout.mjs.
import { readFile, rename, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

const { URL: url, TOKENS, EACH, DEFLATE, FOLDER } = process.env;
const event = '42["live",', subscribe = '420["subscribe",{"channel":"live"}]';
const sockets = [];
let pushes = 0, text = 0;

const write = async (id, body) => {
  await writeFile(`${FOLDER}/${id}.json~`, body);
  await rename(`${FOLDER}/${id}.json~`, `${FOLDER}/${id}.json`);
};

const follow = (id, token, folder) => new Promise((resolve) => {
  const s = new WebSocket(`${url.replace("http", "ws")}/realtime/?EIO=4&transport=websocket`, { perMessageDeflate: DEFLATE === "on" });
  sockets.push(s);
  s.on("close", (code) => { throw new Error(`closed with ${code}`); });
  s.on("message", (data) => {
    const start = data.subarray(0, event.length).toString();
    if (start === event) {
      pushes++;
      text += data.length;
      if (folder) write(id, data.subarray(event.length, data.length - 1)).catch(console.error);
    } else if (start === "2") s.send("3");
    else if (start.startsWith("0")) s.send(`40${JSON.stringify({ token })}`);
    else if (start.startsWith("40")) s.send(subscribe);
    else if (start.startsWith("430")) JSON.parse(data.toString().slice(3))[0].ok ? resolve() : setTimeout(() => s.send(subscribe), 500); // nothing is published yet
    else if (start.startsWith("44")) throw new Error(data.toString());
  });
});

for (const [id, token] of Object.entries(JSON.parse(await readFile(TOKENS, "utf8")))) {
  for (let i = 0; i < Number(EACH); i++) await follow(id, token, FOLDER && i === 0);
}
console.log("subscribed");
createInterface({ input: process.stdin }).on("close", () => process.exit()).on("line", () => {
  const bytes = sockets.reduce((sum, s) => sum + s._socket.bytesRead, 0);
  console.log(JSON.stringify({ bytes, pushes, text }));
});
