// Conversations on the wire, held with both servers: what ours says must be what
// is written here, and what the official one says, but where a case says otherwise.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { WebSocket } from "ws";
import { official, ours } from "./servers.mjs";

// Talk is one conversation; its lines are what the server said.
class Talk {
  lines = [];
  sockets = [];
  constructor(url, path) { this.base = `${url}${path}/`; }

  // ids become their lengths: they differ each time.
  say(text) { this.lines.push(String(text).replace(/"sid":"([^"]*)"/, (_, id) => `"sid":${id.length > 15}`)); }

  async request(method, query, body, headers) {
    const r = await fetch(`${this.base}?${query}`, { method, body, headers });
    return { status: r.status, text: (await r.text()).replaceAll("\u001e", " "), headers: r.headers };
  }
  async http(method, query, body, headers) {
    const { status, text } = await this.request(method, query, body, headers);
    this.say(`${status} ${text.replace(/^2 /, "")}`); // a heartbeat may have come first
  }
  async handshake() {
    const { text } = await this.request("GET", "EIO=4&transport=polling");
    this.sid = JSON.parse(text.slice(1)).sid;
    this.query = `EIO=4&transport=polling&sid=${this.sid}`;
  }
  get() { return this.http("GET", this.query); }
  post(body) { return this.http("POST", this.query, body.replaceAll(" ", "\u001e")); }

  // socket opens a websocket; what comes goes into a list that next takes from.
  async socket(query = "EIO=4&transport=websocket") {
    const s = new WebSocket(`${this.base.replace("http", "ws")}?${query}`);
    this.sockets.push(s);
    const came = [];
    let wake = () => {};
    const put = (text) => { came.push(text); wake(); };
    s.binaryType = "nodebuffer";
    s.on("error", () => {});
    s.on("message", (data, binary) => put(binary ? `binary ${data.toString("hex")}` : data.toString()));
    s.on("close", () => put("closed"));
    s.next = async () => {
      while (came.length === 0) await new Promise((resolve) => { wake = resolve; });
      return came.shift();
    };
    // tell waits for n things, heartbeats aside.
    s.tell = async (n = 1) => {
      while (n > 0) {
        const text = await s.next();
        if (text === "2") { s.send("3"); continue; }
        this.say(text);
        n--;
      }
    };
    await new Promise((resolve) => { s.once("open", resolve); s.once("close", resolve); });
    return s;
  }
  async joined(...packets) {
    const s = await this.socket();
    for (const text of ["40", ...packets]) s.send(text);
    await s.tell(3 + packets.length);
    this.lines.length = 0;
    return s;
  }
}

const engine = {
  "open packet, polling": [async (t) => t.http("GET", "EIO=4&transport=polling"),
    '200 0{"sid":true,"upgrades":["websocket"],"pingInterval":300,"pingTimeout":10000,"maxPayload":1000000}'],
  "open packet, websocket": [async (t) => (await t.socket()).tell(),
    '0{"sid":true,"upgrades":[],"pingInterval":300,"pingTimeout":10000,"maxPayload":1000000}'],
  "no version": [async (t) => t.http("GET", "transport=polling"), '400 {"code":5,"message":"Unsupported protocol version"}'],
  "version abc": [async (t) => t.http("GET", "EIO=abc&transport=polling"), '400 {"code":5,"message":"Unsupported protocol version"}'],
  "no transport": [async (t) => t.http("GET", "EIO=4"), '400 {"code":0,"message":"Transport unknown"}'],
  "transport abc": [async (t) => t.http("GET", "EIO=4&transport=abc"), '400 {"code":0,"message":"Transport unknown"}'],
  "POST first": [async (t) => t.http("POST", "EIO=4&transport=polling"), '400 {"code":2,"message":"Bad handshake method"}'],
  "PUT first": [async (t) => t.http("PUT", "EIO=4&transport=polling"), '400 {"code":2,"message":"Bad handshake method"}'],
  "unknown session": [async (t) => t.http("GET", "EIO=4&transport=polling&sid=x"), '400 {"code":1,"message":"Session ID unknown"}'],
  "websocket without upgrade": [async (t) => t.http("GET", "EIO=4&transport=websocket"), '400 {"code":3,"message":"Bad request"}'],
  "websocket, version abc": [async (t) => (await t.socket("EIO=abc&transport=websocket")).tell(), "closed"],
  "websocket, transport abc": [async (t) => (await t.socket("EIO=4&transport=abc")).tell(), "closed"],
  "echo of three, and binary": [async (t) => {
    await t.handshake();
    await t.post("4one 4é bAQIDBA==");
    await t.get();
  }, "200 ok", "200 4one 4é bAQIDBA=="],
  "two polls at once": [async (t) => {
    await t.handshake();
    const first = t.request("GET", t.query);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await t.request("GET", t.query);
    t.say(second.status);
    t.say((await first).text);
    t.say((await t.request("GET", t.query)).status);
  }, "400", "1", "400"],
  "close packet, polling": [async (t) => {
    await t.handshake();
    const waiting = t.request("GET", t.query);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await t.post("1");
    t.say((await waiting).text);
    t.say((await t.request("GET", t.query)).status);
  }, "200 ok", "6", "400"],
  "bad packet, polling": [async (t) => {
    await t.handshake();
    // The official server answers this as it likes, ours with 400.
    await t.request("POST", t.query, "abc").catch(() => {});
    t.say((await t.request("GET", t.query)).status);
  }, "400"],
  "bad packet, websocket": [async (t) => {
    const s = await t.socket();
    await s.tell(); // the open packet, which a server need not send any more once it has refused something
    t.lines.shift();
    s.send("abc");
    await s.tell();
  }, "closed"],
  "binary over websocket": [async (t) => {
    const s = await t.socket();
    await s.tell();
    t.lines.shift();
    s.send("4hello");
    s.send(Buffer.from([1, 2, 3, 4]));
    await s.tell(2);
  }, "4hello", "binary 01020304"],
  "upgrade, and what follows it": [async (t) => {
    await t.handshake();
    const s = await t.socket(`EIO=4&transport=websocket&sid=${t.sid}`);
    s.send("2probe");
    await s.tell();
    await t.get();
    s.send("5");
    s.send("4hello");
    await s.tell();
    await t.get();
    const second = await t.socket(`EIO=4&transport=websocket&sid=${t.sid}`);
    s.send("4still here");
    await s.tell();
    second.close();
  }, "3probe", "200 6", "4hello", '400 {"code":3,"message":"Bad request"}', "4still here"],
};

const socketio = {
  "connect": [async (t) => { const s = await t.socket(); s.send('40{"token":"x"}'); await s.tell(3); t.lines.shift(); },
    '40{"sid":true}', '42["auth",{"token":"x"}]'],
  "connect without payload": [async (t) => { const s = await t.socket(); s.send("40"); await s.tell(3); t.lines.shift(); },
    '40{"sid":true}', '42["auth",{}]'],
  "connect elsewhere": [async (t) => { const s = await t.socket(); s.send('40/custom,{"token":"x"}'); await s.tell(3); t.lines.shift(); },
    '40/custom,{"sid":true}', '42/custom,["auth",{"token":"x"}]'],
  "unknown namespace": [async (t) => { const s = await t.socket(); s.send("40/random"); await s.tell(2); t.lines.shift(); },
    '44/random,{"message":"Invalid namespace"}'],
  "no packet first": [async (t) => { const s = await t.socket(); await s.tell(); t.lines.shift(); s.send("4abc"); await s.tell(); }, "closed"],
  "nothing at all": [async (t) => { const s = await t.socket(); await s.tell(2); t.lines.shift(); }, "closed"],
  "event": [async (t) => { const s = await t.joined(); s.send('42["message",1,"2",{"3":[true]}]'); await s.tell(); },
    '42["message-back",1,"2",{"3":[true]}]'],
  "ack": [async (t) => { const s = await t.joined(); s.send('42456["message-with-ack",1,"2",{"3":[false]}]'); await s.tell(); },
    '43456[1,"2",{"3":[false]}]'],
  "binary event": [async (t) => {
    const s = await t.joined();
    s.send('452-["message",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]');
    s.send(Buffer.from([1, 2]));
    s.send(Buffer.from([3]));
    await s.tell(3);
  }, '452-["message-back",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]', "binary 0102", "binary 03"],
  "binary ack": [async (t) => {
    const s = await t.joined();
    s.send('451-789["message-with-ack",{"_placeholder":true,"num":0}]');
    s.send(Buffer.from([1]));
    await s.tell(2);
  }, '461-789[{"_placeholder":true,"num":0}]', "binary 01"],
  "leaving one of two": [async (t) => {
    const s = await t.joined();
    s.send("40/custom");
    await s.tell(2);
    t.lines.length = 0;
    s.send("41/custom");
    s.send('42["message","here"]');
    await s.tell();
  }, '42["message-back","here"]'],
};
for (const bad of ["4abc", "42{}", "42abc[]", "42[]", "40", '42["disconnect"]', "450-[]", "4511-[]", '44{"message":"x"}']) {
  socketio[`bad packet ${bad}`] = [async (t) => { const s = await t.joined(); s.send(bad); await s.tell(); }, "closed"];
}

for (const start of [ours, official]) {
  describe(`the wire, ${start.name}`, { timeout: 300_000 }, () => {
    let server;
    before(async () => { server = await start(); });
    after(() => server.stop());
    for (const [path, talks] of [["/engine.io", engine], ["/socket.io", socketio]]) {
      for (const [name, [talk, ...want]] of Object.entries(talks)) {
        it(`${path} ${name}`, async () => {
          const t = new Talk(server.url, path);
          try {
            await talk(t);
          } finally {
            t.sockets.forEach((s) => s.terminate());
          }
          assert.deepEqual(t.lines, want);
        });
      }
    }
  });
}
