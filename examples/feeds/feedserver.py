"""The HTTP side of a translator: requests, credential, errors and 304, as docs/feed.md describes them.

A translator has two functions: fixtures() returns the answer to GET /feed/v1/fixtures, markets(ids) that to
GET /feed/v1/markets, both as objects for json.dumps. It raises Failed if its provider did not answer.
"""
import hashlib, hmac, http.server, json, os, sys, threading, urllib.parse

class Failed(Exception):
    """The provider did not answer. The status and the seconds until the next attempt are for mkt."""

    def __init__(self, message, status=502, retry_after=60):
        super().__init__(message)
        self.status, self.retry_after = status, retry_after

def serve(listen, fixtures, markets):
    """Answers on an address such as 127.0.0.1:8080. FEED_TOKEN is the credential that mkt is given."""
    credential = ("Bearer " + os.environ["FEED_TOKEN"]).encode()
    one_at_a_time = threading.Lock()  # two requests at once would buy the same prices twice

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version, timeout = "HTTP/1.1", 60

        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), credential):
                return self.send(401, {"error": "wrong credential"})
            ids = [id for id in urllib.parse.parse_qs(url.query).get("fixtures", [""])[0].split(",") if id]
            answers = {"/feed/v1/fixtures": fixtures, "/feed/v1/markets": lambda: markets(ids)}
            if url.path == "/feed/v1/live":
                return self.send(403, {"error": "this feed has no matches in play"})
            if url.path not in answers:
                return self.send(404, {"error": "no such path"})
            try:
                with one_at_a_time:
                    answer = answers[url.path]()
            except Failed as failure:
                return self.send(failure.status, {"error": str(failure)}, ("Retry-After", str(failure.retry_after)))
            except Exception as error:  # the provider's answer has another form than the translator expects
                print(f"{url.path}: {error!r}", file=sys.stderr, flush=True)
                return self.send(502, {"error": "the provider's answer cannot be read"}, ("Retry-After", "60"))
            self.send(200, answer)

        def send(self, status, answer, *headers):
            body = json.dumps(answer, ensure_ascii=False).encode()
            tag = '"' + hashlib.sha256(body).hexdigest()[:32] + '"'
            if status == 200:
                headers = [("ETag", tag)]
            if status == 200 and self.headers.get("If-None-Match") == tag:
                status, body = 304, b""
            else:
                headers = [*headers, ("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass  # mkt says what it got; errors are printed above

    host, port = listen.rsplit(":", 1)
    server = http.server.ThreadingHTTPServer((host, int(port)), Handler)
    print("http://%s:%d" % server.server_address[:2], flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
