#!/usr/bin/env python3
"""A feed from The Odds API, version 4: the prices of one bookmaker, in the format of docs/feed.md.

THE_ODDS_API_KEY is the provider's key, FEED_TOKEN the credential that you choose for mkt. It needs Python 3.9 and no
other package. Prices and points are kept in the digits of the provider: no number becomes a float.
"""
import argparse, concurrent.futures, http.client, json, os, re, time, urllib.error, urllib.parse, urllib.request

from feedserver import Failed, serve

# What the keys of markets are, in the words of docs/vocabulary.md. A market with another key is published RAW.
MARKETS = {
    "DOUBLE_CHANCE FT": "double_chance", "DOUBLE_CHANCE 1H": "double_chance_h1", "DRAW_NO_BET FT": "draw_no_bet",
    "BOTH_TEAMS_TO_SCORE FT": "btts", "BOTH_TEAMS_TO_SCORE 1H": "btts_h1", "HALF_TIME_FULL_TIME FT": "halftime_fulltime",
    "CORRECT_SCORE FT": "correct_score", "CORRECT_SCORE 1H": "correct_score_h1", "TO_QUALIFY FT_ET_PEN": "to_qualify",
    "CORNERS_RESULT FT": "corners_1x2", "CORNERS_ASIAN_HANDICAP FT": "alternate_spreads_corners",
    "TOTAL_CORNERS FT": "alternate_totals_corners", "TEAM_TOTAL_CORNERS FT": "alternate_team_totals_corners",
    "GOALSCORER_FIRST FT": "player_first_goal_scorer", "GOALSCORER_LAST FT": "player_last_goal_scorer",
    "GOALSCORER_ANYTIME FT": "player_goal_scorer_anytime", "PLAYER_TO_SCORE_OR_ASSIST FT": "player_to_score_or_assist",
    "PLAYER_CARDED FT": "player_to_receive_card", "PLAYER_SENT_OFF FT": "player_to_receive_red_card",
    "PLAYER_SHOTS FT": "player_shots", "PLAYER_SHOTS_ON_TARGET FT": "player_shots_on_target",
    "PLAYER_ASSISTS FT": "player_assists",
}
for period, half in (("FT", ""), ("1H", "_h1"), ("2H", "_h2")):
    MARKETS["MATCH_RESULT " + period] = f"h2h{half} h2h_3_way{half}"
    MARKETS["ASIAN_HANDICAP " + period] = f"spreads{half} alternate_spreads{half}"
    MARKETS["TOTAL_GOALS " + period] = f"totals{half} alternate_totals{half}"
    MARKETS["TEAM_TOTAL_GOALS " + period] = f"team_totals{half} alternate_team_totals{half}"
MEANINGS = {key: meaning.split() for meaning, keys in MARKETS.items() for key in keys.split()}
FEATURED = "h2h,spreads,totals"  # all that one request has of many fixtures
CACHE = 60  # seconds: the provider renews prices once a minute
cache = {}  # by URL: when it was retrieved, and the answer

def ask(path, **query):
    """Returns when an answer was retrieved, and the answer. It costs credits, and is not asked for again for a minute."""
    url = args.base_url.rstrip("/") + path + "?" + urllib.parse.urlencode({**query, "apiKey": args.key})
    if url not in cache or time.time() - cache[url][0] > CACHE:
        time.sleep(1 / 4)  # in four threads: at most 16 requests a second
        at = time.time()
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                cache[url] = at, json.loads(answer.read(), parse_float=str, parse_int=str)
        except urllib.error.HTTPError as error:  # the URL has the key, so it is in no message
            code = "".join(re.findall(r'"error_code": *"(\w+)"', error.read().decode(errors="replace")))
            if code == "EVENT_NOT_FOUND":
                return at, []
            status = 429 if error.code == 429 or code == "OUT_OF_USAGE_CREDITS" else 502
            raise Failed(f"status {error.code} {code} of the provider", status, 5 if error.code == 429 else 60)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Failed(f"no answer of the provider: {type(error).__name__}")
    return cache[url]

def ask_all(requests):
    """Returns the answers to requests of a path and a query, with a failure in the place of one that did not come."""
    def attempt(request):
        try:
            return ask(request[0], **request[1])
        except Failed as failure:
            return failure
    with concurrent.futures.ThreadPoolExecutor(4) as four:
        answers = list(four.map(attempt, requests))
    if answers and all(isinstance(answer, Failed) for answer in answers):
        raise answers[0]
    return answers

def list_events():
    """Returns the fixtures of all active competitions by id, and whether every list came."""
    for url in [url for url, (at, _) in cache.items() if time.time() - at > CACHE]:
        del cache[url]
    sports = [sport["key"] for sport in ask("/v4/sports")[1] if sport["group"] == "Soccer" and not sport["has_outrights"]]
    if not sports:
        raise Failed("the provider lists no competition of football")  # an empty list would remove all fixtures
    lists = ask_all([(f"/v4/sports/{sport}/events", {"dateFormat": "iso"}) for sport in sports])
    came = [answer[1] for answer in lists if not isinstance(answer, Failed)]
    return {event["id"]: event for events in came for event in events}, len(came) == len(lists)

def fixtures():
    events, complete = list_events()
    now = utc(time.time())  # the provider says of the state only when a fixture begins
    return {"source": args.source, "complete": complete, "count": len(events), "next": None, "fixtures": [
        {"id": event["id"], "home": event["home_team"], "away": event["away_team"], "league": event["sport_title"],
         "starts_at": event["commence_time"], "status": "IN_PLAY" if event["commence_time"] <= now else "NOT_STARTED"}
        for event in events.values()]}

def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

def markets(ids):
    events, complete = list_events()
    asked, until = {}, utc(time.time() + args.all_markets * 3600) if args.all_markets else ""
    for event in (events[id] for id in ids if id in events):
        one, keys = (f"/events/{event['id']}", ",".join(MEANINGS)) if event["commence_time"] < until else ("", FEATURED)
        asked.setdefault((f"/v4/sports/{event['sport_key']}{one}/odds", keys), []).append(event["id"])
    query = {"bookmakers": args.bookmaker, "oddsFormat": "decimal", "dateFormat": "iso"}
    answers = ask_all([(path, {**query, "markets": keys}) for path, keys in asked])
    # A fixture in neither list keeps its prices of before: it may be in a list that did not come.
    priced, missing = [], [id for id in ids if id not in events and complete]
    for wanted, answer in zip(asked.values(), answers):
        if isinstance(answer, Failed):
            continue
        items = answer[1] if isinstance(answer[1], list) else [answer[1]]
        by_id = {event["id"]: event for event in items}
        for id in wanted:
            event = by_id.get(id, {"bookmakers": []})
            sold = [market_of(event, market) for maker in event["bookmakers"] if maker["key"] == args.bookmaker
                    for market in maker["markets"]]
            priced += [{"id": id, "retrieved_at": utc(answer[0]), "markets": sold}] if sold else []
            missing += [] if sold else [id]
    return {"source": args.source, "fixtures": priced, "missing": missing}

def market_of(event, sold):
    meaning = MEANINGS.get(sold["key"])
    market = {"id": sold["key"], "name": sold["key"], "selections": []}
    if meaning:
        market["claim"] = {"market": meaning[0], "period": meaning[1]}
    for outcome in sold["outcomes"]:
        labels = {name: text for name, text in outcome.items() if name not in ("price", "link", "sid", "bet_limit")}
        selection = {"labels": labels, "odds": {"decimal": outcome["price"]} if "price" in outcome else {}}
        claim = meaning and claim_of(event, meaning[0], outcome)
        market["selections"].append({**selection, "claim": claim} if claim else selection)
    return market

def claim_of(event, market, outcome):
    """Says what an outcome is. None is for one in other words: it is shown, and nothing is said of it."""
    home, away, about, point = event["home_team"], event["away_team"], outcome.get("description"), outcome.get("point")
    sides = {home: "HOME", "Draw": "DRAW", away: "AWAY"}  # half of the lists begin with the away side: names decide
    words = {"Over": "OVER", "Under": "UNDER", "Yes": "YES", "No": "NO", f"{home} or Draw": "1X", f"{home} or {away}": "12",
             f"Draw or {away}": "X2", **{f"{a} / {b}": f"{sides[a]}/{sides[b]}" for a in sides for b in sides}, **sides}
    score = re.fullmatch(re.escape(home) + r":(\d+)\|" + re.escape(away) + r":(\d+)", outcome["name"])
    claim = {"selection": "-".join(score.groups()) if score else words.get(outcome["name"])}
    if about:
        claim["subject"] = sides.get(about, about)
    if point:
        claim["line"] = "+" + point if "HANDICAP" in market and point[0] != "-" else point
    if about in ("No Scorer", "No Goalscorer"):
        claim = {"selection": "NO_GOALSCORER"}
    return claim if claim["selection"] else None

if __name__ == "__main__":
    flags = argparse.ArgumentParser(description="a feed from The Odds API")
    flags.add_argument("--listen", default="127.0.0.1:8080")
    flags.add_argument("--source", default="the-odds-api", help="the name of the feed: mkt provider set --source")
    flags.add_argument("--bookmaker", default="pinnacle")
    flags.add_argument("--all-markets", type=float, default=0, metavar="HOURS",
                       help="buy every market of the fixtures that begin in so many hours, for a credit each")
    flags.add_argument("--base-url", default="https://api.the-odds-api.com")
    args = flags.parse_args()
    args.key = os.environ["THE_ODDS_API_KEY"]
    serve(args.listen, fixtures, markets)
