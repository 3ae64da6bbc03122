#!/usr/bin/env python3
"""Reads an account's fixtures, prints the next matches with their prices, and follows the changes.

BASE is the service, TOKEN the account's. It needs Python 3.11 and no other package.
"""

import argparse
import decimal
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import TypedDict

# The parts of the answers that are read here. Each class has the name that docs/openapi.yaml
# gives to the object, and some of its keys; a test compares the two.


class Fixture(TypedDict):
    fixture_id: str
    home: str | None
    away: str | None
    starts_at: str | None
    market_count: int
    content_digest: str


class Odds(TypedDict):
    fractional: str | None
    decimal: decimal.Decimal | int | None  # with the provider's digits: 1.90 stays 1.90


class Quality(TypedDict):
    publishable: bool


class Selection(TypedDict):
    selection: str | None
    odds: Odds
    quality: Quality


class Market(TypedDict):
    origin_type: str
    selections: list[Selection]


class ChangeEvent(TypedDict):
    seq: int
    type: str
    fixture_id: str
    content_digest: str | None


class ErrorDetail(TypedDict):
    code: str
    message: str


class Refusal(Exception):
    """An error of the API. Programs branch on its code; the message is for people."""

    def __init__(self, detail: ErrorDetail):
        super().__init__(f"{detail['code']}: {detail['message']}")
        self.code = detail["code"]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token must not go to another address."""

    def redirect_request(self, *_):
        return None


class Client:
    def __init__(self, base: str, token: str):
        self.base, self.headers = base.rstrip("/") + "/api/v1", {"Authorization": "Bearer " + token}
        self.opener = urllib.request.build_opener(NoRedirect)

    def get(self, path: str, **query: str | int | None):
        """Returns the answer. It waits and asks again if the service says when."""
        query = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        request = urllib.request.Request(f"{self.base}{path}?{query}", headers=self.headers)
        while True:
            try:
                with self.opener.open(request, timeout=30) as answer:
                    return json.load(answer, parse_float=decimal.Decimal)
            except urllib.error.HTTPError as answer:
                wait, body = answer.headers.get("Retry-After"), answer.read()
            try:
                refusal = Refusal(json.loads(body)["error"])
            except (ValueError, KeyError, TypeError):
                raise Refusal({"code": "NO_ANSWER", "message": "an answer that is not of this API"}) from None
            if wait is None:
                raise refusal
            print(f"{refusal.code}: waiting {int(wait)} s", file=sys.stderr, flush=True)
            time.sleep(int(wait))

    def fixtures(self) -> tuple[dict[str, Fixture], str]:
        """Returns all fixtures, and the position of the first page: later changes come after it."""
        fixtures: dict[str, Fixture] = {}
        page = self.get("/fixtures", limit=200)
        position = page["meta"]["changes_cursor"]
        while True:
            fixtures.update({f["fixture_id"]: f for f in page["data"]})
            if not page["pagination"]["has_more"]:
                return fixtures, position
            page = self.get("/fixtures", limit=200, cursor=page["pagination"]["next_cursor"])

    def fixture(self, fixture_id: str) -> Fixture | None:
        try:
            return self.get(f"/fixtures/{fixture_id}")["data"]
        except Refusal as refusal:
            if refusal.code != "FIXTURE_NOT_FOUND":
                raise
            return None

    def match_result(self, fixture_id: str) -> dict[str, str]:
        """Returns the prices that may be shown of the market MATCH_RESULT at full time."""
        try:
            market: Market = self.get(f"/fixtures/{fixture_id}/markets/MATCH_RESULT", period="FT")["data"]
        except Refusal as refusal:
            if refusal.code not in ("MARKET_NOT_FOUND", "FIXTURE_NOT_FOUND"):
                raise
            return {}
        prices = {}
        for selection in market["selections"]:
            if market["origin_type"] == "MAPPED" and selection["quality"]["publishable"]:
                odds = selection["odds"]  # providers send one of the two: neither is computed
                prices[selection["selection"]] = str(odds["fractional"] if odds["decimal"] is None else odds["decimal"])
        return prices


def text(value: str | None, width: int = 0) -> str:
    """Returns what may be printed of a provider's text: no control characters."""
    value = "–" if value is None else "".join(c if c.isprintable() else "\ufffd" for c in value)
    return value if not width or len(value) <= width else value[: width - 1] + "…"


def name(fixture: Fixture) -> str:
    return f"{text(fixture['home'])} v {text(fixture['away'])}"


def columns(prices: dict[str, str]) -> str:
    return "  ".join(f"{text(prices.get(side)):>6}" for side in ("HOME", "DRAW", "AWAY"))


class Follower:
    def __init__(self, client: Client, rows: int):
        self.client, self.rows = client, rows
        self.fixtures: dict[str, Fixture] = {}
        self.prices: dict[str, dict[str, str]] = {}  # of the fixtures in the table
        self.position: str | None = None

    def begin(self):
        """Reads everything, and prints the first matches."""
        self.fixtures, self.position = self.client.fixtures()
        self.prices = {}
        offered = [f for f in self.fixtures.values() if f["market_count"] > 0]
        offered.sort(key=lambda f: (f["starts_at"] is None, f["starts_at"], f["fixture_id"]))
        print(f"{len(self.fixtures)} fixtures, {len(offered)} with markets")
        print(f"{'KICK-OFF (UTC)':16}  {'MATCH':44}  MARKETS    HOME    DRAW    AWAY")
        for f in offered[: self.rows]:
            self.prices[f["fixture_id"]] = prices = self.client.match_result(f["fixture_id"])
            kickoff = text(f["starts_at"])[:16].replace("T", " ")
            print(f"{kickoff:16}  {text(name(f), 44):44}  {f['market_count']:7}  {columns(prices)}", flush=True)

    def follow(self) -> bool:
        """Reads a page of changes. It returns whether there are more."""
        try:
            page = self.client.get("/changes", limit=200, cursor=self.position)
        except Refusal as refusal:
            if refusal.code != "INVALID_CURSOR":
                raise
            print("the position is no longer in the log: all is read again")
            self.begin()
            return True
        equal = sum(self.apply(event) for event in page["data"])
        self.position = page["pagination"]["next_cursor"]
        if page["data"]:
            print(f"seq {page['data'][-1]['seq']}: {len(page['data'])} events, {equal} without a change; {len(self.fixtures)} fixtures", flush=True)
        return page["pagination"]["has_more"]

    def apply(self, event: ChangeEvent) -> bool:
        """Returns whether the event has nothing new."""
        key = event["fixture_id"]
        before = self.fixtures.get(key)
        if before and event["content_digest"] == before["content_digest"]:
            return True
        after = None if event["type"] == "fixture_removed" else self.client.fixture(key)
        if after is None:
            self.prices.pop(key, None)
            if self.fixtures.pop(key, None):
                print(f"- {name(before)}")
            return before is None
        self.fixtures[key] = after
        if before is None:
            print(f"+ {name(after)}, markets {after['market_count']}")
            return False
        moved = [] if before["market_count"] == after["market_count"] else [f"markets {before['market_count']} → {after['market_count']}"]
        if key in self.prices:
            old, self.prices[key] = self.prices[key], self.client.match_result(key)
            for side in sorted(old | self.prices[key]):
                was, now = text(old.get(side)), text(self.prices[key].get(side))
                moved += [f"{text(side)} {was} → {now}"] if was != now else []
        print(f"* {name(after)}: {', '.join(moved) or 'other prices'}")
        return False


def main():
    options = argparse.ArgumentParser(description="Prints an account's next matches and what changes. BASE is the service, TOKEN the account's.")
    options.add_argument("--rows", type=int, default=20, help="matches in the table (20)")
    options.add_argument("--every", type=float, default=10, help="seconds between two requests for changes (10)")
    options.add_argument("--once", action="store_true", help="end when there are no more changes for now")
    asked = options.parse_args()
    if not os.environ.get("TOKEN"):
        sys.exit("set TOKEN to the account's token, and BASE to the service's address")
    follower = Follower(Client(os.environ.get("BASE", "http://127.0.0.1:8080"), os.environ["TOKEN"]), asked.rows)
    try:
        follower.begin()
        while True:
            try:
                if follower.follow():
                    continue
            except OSError as problem:  # the same position again, after a while
                print(f"not reached: {type(problem).__name__}", file=sys.stderr, flush=True)
                if asked.once:
                    sys.exit(1)
            if asked.once:
                return
            time.sleep(asked.every)
    except Refusal as refusal:
        sys.exit(str(refusal))
    except OSError as problem:
        sys.exit(f"the service was not reached: {type(problem).__name__}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
