// The official client, over each way of connecting, against both servers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { io } from "socket.io-client";
import { official, ours } from "./servers.mjs";

const ways = { "polling": ["polling"], "websocket": ["websocket"], "polling, then websocket": ["polling", "websocket"] };

for (const start of [ours, official]) {
  for (const [way, transports] of Object.entries(ways)) {
    describe(`${start.name}, ${way}`, { timeout: 300_000 }, () => {
      let server;
      const sockets = [];
      const connect = (namespace = "", options = {}) => {
        const s = io(server.url + namespace, { transports, forceNew: true, reconnectionDelay: 20, ...options });
        sockets.push(s);
        return s;
      };
      const connected = async (...args) => {
        const s = connect(...args);
        await once(s, "connect");
        return s;
      };
      // settled waits for the upgrade, where there is one.
      const settled = async (s) => {
        if (transports.length > 1 && s.io.engine.transport.name === "polling") await once(s.io.engine, "upgrade");
        assert.equal(s.io.engine.transport.name, transports.at(-1));
      };
      before(async () => { server = await start(); });
      afterEach(() => sockets.splice(0).forEach((s) => s.disconnect()));
      after(() => server.stop());

      it("connects and gets events sent at the connection", async () => {
        const s = connect("", { auth: { token: "é€😀" } });
        const [auth] = await once(s, "auth");
        assert.deepEqual(auth, { token: "é€😀" });
        assert.ok(!s.recovered);
        assert.match(s.id, /^.{20}$/);
        assert.notEqual(s.id, s.io.engine.id);
      });

      it("echoes arguments of every kind", async () => {
        const s = await connected();
        const args = [1, -1.5, 1e21, "two", "\u001e\u2028<&>", true, null, [], {}, [[{ a: [null] }]]];
        s.emit("message", ...args);
        assert.deepEqual(await once(s, "message-back"), args);
      });

      it("acknowledges, many at once, with binary too", async () => {
        const s = await connected();
        const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => s.timeout(60_000).emitWithAck("message-with-ack", i)));
        assert.deepEqual(answers, Array.from({ length: 50 }, (_, i) => i));
        const buffer = await s.emitWithAck("message-with-ack", Buffer.from([1, 2, 3]));
        assert.deepEqual([...buffer], [1, 2, 3]);
      });

      it("echoes binary data in objects", async () => {
        const s = await connected();
        s.emit("message", { a: Buffer.from("one"), b: [new Uint8Array([4, 5]), { c: Buffer.alloc(0) }] }, "text");
        const [first, second] = await once(s, "message-back");
        assert.deepEqual([first.a.toString(), [...first.b[0]], first.b[1].c.length, second], ["one", [4, 5], 0, "text"]);
      });

      it("carries large messages", async () => {
        const s = await connected();
        const large = "x".repeat(400_000);
        assert.equal(await s.emitWithAck("message-with-ack", large), large);
      });

      it("compresses large messages in both directions, over a websocket", async (t) => {
        if (transports.at(-1) !== "websocket") return t.skip("polling");
        const s = await connected("", { perMessageDeflate: { threshold: 0 } });
        await settled(s);
        const { ws } = s.io.engine.transport;
        assert.match(ws.extensions, /^permessage-deflate/);
        const socket = ws._socket;
        const [read, written] = [socket.bytesRead, socket.bytesWritten];
        const large = Array.from({ length: 2000 }, (_, i) => ({ fixture: i, score: { home: i % 3, away: i % 2 } }));
        for (let i = 0; i < 5; i++) assert.deepEqual(await s.emitWithAck("message-with-ack", large), large);
        const bytes = 5 * JSON.stringify(large).length;
        assert.ok(socket.bytesWritten - written < bytes / 4, `${socket.bytesWritten - written} of ${bytes} bytes written`);
        assert.ok(socket.bytesRead - read < bytes / 4, `${socket.bytesRead - read} of ${bytes} bytes read`);
      });

      it("carries messages without compression", async () => {
        const s = await connected("", { perMessageDeflate: false });
        const large = "x".repeat(100_000);
        assert.equal(await s.emitWithAck("message-with-ack", large), large);
        await settled(s);
        if (transports.at(-1) === "websocket") assert.equal(s.io.engine.transport.ws.extensions, "");
      });

      it("keeps the order, before and behind an upgrade", async () => {
        const s = connect();
        const got = [];
        s.on("message-back", (i) => got.push(i));
        for (let i = 0; i < 300; i++) {
          s.emit("message", i);
          if (i % 10 === 0) await pause(1);
        }
        while (got.length < 300) await once(s, "message-back");
        assert.deepEqual(got, Array.from({ length: 300 }, (_, i) => i));
      });

      it("lives through many heartbeats", async () => {
        const s = await connected();
        await settled(s);
        let ended = false;
        s.on("disconnect", () => { ended = true; });
        await pause(1000);
        assert.equal(ended, false);
        assert.equal(await s.emitWithAck("message-with-ack", "alive"), "alive");
      });

      it("refuses with a message and data, for good", async () => {
        const s = connect("/refused");
        const [err] = await once(s, "connect_error");
        assert.equal(err.message, "Invalid API token");
        assert.deepEqual(err.data, { code: "INVALID_API_TOKEN" });
        assert.equal(s.active, false);
      });

      it("refuses unknown namespaces, and goes on in the others", async () => {
        const s = await connected("", { multiplex: true });
        const other = s.io.socket("/random");
        sockets.push(other);
        const [err] = await once(other, "connect_error");
        assert.equal(err.message, "Invalid namespace");
        assert.equal(await s.emitWithAck("message-with-ack", 1), 1);
      });

      it("serves several namespaces over one connection", async () => {
        const s = await connected();
        const custom = s.io.socket("/custom");
        sockets.push(custom);
        await once(custom, "connect");
        assert.equal(await custom.emitWithAck("message-with-ack", "c"), "c");
        custom.disconnect();
        assert.equal(await s.emitWithAck("message-with-ack", "m"), "m");
        assert.notEqual(custom.id, s.id);
      });

      it("tells that the server disconnected: no reconnection", async () => {
        const s = await connected();
        s.emit("leave");
        assert.equal((await once(s, "disconnect"))[0], "io server disconnect");
        assert.equal(s.active, false);
      });

      it("reconnects after the connection was dropped, as a new socket", async () => {
        const s = await connected("", { auth: { token: "again" } });
        await settled(s);
        const id = s.id;
        s.emit("drop");
        assert.equal((await once(s, "disconnect"))[0], "transport close");
        const [auth] = await once(s, "auth");
        assert.deepEqual(auth, { token: "again" });
        assert.notEqual(s.id, id);
        assert.equal(await s.emitWithAck("message-with-ack", 1), 1);
      });

      it("delivers with retries", async () => {
        const s = connect("", { retries: 3, ackTimeout: 5000 });
        const answers = await Promise.all([1, 2, 3].map((i) => s.emitWithAck("message-with-ack", i)));
        assert.deepEqual(answers, [1, 2, 3]);
      });

      it("drops what is above the limit", async () => {
        const s = await connected("", { reconnection: false });
        await settled(s);
        s.emit("message", "x".repeat(1_100_000));
        const [reason] = await once(s, "disconnect");
        assert.match(reason, /^transport (close|error)$/);
      });
    });
  }
}
