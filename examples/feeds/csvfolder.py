#!/usr/bin/env python3
"""A feed from a folder of CSV files in the form of football-data.co.uk, in the format of docs/feed.md.

FEED_TOKEN is the credential that you choose for mkt. It needs Python 3.9 and no other package (on Windows: tzdata).
A row is a match; of its columns are read Div, Date (dd/mm/yyyy or yyyy-mm-dd), Time, HomeTeam, AwayTeam, FTR (the
result, if it was played), and the prices of one bookmaker, such as B365H, B365D, B365A, B365>2.5, B365<2.5, B365AHH and
B365AHA with AHh, the handicap of the home team. The columns of closing prices (B365CH, …) are not read.

Replace a file in one step (write another, and rename it): otherwise half a file may be read, and taken for all.
"""
import argparse, csv, datetime, hashlib, io, pathlib, sys, time, zoneinfo

from feedserver import Failed, serve

UTC = datetime.timezone.utc
LONGEST = datetime.timedelta(hours=3)  # no file says when a match ends

def read_folder():
    """Returns the matches of all files by id, and whether every row could be read. The newest file wins."""
    paths = sorted(pathlib.Path(args.folder).glob("*.csv"), key=lambda path: (path.stat().st_mtime, path.name))
    if not paths:
        raise Failed("there is no CSV file in the folder")  # not an empty list: that would remove all fixtures
    matches, complete = {}, True
    for path in paths:
        saved = utc(datetime.datetime.fromtimestamp(int(path.stat().st_mtime), UTC))
        data = path.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
        for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
            row = {column: (cell or "").strip() for column, cell in row.items() if column}
            if not any(row.values()):
                continue  # spreadsheets leave such rows at the end
            try:
                matches[id_of(row)] = {"row": row, "starts": kick_off(row), "retrieved_at": saved}
            except (KeyError, ValueError) as error:
                print(f"{path.name}, row {number}: {error!r}", file=sys.stderr, flush=True)
                complete = False
    return matches, complete

def date_of(row):
    parts = [int(part) for part in row["Date"].replace("-", "/").split("/")]
    year, month, day = parts if parts[0] > 31 else parts[::-1]
    return datetime.date(year + 2000 if year < 100 else year, month, day)

def kick_off(row):
    """Returns the time in UTC, or None. The files have the local time of the United Kingdom, which is not UTC in summer."""
    if not row.get("Time"):
        return None
    time_of_day = datetime.datetime.strptime(row["Time"], "%H:%M").time()
    return datetime.datetime.combine(date_of(row), time_of_day, zoneinfo.ZoneInfo(args.zone)).astimezone(UTC)

def id_of(row):
    """Makes an id, since the file has none. A row's place changes when a row comes before it; a postponed match gets another id."""
    if not row["HomeTeam"] or not row["AwayTeam"]:
        raise ValueError("a team has no name")
    names = "|".join([row["Div"], date_of(row).isoformat(), row["HomeTeam"], row["AwayTeam"]])
    return hashlib.sha256(names.encode()).hexdigest()[:32]

def utc(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

def status_of(match):
    now, starts = datetime.datetime.fromtimestamp(time.time(), UTC), match["starts"]
    ended = starts + LONGEST < now if starts else date_of(match["row"]) < now.date()
    if ended or match["row"].get("FTR"):
        return "OVER"
    return "IN_PLAY" if starts and starts <= now else "NOT_STARTED"

def fixtures():
    matches, complete = read_folder()
    listed = []
    for id, match in matches.items():
        row = match["row"]
        fixture = {"id": id, "home": row["HomeTeam"], "away": row["AwayTeam"], "league": row["Div"] or None,
                   "status": status_of(match)}
        if "Time" in row:  # without this column the file says nothing of the time, with an empty cell it has no value
            fixture["starts_at"] = match["starts"] and utc(match["starts"])
        listed.append(fixture)
    return {"source": args.source, "complete": complete, "count": len(listed), "next": None, "fixtures": listed}

def markets(ids):
    matches, complete = read_folder()
    priced, missing = [], [id for id in ids if id not in matches and complete]
    for id in ids:
        if id in matches:
            sold = [market for market in markets_of(matches[id]["row"]) if market]
            missing += [] if sold else [id]
            if sold:
                priced.append({"id": id, "retrieved_at": matches[id]["retrieved_at"], "markets": sold})
    return {"source": args.source, "fixtures": priced, "missing": missing}

def markets_of(row):
    home, away, maker = row["HomeTeam"], row["AwayTeam"], args.bookmaker
    line = row.get("AHh", "")  # of the home team
    yield market(row, "Match Result", "MATCH_RESULT", [
        (maker + "H", {"name": home}, {"selection": "HOME"}), (maker + "D", {"name": "Draw"}, {"selection": "DRAW"}),
        (maker + "A", {"name": away}, {"selection": "AWAY"})])
    yield market(row, "Total Goals 2.5", "TOTAL_GOALS", [
        (maker + ">2.5", {"name": "Over", "line": "2.5"}, {"selection": "OVER", "line": "2.5"}),
        (maker + "<2.5", {"name": "Under", "line": "2.5"}, {"selection": "UNDER", "line": "2.5"})])
    if line:
        other = opposite(line)
        yield market(row, "Asian Handicap", "ASIAN_HANDICAP", [
            (maker + "AHH", {"name": home, "handicap": line}, {"selection": "HOME", "line": signed(line)}),
            (maker + "AHA", {"name": away, "handicap": other}, {"selection": "AWAY", "line": signed(other)})])

def opposite(line):
    if not line.strip("+-.0"):
        return line
    return line[1:] if line[0] == "-" else "-" + line.lstrip("+")

def signed(line):
    return line if line[0] in "+-" else "+" + line

def market(row, name, meaning, selections):
    """Returns a market, or None if the row has no price of it: nothing is offered then.

    An empty cell among others is null, since the file has the column and no value. Without the column a price is absent.
    """
    if not any(row.get(column) for column, _, _ in selections):
        return None
    return {"id": name, "name": name, "claim": {"market": meaning, "period": "FT"}, "selections": [
        {"labels": labels, "odds": {"decimal": row[column] or None} if column in row else {}, "claim": claim}
        for column, labels, claim in selections]}

if __name__ == "__main__":
    flags = argparse.ArgumentParser(description="a feed from a folder of CSV files in the form of football-data.co.uk")
    flags.add_argument("folder")
    flags.add_argument("--listen", default="127.0.0.1:8080")
    flags.add_argument("--source", default="csv-folder", help="the name of the feed: mkt provider set --source")
    flags.add_argument("--bookmaker", default="B365", help="what the columns of its prices begin with")
    flags.add_argument("--zone", default="Europe/London", help="the zone of Date and Time")
    args = flags.parse_args()
    serve(args.listen, fixtures, markets)
