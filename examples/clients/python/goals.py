#!/usr/bin/env python3
"""Prints each goal and card of the matches in play, and each that is taken back, as a line of JSON.

BASE is the service, TOKEN the account's, and the argument a small file from which the next run goes on. It needs
Python 3.11 and no other package: it follows the socket over long polling, which is plain HTTP, and polls while
there is no socket, or one for websockets alone. The file is written after the lines of a match: if the program is
killed in between, the next run prints them again, and a reader knows them by their entry_id.
"""
import http.client, json, os, pathlib, re, sys, time, urllib.parse

base, file = urllib.parse.urlsplit(os.environ["BASE"]), pathlib.Path(sys.argv[1])
service = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}[base.scheme](base.netloc, timeout=60)
known = json.loads(file.read_text()) if file.exists() else {}  # by match: its revision, and the sides printed by entry_id
pages = {}  # of the last list: by path, the answer and its ETag

def ask(path, body=None, old=(None, "")):
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "If-None-Match": old[1]}
    service.request("POST" if body else "GET", base.path.rstrip("/") + path, body, headers)
    answer = service.getresponse()
    text = answer.read().decode()
    match answer.status, json.loads(text) if text.startswith("{") else text:
        case 304, _ if old[0]: return old
        case 200, {"data": _} as page: return page, answer.headers.get("ETag", "")
        case 200, str(packets) if path.startswith("/realtime/"): return packets, ""
        case 404, {"error": {"code": "FIXTURE_NOT_FOUND"}}: return {}, ""  # any other 404 says nothing about a match
        case 503, {"error": {"code": "DATA_NOT_READY"}} if path.endswith("/timeline"): return {}, ""
    time.sleep(int(answer.headers.get("Retry-After", 0)))
    raise OSError(f"{answer.status} {text[:300]}")

def update(matches):
    listed = {match["fixture_id"]: match for match in matches}
    for fixture in [*listed, *(known.keys() - listed)]:
        seen = known.setdefault(fixture, {"revision": None, "printed": {}})
        match = listed.get(fixture) or ask(f"/api/v1/live/{fixture}")[0].get("data")  # left play, readable for 15 minutes
        if not match:
            del known[fixture]
        elif match["detail_available"] and match["timeline_revision"] not in (None, seen["revision"]):
            timeline = ask(f"/api/v1/live/{fixture}/timeline")[0].get("data")
            if timeline and timeline["timeline_revision"] == match["timeline_revision"]:  # otherwise a newer list follows
                print_changes(match, timeline, seen["printed"])
                seen["revision"] = timeline["timeline_revision"]
                pathlib.Path(f"{file}.new").write_text(json.dumps(known))
                os.replace(f"{file}.new", file)

def print_changes(match, timeline, printed):
    lines = [("WITHDRAWN", entry) for entry in timeline["withdrawn"] if printed.pop(entry["entry_id"], None)]
    lines += [(entry["state"], entry) for entry in timeline["timeline"] if entry["state"] in ("GOAL", "CARD")
              and printed.get(entry["entry_id"]) != entry["side_proven"]]  # of the other side now: the line replaces the first
    for event, entry in lines:
        try:
            print(json.dumps({"event": event, **{key: match[key] for key in ("fixture_id", "home", "away", "score")}, **entry}), flush=True)
        except BrokenPipeError:
            os._exit(1)  # nobody reads the lines
    printed.update({entry["entry_id"]: entry["side_proven"] for event, entry in lines if event != "WITHDRAWN"})

def poll():
    global pages
    read, path = {}, "/api/v1/live?limit=200"
    while path:
        page, _ = read[path] = ask(path, old=pages.get(path, (None, "")))
        cursor = page["pagination"]["next_cursor"]
        path = cursor and f"/api/v1/live?limit=200&cursor={urllib.parse.quote(cursor)}"
    if read != pages:
        update([match for page, _ in read.values() for match in page["data"]])
        pages = read

def follow():
    path = "/realtime/?EIO=4&transport=polling"
    path += "&sid=" + json.loads(ask(path)[0][1:])["sid"]
    ask(path, "40")  # connect, with the token in the header
    while True:
        for packet in ask(path)[0].split("\x1e"):
            code = re.match(r"\d*", packet)[0]
            match code, json.loads(packet[len(code):] or "null"):
                case "2", _: ask(path, "3")  # the heartbeat
                case "42", ["ready", _]: ask(path, '420["subscribe",{"channel":"live"}]')
                case "430", [{"ok": True}]: poll()
                case "42", ["live", push] if push["meta"]["live_fixture_count"] > len(push["data"]): poll()
                case "42", ["live", push]: update(push["data"])
                case code, _ if code != "40":  # refused, or the end
                    ask(path, "1")
                    raise OSError(packet)

has_socket = True
while True:
    try:
        poll()
        if has_socket:
            follow()
    except (OSError, http.client.HTTPException, ValueError) as problem:
        has_socket = has_socket and "Transport unknown" not in str(problem)  # a service with websockets alone: said once
        print(problem, file=sys.stderr, flush=True)
        service.close()
    time.sleep(float(os.environ.get("EVERY", 8)))
