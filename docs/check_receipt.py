"""Checks a receipt of a price or of a match in play. Written from docs/receipt-format.md alone; it shares no code with mkt.

    python3 check_receipt.py RECEIPT POLICY
    python3 check_receipt.py --batch POLICY FILE...     (or - : names of files on standard input)

Exit code 0: the receipt holds. 1: it does not, or is not witnessed as the policy demands.
2: a wrong call, or a policy that cannot be read. Needs Python 3.9 and nothing else. With the package `cryptography` it
is faster.
"""
import base64, hashlib, json, os, re, struct, sys
from datetime import datetime, timedelta

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    Ed25519PublicKey = None  # see PlainKey

MAX_RECEIPT, MAX_POLICY, MAX_NAMES = 64 << 20, 1 << 20, 256  # bytes, and the lines of a kind in a policy
MEMBERS = dict(says=list, format=str, fixture_id=str, market_id=str, selection_id=str, fixture=str, content=str,
               path=list, commits=list, leaf=str, after=str, proof=str, answer=str)
FORMATS = {"mkt.receipt/v2": list(MEMBERS), "mkt.live-receipt/v2": [name for name in MEMBERS if name not in ("market_id", "selection_id")]}
IDS = dict(fixture_id="fx_[a-z2-7]{26}", market_id="mk_[a-z2-7]{26}(~[a-z2-7]{8})?", selection_id="sl_[a-z2-7]{26}")
FIXTURE = """fixture_id text, home text?, away text?, league text?, starts_at time??, market_count integer,
    source_provider text, provider_fixture_id text, absent texts"""
MARKET = """fixture_id text, market_id text, ordinal integer, market text?, market_name text?, period text?,
    sections texts, lines texts, origin_type text, derivation_version text, selection_count integer,
    provider_market_ids texts, provider_market_key text, rule text?, raw_reason text?, absent texts"""
SELECTION = """selection_id text, selection text?, line text?, qualifier text?, odds_fractional text?,
    odds_decimal_text text?, odds_decimal decimal?, dimension text?, subject text?, subject_2 text?, grid_row text?,
    grid_column text?, quality_status text, publishable boolean, reasons texts, provider_selection_id text?, absent texts"""
LABEL = "field text, text text"
MATCH = """fixture_id text, home text?, away text?, league text?, starts_at time?, in_play boolean, at time, fresh_at time,
    stale_at time?, clock_period text?, clock_minute integer?, clock_second integer?, clock_added integer?,
    clock_running boolean?, score_home integer?, score_away integer?, visual_state text?, visual_side_proven text?,
    visual_certainty text?, visual_since time?, momentum_home integer?, momentum_away integer?, momentum_leader text?,
    momentum_strength text?, momentum_scope text?, unavailable_reason text?, series_max integer?,
    series_max_minute integer?, source_provider text, provider_fixture_id text, provider_event_id text?, absent texts,
    64 timeline_revision integer??"""
WITHDRAWN = """entry_id text, state text, side_proven text, minute integer??, second integer??, added integer??, at time,
    shown_from time, withdrawn_at time, reason text, replaced_by text??"""
COUNTER = "metric text, state text, home_text text?, home decimal?, away_text text?, away decimal?, absent texts"
ENTRY = """ordinal integer, at time, half integer?, minute integer?, second integer?, added integer?, state text,
    certainty text, side_proven text, until time, listed_at time?, 63 entry_id text??"""
MINUTE = "minute integer, added integer, state text, home integer?, away integer?"
HALF = """half integer, state text, home integer?, away integer?, minutes integer?, minutes_known integer?, home_known integer?,
    away_known integer?"""
MATCH_LINE = "match: {home} - {away}, league {league}, kick-off {starts_at}, {fixture_id}"
PRICE = [
    "price: decimal {odds_decimal_text}, fractional {odds_fractional}, {publishable}; {selection} (line {line}, qualifier {qualifier}), "
    "{selection_id}", MATCH_LINE, "market: {market} ({market_name}, period {period}), {market_id}"]
PLAY = [
    "score: {score_home} - {score_away} in minute {clock_minute}, second {clock_second} (period {clock_period}, stoppage time "
    "{clock_added}, clock {clock_running}), {in_play}, as seen at {at}", MATCH_LINE,
    "momentum: {momentum}; with {counters} counters, {timeline} entries of the timeline, {minutes} minutes and {halves} halves{withdrawn}"]
ENDS = [
    "published: {published_at} by the operator's clock, as publication {version} of dataset {dataset}; read from {source_provider} "
    "at {fetched}; entry {index} of the log {origin}", "witnessed: {witnessed}",
    "not proven: that the provider sent this, that anybody read it, that nothing was withheld, or anything if the operator runs "
    "all the witnesses"]
ALONE = ", so that only the operator's word stands for its time, and for there being one history"
IF_NULL = {"selection": "unnamed", "line": "none", "qualifier": "none", "period": "none", "market": "RAW", "clock_period": "unknown"}


def need(holds, rule):
    if not holds:
        raise ValueError(rule)


def shown(text):
    """The text for a terminal: what moves the cursor or turns the direction of reading is spelled out."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", lambda match: f"\\u{ord(match[0]):04x}", text)


def quoted(text):
    return shown(json.dumps(text, ensure_ascii=False))


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text):
    data = base64.b64decode(text)
    need(base64.b64encode(data) == text.encode(), "base64: not the one spelling")
    return data


def is_hash(text):
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def decimal(text):
    need(re.fullmatch("0|[1-9][0-9]{0,18}", text) and int(text) < 2**63, "a decimal number")
    return int(text)


def integer(digits):
    return int(digits) if len(digits) < 20 else None  # no number that counts is longer


def need_time(text, decimals):
    need(re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}" + decimals + "Z", text), "the form of a time")
    need(datetime(*map(int, re.split("[-T:]", text[:19]))).year >= 1970, "a time before 1970")  # it raises an error if there is no such time


def time_text(milliseconds, precision="seconds"):
    return (datetime(1970, 1, 1) + timedelta(milliseconds=milliseconds)).isoformat(timespec=precision) + "Z"


def times_of(cosignatures):
    return ", ".join(f"{quoted(name)} at {time_text(time * 1000)}" for name, time in cosignatures)


class PlainKey:
    """Verification of Ed25519 (RFC 8032, section 5.1.7, without the cofactor) where no package does it."""
    P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
    D = -121665 * pow(121666, -1, P) % P

    def __init__(self, data):
        self.data = data

    @classmethod
    def from_public_bytes(cls, data):
        return cls(data)

    @classmethod
    def point(cls, data):
        """A point in extended coordinates."""
        number, p = int.from_bytes(data, "little"), cls.P
        y = number % 2**255 % p
        square = (y * y - 1) * pow(cls.D * y * y + 1, -1, p) % p
        x = pow(square, (p + 3) // 8, p)
        if x * x % p != square:
            x = x * pow(2, (p - 1) // 4, p) % p
        need(x * x % p == square, "a key: not a point of the curve")
        x = (p - x) % p if x & 1 != number >> 255 else x
        return x, y, 1, x * y % p

    @classmethod
    def add(cls, one, two):
        (x1, y1, z1, t1), (x2, y2, z2, t2), p = one, two, cls.P
        a, b, c, d = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2 * t1 * t2 * cls.D, 2 * z1 * z2
        e, f, g, h = (b - a) % p, (d - c) % p, (d + c) % p, (b + a) % p
        return e * f % p, g * h % p, f * g % p, e * h % p

    @classmethod
    def times(cls, number, point):
        product = 0, 1, 1, 0
        while number:
            product = cls.add(product, point) if number & 1 else product
            number, point = number >> 1, cls.add(point, point)
        return product

    def verify(self, signature, message):
        r, s, p = signature[:32], int.from_bytes(signature[32:], "little"), self.P
        need(len(signature) == 64 and s < self.ORDER, "a signature: its length, or a number that is too large")
        k = int.from_bytes(hashlib.sha512(r + self.data + message).digest(), "little") % self.ORDER
        x, y, z, t = self.point(self.data)
        base = self.point((4 * pow(5, -1, p) % p).to_bytes(32, "little"))
        x, y, z, _ = self.add(self.times(s, base), self.times(k, (p - x, y, z, p - t)))
        x, y = x * pow(z, -1, p) % p, y * pow(z, -1, p) % p
        need(r == (y | (x & 1) << 255).to_bytes(32, "little"), "a signature that is not valid")


def fields(text, first, *names):
    """The values of a text that has this first line and then lines `name value`, and nothing else."""
    lines = text.split("\n")
    need(lines[0] == first and lines[-1] == "" and len(lines) == len(names) + 2, "the lines of " + first)
    need(all(line.startswith(name + " ") for line, name in zip(lines[1:], names)), "the names in " + first)
    return [line[len(name) + 1:] for line, name in zip(lines[1:], names)]


def root_of(entry, index, size, path):
    """The root to which an inclusion proof leads: RFC 9162, section 2.1.3.2."""
    need(index < size, "an index that is not less than the size")
    fn, sn, r = index, size - 1, sha256(b"\0", entry)
    for p in path:
        need(len(p) == 32 and sn > 0, "a path of hashes that is too long")
        if fn & 1 or fn == sn:
            r = sha256(b"\1", p, r)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = sha256(b"\1", r, p)
        fn, sn = fn >> 1, sn >> 1
    need(sn == 0, "a path of hashes that is too short")
    return r


def table(first, columns, inner=None):
    """Columns as (number, name, kind), and the table of the rows that lie in a row. A column that was added has its number."""
    split = [column.split() for column in columns.split(",")]
    return [(int(column[0]) if len(column) == 3 else first + i, *column[-2:]) for i, column in enumerate(split)], inner


FIXTURE, LABEL = table(0, FIXTURE), table(33, LABEL)
SELECTION = table(16, SELECTION, LABEL)
MARKET = table(0, MARKET, SELECTION)
WITHDRAWN = table(65, WITHDRAWN)
MATCH = table(0, MATCH, WITHDRAWN)
LISTS = dict(counters=table(32, COUNTER), timeline=table(39, ENTRY), minutes=table(50, MINUTE), halves=table(55, HALF))


def read_rows(data, live):
    """The fixture, and its markets: each row by the names of its columns, the rows within it as `rows`. Or the match, and
    the rows of each of LISTS."""
    at = 0

    def follows(number, repetition):
        return at + 1 < len(data) and data[at] == number and data[at + 1] >> 4 == repetition

    def depth(number, repetition):
        nonlocal at
        need(follows(number, repetition), "content: another column is due")
        at += 2
        return data[at - 1] & 15

    def value(kind):
        nonlocal at
        length = 8
        if kind == "text":
            length = shift = 0
            while shift == 0 or data[at - 1] & 128:
                need(shift < 63, "content: the length of a text")
                length, shift, at = length | (data[at] & 127) << shift, shift + 7, at + 1
            need(data[at - 1] or shift == 7, "content: the length of a text is not in its shortest form")
        at += length
        need(at <= len(data), "content: it ends within a value")
        if kind == "text":
            return data[at - length:at].decode("utf-8")
        number, = struct.unpack("<d" if kind == "decimal" else "<q", data[at - 8:at])
        need(kind != "integer" or -2**31 <= number < 2**31, "content: an integer of more than 32 bits")
        need(kind != "boolean" or number in (0, 1), "content: a boolean that is neither 0 nor 1")
        if kind == "time":
            need(0 <= number < 253402300800000, "content: a time")  # in the years from 1970 to 9999
            return time_text(number, "milliseconds")
        return number

    def row(columns, inner, r, d):
        found = {}
        for number, name, kind in columns:
            if kind[-2:] == "??":  # it is left out if it is null
                found[name], kind = None, kind[:-1]
                if not follows(number, r):
                    continue
                need(data[at + 1] & 15 == d + 1, "content: a column that is null and not left out")
            deep = depth(number, r)
            full = deep == d + 1
            if kind == "texts":
                found[name] = [value("text")] if full else []
                while full and follows(number, d + 1):
                    need(depth(number, d + 1) == d + 1, "content: the depth of a text in a list")
                    found[name].append(value("text"))
            elif kind[-1] == "?":
                found[name] = value(kind[:-1]) if full else None
            else:
                found[name], full = value(kind), False
            need(full or deep == d, "content: the depth of a column")
        if inner:
            found["rows"] = rows(inner, r, d)
        return found

    def rows(kind, r, d):
        columns, inner = kind
        found = []
        if kind is WITHDRAWN and not follows(columns[0][0], r):
            return found
        if kind is not WITHDRAWN and at + 1 < len(data) and data[at + 1] & 15 == d:  # an empty list: each column, also of the rows in the rows
            while kind:
                need(all(depth(number, r) == d for number, _, _ in kind[0]), "content: the depth of an empty list")
                kind = kind[1]
            return found
        while not found or follows(columns[0][0], d + 1):
            found.append(row(columns, inner, d + 1 if found else r, d + 1))
        return found

    if live:
        match, lists = row(*MATCH, 0, 0), {name: [] for name in LISTS}
        for name, of in LISTS.items():
            while follows(of[0][0][0], 0):
                lists[name].append(row(*of, 0, 0))
        need(at == len(data), "content: it does not end after its last half")
        return match, lists
    fixture, markets = row(*FIXTURE, 0, 0), []
    while at < len(data):
        markets.append(row(*MARKET, 0, 0))
    return fixture, markets


def read_policy(data):
    """Logs as [(name, key id, key)], witnesses as {alias: the same}, groups as [(alias, k, members)], and the quorum."""
    logs, witnesses, groups, quorum, defined, members, keys = [], {}, [], None, {"none"}, {"none"}, set()

    def read_key(text, kind):
        name, key_id, key = text.split("+", 2)
        key = unbase64(key)
        wanted = sha256(name.encode(), b"\n", key)[:4]
        need(name and not re.search(r"\s", name) and re.fullmatch("[0-9a-fA-F]{8}", key_id), "the name or id of a key")
        need(len(key) == 33 and key[0] == kind and bytes.fromhex(key_id) == wanted, "the type or id of a key")
        need(not keys & {key, (name, wanted)}, "a key, or a name with a key id, that is there twice")
        keys.update((key, (name, wanted)))
        return name, wanted, (Ed25519PublicKey or PlainKey).from_public_bytes(key[1:])

    need(len(data) <= MAX_POLICY, "it is too long")
    need(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", data), "a control character")
    for line in data.decode("utf-8").split("\n"):
        word, *rest = re.split("[ \t]+", line.strip(" \t"))
        if word == "" or word[0] == "#":
            continue
        if word == "log" and 1 <= len(rest) <= 2:
            logs.append(read_key(rest[0], 1))
        elif word == "witness" and 2 <= len(rest) <= 3 and rest[0] not in defined:
            witnesses[rest[0]] = read_key(rest[1], 4)
            defined.add(rest[0])
        elif word == "group" and len(rest) >= 3 and rest[0] not in defined:
            name, k, *of = rest
            need(len(set(of)) == len(of) and set(of) <= defined - members, "a member of a group that is unknown or twice there")
            need(k in ("any", "all") or re.fullmatch("[1-9][0-9]{0,8}", k) and int(k) <= len(of), "the number of a group")
            groups.append((name, 1 if k == "any" else len(of) if k == "all" else int(k), of))
            members.update(of)
            defined.add(name)
        else:
            need(word == "quorum" and len(rest) == 1 and rest[0] in defined and quorum is None, "the line " + ascii(line))
            quorum = rest[0]
    need(quorum is not None, "no quorum")
    need(max(len(logs), len(witnesses), len(groups)) <= MAX_NAMES, "too many lines of a kind")
    return logs, witnesses, groups, quorum


def bounds(policy, known):
    """The time by which the quorum had cosigned, and the time from which on it did; None if it had not, or is none."""
    if policy[3] == "none":
        return None, None
    first = [known[i][1] for i in range(len(known)) if enough(policy, known[:i + 1])]
    last = [known[i][1] for i in range(len(known)) if enough(policy, known[i:])]
    return (first or [None])[0], (last or [None])[-1]


def enough(policy, known):
    _, _, groups, quorum = policy
    met = {"none"} | {alias for alias, _ in known}
    for name, k, of in groups:
        if sum(member in met for member in of) >= k:
            met.add(name)
    return quorum in met


def read_checkpoint(note, policy):
    """Origin, size, root, every cosignature as (name, time), and (alias, time) of the policy's witnesses, oldest first."""
    logs, witnesses, _, _ = policy
    text, blank, signatures = note.partition("\n\n")
    lines, text = text.split("\n"), text.encode() + b"\n"
    need(not re.search("[\x00-\x09\x0b-\x1f]", note), "a checkpoint: a control character")
    need(blank and signatures[-1:] == "\n" and len(lines) >= 3 and all(lines), "a checkpoint: its lines")
    origin, size, root = lines[0], decimal(lines[1]), unbase64(lines[2])
    need(len(root) == 32, "a checkpoint: its root")
    signed, cosignatures, known, keys = 0, [], {}, set()
    need(signatures.count("\n") <= 100, "a checkpoint: more than 100 signatures")
    for line in signatures[:-1].split("\n"):
        match = re.fullmatch(r"— ([^\s+]+) ([^\s]+)", line)
        need(match, "a checkpoint: the form of a signature line")
        name, signature = match[1], unbase64(match[2])
        need((name, signature[:4]) not in keys, "a checkpoint: two signatures of one key")
        keys.add((name, signature[:4]))
        if name == origin:
            signed += 1
            key = [key for log, key_id, key in logs if (log, key_id) == (name, signature[:4])]
            need(key, "a checkpoint: of a log that the policy does not know")
            key[0].verify(signature[4:], text)
            continue
        time = int.from_bytes(signature[4:12], "big")
        need(len(signature) == 76 and time <= 2**37, "a checkpoint: a cosignature of another length, or its time")
        cosignatures.append((name, time))
        if name in [witness for witness, _, _ in witnesses.values()]:
            alias = [alias for alias, key in witnesses.items() if key[:2] == (name, signature[:4])]
            need(alias, "a checkpoint: a witness with another key")
            witnesses[alias[0]][2].verify(signature[12:], b"cosignature/v1\ntime %d\n" % time + text)
            known[alias[0]] = time
    need(signed == 1, "a checkpoint: not signed by its log, or twice")
    return origin, size, root, cosignatures, sorted(known.items(), key=lambda item: item[1])


def read_commit(text):
    def once(pairs):
        need(len(dict(pairs)) == len(pairs), "a commit: a member is there twice")
        return dict(pairs)

    def constant(name):
        need(False, "a commit: JSON has no " + name)

    def depth(value):
        values = value.values() if type(value) is dict else value if type(value) is list else None
        return 0 if values is None else 1 + max(map(depth, values), default=0)

    need("\\" not in text, "a commit: a backslash")
    commit = json.loads(text, object_pairs_hook=once, parse_constant=constant, parse_int=integer)
    need(type(commit) is dict and depth(commit) <= 64, "a commit: not an object, or too deep")
    need(type(commit.get("version")) is int and 1 <= commit["version"] < 2**63, "a commit: its version")
    return commit


def read_leaf(text):
    """Dataset, version, commit and after of a leaf, and the version and the commit of the leaf before; 0 and zeros for none."""
    dataset, version, commit, previous, after = fields(text, "mkt.leaf/v2", "dataset", "version", "commit", "previous", "after")
    number, _, before = previous.partition(" ")
    need(is_hash(dataset) and is_hash(before), "the leaf: dataset or previous")
    decimal(version)
    return dataset, version, commit, after, (decimal(number), before)


def need_previous(previous, version, commit):
    """The publication with this commit comes after the one of the leaf before, and continues it."""
    number, before = previous
    need(number < version or number == 0, "the leaf: previous is not of an older publication")
    need(number > 0 or before == "0" * 64, "the leaf: previous of the first leaf")
    need(commit["version"] > number, "the leaf covers later publications")
    need(number == 0 or commit["version"] > number + 1 or commit.get("previous_sha256") == before, "the publication does not follow that of the leaf before")


def check(data, policy):
    """Raises an error if the receipt does not hold; else its words, the witnesses, and the bounds of time."""
    need(len(data) <= MAX_RECEIPT, "it is too large")
    receipt = json.loads(data.decode("utf-8"), parse_int=integer)
    need(type(receipt) is dict and type(receipt.get("format")) is str and receipt["format"] in FORMATS, "the format")
    members, live = FORMATS[receipt["format"]], receipt["format"] == "mkt.live-receipt/v2"
    need(list(receipt) == members, "the members of the receipt")
    need(all(type(receipt[name]) is MEMBERS[name] for name in members), "the type of a member")
    need(all(type(text) is str for name in ("says", "path", "commits") for text in receipt[name]), "the type of an element of a list")
    spelled = {name: quoted(value) if type(value) is str else "[" + (",\n" if name == "says" else ", ").join(map(quoted, value)) + "]"
               for name, value in receipt.items()}
    need(data == ("{" + ",\n".join(f'"{name}": {spelled[name]}' for name in members) + "}\n").encode("utf-8"), "the spelling of the file")
    need(all(re.fullmatch(IDS[name], receipt[name]) for name in IDS if name in members), "the form of an id")

    # The fixture's entry, and the rows.
    content, answer = unbase64(receipt["content"]), unbase64(receipt["answer"])
    fixture_id, content_hash, fetched, answer_hash = fields(
        receipt["fixture"], "mkt.live/v1" if live else "mkt.fixture/v1", "fixture", "content", "fetched", "answer")
    need(fixture_id == receipt["fixture_id"], "the entry is of another fixture")
    need(content_hash == sha256(content).hex(), "the content is not that of the entry")
    need(answer_hash == "-" or is_hash(answer_hash), "the form of the answer's hash")
    need(not answer or answer_hash == sha256(answer).hex(), "the answer is not that of the entry")
    need_time(fetched, r"\.[0-9]{3}")
    fixture, rows = read_rows(content, live)
    need(fixture["fixture_id"] == fixture_id, "content: of another fixture")
    if not live:
        need(fixture["market_count"] == len(rows), "content: market_count")
        need(all(market["fixture_id"] == fixture_id for market in rows), "content: a market of another fixture")
        wanted = receipt["market_id"], receipt["selection_id"]
        chosen = [(market, row) for market in rows for row in market["rows"]
                  if (market["market_id"], row["selection_id"]) == wanted]
        need(len(chosen) == 1, "the selection is not in the content, or more than once")

    # From the entry to the commit.
    commits, texts = [read_commit(text) for text in receipt["commits"]], [text.encode() for text in receipt["commits"]]
    need(commits, "no commit")
    root = sha256(b"\0", receipt["fixture"].encode())
    for side, beside in (element.split(" ", 1) for element in receipt["path"]):
        beside = unbase64(beside)
        need(len(beside) == 32 and side in ("left", "right"), "an element of path")
        root = sha256(b"\1", beside, root) if side == "left" else sha256(b"\1", root, beside)
    need(commits[0].get("fixtures_root") == root.hex(), "path does not lead to fixtures_root")
    need_time(commits[0].get("published_at"), r"(\.[0-9]{1,9})?")
    for text, commit, following in zip(texts, commits, commits[1:]):
        need(following.get("previous_sha256") == sha256(text).hex(), "a commit: previous_sha256")
        need(following["version"] == commit["version"] + 1, "a commit: the next version")

    # From the commit to the log.
    dataset, version, commit_hash, after_hash, previous = read_leaf(receipt["leaf"])
    need_previous(previous, int(version), commits[0])
    need(version == str(commits[-1]["version"]) and commit_hash == sha256(texts[-1]).hex(), "the leaf is of another commit")
    lines, _, note = receipt["proof"].partition("\n\n")
    first, second, *path = lines.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and second[:6] == "index ", "the form of the proof")
    index, path = decimal(second[6:]), [unbase64(line) for line in path]
    origin, size, root, cosignatures, known = read_checkpoint(note, policy)
    need(root_of(sha256(receipt["leaf"].encode()), index, size, path) == root, "the proof does not lead to the log's root")

    # The lower bound.
    after, known_before = receipt["after"], []
    if after_hash == "0" * 64:
        need(after == "", "after is not empty")
    else:
        need(after_hash == sha256(after.encode()).hex(), "after is not that of the leaf")
        old_origin, old_size, _, _, known_before = read_checkpoint(after, policy)
        need(old_origin == origin and old_size <= index, "after is of another log, or not older than the leaf")

    # The words.
    words = dict(
        {name: quoted(receipt[name]) for name in IDS if name in members}, version=commits[0]["version"], dataset=dataset,
        fetched=fetched, published_at=commits[0]["published_at"], index=index, origin=quoted(origin), publishable="publishable",
        witnessed=f"in the name of {times_of(cosignatures)}; only a check against a policy verifies that" if cosignatures else "by nobody" + ALONE)

    def add(row, *names):
        for name in names:
            null = "not sent" if name.replace("decimal_text", "decimal") in row["absent"] else "null"
            words[name] = IF_NULL.get(name, null) if row[name] is None else row[name] if name == "starts_at" else quoted(row[name])

    add(fixture, "home", "away", "league", "starts_at", "source_provider")
    if live:  # a whole number is quoted as itself
        add(fixture, "score_home", "score_away", "clock_minute", "clock_second", "clock_added", "clock_period", "clock_running")
        if fixture["clock_running"] is not None:
            words["clock_running"] = "running" if fixture["clock_running"] else "stopped"
        home, away, reason = fixture["momentum_home"], fixture["momentum_away"], fixture["unavailable_reason"]
        both = home is not None and away is not None
        words["momentum"] = f"{home} - {away}" if both else f"unavailable ({'none' if reason is None else quoted(reason)})"
        words["withdrawn"] = f"; withdrawn entries: {len(fixture['rows'])}" if fixture["rows"] else ""
        words.update({name: len(of) for name, of in rows.items()}, at=fixture["at"], in_play="in play" if fixture["in_play"] else "not in play")
    else:
        (market, selection), = chosen
        add(market, "market", "market_name", "period")
        add(selection, "selection", "line", "qualifier", "odds_decimal_text", "odds_fractional")
        if not selection["publishable"]:
            words["publishable"] = "not publishable (" + ", ".join(map(quoted, selection["reasons"])) + ")"
    says = [line.format_map(words) for line in (PLAY if live else PRICE) + ENDS]
    need(receipt["says"] == says, "says: not what the receipt shows")
    return says, known, bounds(policy, known)[0], bounds(policy, known_before)[1]


def check_file(name, policy):
    """The verdict, what is told of it, and the lines to print."""
    try:
        with open(name, "rb") as file:
            says, known, not_after, not_before = check(file.read(MAX_RECEIPT + 1), policy)
    except Exception as error:  # of `need`, or of what reads JSON, base64, UTF-8 and signatures
        reason = shown(str(error)) or type(error).__name__
        return "no", reason, ["does not hold: " + reason]
    times = "published not after " + ("an unknown time" if not_after is None else time_text(not_after * 1000))
    times += "; how long before is not proven" if not_before is None else ", logged not before " + time_text(not_before * 1000)
    if not known:
        by = "nobody that the policy knows" + ALONE
    elif policy[3] == "none":
        by = times_of(known) + "; the policy demands nobody (quorum none), so that no time is proven"
    else:
        by = times_of(known) + "; " + ("that is not enough for the policy" if not_after is None else times)
    says[4] = "witnessed: by " + by
    if not_after is not None and not_before is not None and not_before > not_after:
        return "unwitnessed", times, says + ["the receipt holds, but the times of its witnesses contradict each other"]
    if not enough(policy, known):
        return "unwitnessed", times, says + ["the receipt holds, but it is not witnessed as the policy demands"]
    return "ok", times, says + ["the receipt holds"]


def main(args):
    batch = args[:1] == ["--batch"]
    if len(args) < 3 if batch else len(args) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(args[1], "rb") as file:
            policy = read_policy(file.read(MAX_POLICY + 1))
    except Exception as error:
        print("the policy cannot be read:", shown(str(error)) or type(error).__name__, file=sys.stderr)
        return 2
    names = args[2:] if batch else args[:1]
    if names == ["-"] and batch:
        names = map(os.fsdecode, sys.stdin.buffer.read().splitlines())
    code = 0
    for name in names:
        verdict, reason, lines = check_file(name, policy)
        print(f"{verdict} {name}: {reason}" if batch else "\n".join(lines))
        code = code if verdict == "ok" else 1
    return code


if __name__ == "__main__":
    try:
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt):  # such as: nobody reads what is printed
        code = 2
    os._exit(code)
