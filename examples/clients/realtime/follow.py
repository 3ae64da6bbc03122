# Reads everything once, then follows the changes over the socket: docs/clients.md has the steps. BASE is the
# service, TOKEN the account's. It needs python-socketio[client] and requests. suppress_origin keeps websocket-client
# from sending the service's URL as Origin (python-engineio 4.4 or newer).
import os, queue, time
import requests, socketio

base, headers = os.environ["BASE"], {"Authorization": "Bearer " + os.environ["TOKEN"]}
fixtures, cursor = {}, None  # the state, and the last seq in it: store both together
client = socketio.Client(websocket_extra_options={"suppress_origin": True})

def get(path):
    answer = requests.get(base + path, headers=headers, timeout=30)
    if answer.status_code == 404:
        return None
    answer.raise_for_status()
    return answer.json()

def bootstrap():
    global cursor
    fixtures.clear()
    path = "/api/v1/fixtures?limit=200"
    page = get(path)
    first = page["meta"]["changes_seq"]  # what is published while the pages are read comes after it
    while True:
        fixtures.update({f["fixture_id"]: f for f in page["data"]})
        if not page["pagination"]["has_more"]:
            cursor = first
            return
        page = get(path + "&cursor=" + page["pagination"]["next_cursor"])

def apply(push):
    global cursor
    events = [event for event in push["events"] if event["seq"] > cursor]
    if events and events[0]["seq"] != cursor + 1:
        return subscribe()  # a page is missing: the library handles messages in threads
    for event in events:
        found = None if event["type"] == "fixture_removed" else get("/api/v1/fixtures/" + event["fixture_id"])
        if found:
            fixtures[event["fixture_id"]] = found["data"]
        else:
            fixtures.pop(event["fixture_id"], None)
        cursor = event["seq"]
    print(cursor, len(fixtures), flush=True)

def subscribe():
    global cursor
    if cursor is None:
        bootstrap()
    answer = client.call("subscribe", {"channel": "changes", "cursor": cursor}, timeout=30)
    if not answer["ok"] and answer["error"]["code"] == "INVALID_CURSOR":
        cursor = None
        return subscribe()
    if not answer["ok"] and "retry_after" in answer["error"]:
        time.sleep(answer["error"]["retry_after"])
        return subscribe()
    if not answer["ok"]:
        raise RuntimeError(answer["error"]["code"])
    apply(answer)

# One task after the other: the handlers only add to the queue.
work = queue.Queue()
client.on("ready", lambda _: work.put(subscribe))
client.on("changes", lambda push: work.put(lambda: apply(push)))
client.on("channel_closed", lambda closed: print(closed["channel"], closed["error"]["code"]))
refusal = {}

@client.on("connect_error")
def refused(error):
    refusal.clear()
    if isinstance(error, dict):
        refusal.update(error.get("data") or {})
    print(refusal.get("code", error), flush=True)

while not client.connected:
    try:
        client.connect(base, socketio_path="realtime", auth={"token": os.environ["TOKEN"]}, transports=["websocket"])
    except socketio.exceptions.ConnectionError:
        if "code" in refusal and "retry_after" not in refusal:
            raise
        time.sleep(refusal.get("retry_after", 2))
while True:
    try:
        work.get()()
    except (requests.RequestException, socketio.exceptions.SocketIOError) as error:
        print("again:", error, flush=True)  # the position is kept: what was not applied comes again
        time.sleep(2)
        if client.connected:
            work.put(subscribe)
