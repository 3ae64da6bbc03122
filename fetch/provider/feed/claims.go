package feed

import (
	"cmp"
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

// claim is what a feed says of a market, or of a selection, in words of the vocabulary.
type claim struct{ market, period, selection, line, subject string }

// readClaim reads the claim of a market or a selection. It is not ok if it is there and damaged.
func readClaim(of strictjson.Value) (c claim, ok bool) {
	v := of.Get("claim")
	into := map[string]*string{"market": &c.market, "period": &c.period, "selection": &c.selection, "line": &c.line, "subject": &c.subject}
	for key, member := range v.Members() {
		text := into[key]
		if text == nil || member.Kind() != strictjson.String {
			return claim{}, false
		}
		*text = member.Text()
	}
	return c, !v.Repeats()
}

// definition is a canonical definition that a feed can claim.
type definition struct{ market, period, subject, parameter string }

// The readings of claims, by their definition: the engine keeps what it knows of a reading
// by its address. Definitions come from outside, so they are bounded.
var (
	readings  = make(map[definition]*input.Reading)
	readingMu sync.Mutex
)

const maxReadings = 4096

// reading returns the claimed meaning of a market, or why there is none.
func (c claim) reading() (*input.Reading, football.Reason) {
	term, known := football.Lookup(c.market)
	switch {
	case !known:
		return nil, football.UnknownMarket
	case !term.AllowsPeriod(c.period):
		return nil, football.NeverMapped
	}
	d := definition{market: term.Canonical, period: c.period}
	if isSide(c.subject) {
		d.subject = c.subject
	}
	if isNumbered := term.Line == football.CountLine || term.Line == football.OrdinalLine; isNumbered && !strings.HasPrefix(term.Selections, "n|") {
		d.parameter = c.line
	}
	if mapping.CheckDefinition(term, d.subject, "") != nil {
		return nil, football.ConditionFailed
	}
	if mapping.CheckDefinition(term, "", d.parameter) != nil {
		return nil, football.UnreadableLine
	}
	readingMu.Lock()
	defer readingMu.Unlock()
	if r := readings[d]; r != nil {
		return r, ""
	}
	d.period, d.parameter = strings.Clone(d.period), strings.Clone(d.parameter) // parts of a payload
	d.subject = strings.Clone(d.subject)
	r := &input.Reading{Market: d.market, Period: d.period, Subject: d.subject, Parameter: d.parameter, Rank: 1, Rule: "claim", Dialect: claimWords()}
	labelled := *r
	labelled.Dialect, labelled.Shape = words(), input.RepeatedTexts
	r.Labelled = &labelled
	if term.Line == football.AsianHandicap || term.Line == football.EuropeanHandicap {
		r.Shape, r.Condition = input.SignByPrices, input.NeedsSigns
	}
	if len(readings) < maxReadings {
		readings[d] = r
	}
	return r, ""
}

func isSide(text string) bool { return text == "HOME" || text == "AWAY" }

// row returns what a feed says of a selection, as texts of the claims' dialect: one that
// says nothing is not nil, and cannot be read. What is said of the market holds for every
// selection that does not say otherwise.
func (c claim) row(r *input.Reading, v strictjson.Value) []football.Label {
	all := []football.Label{}
	own, ok := readClaim(v)
	if !ok || own.selection == "" || own.market != "" || own.period != "" {
		return all
	}
	say := func(texts ...string) {
		for _, t := range texts {
			if t != "" {
				all = append(all, football.Label{Field: "claim", Text: t})
			}
		}
	}
	term, _ := football.Lookup(r.Market)
	line, subject := cmp.Or(own.line, c.line), cmp.Or(own.subject, c.subject)
	if r.Parameter != "" && line == r.Parameter {
		line = ""
	}
	side := ""
	if isSide(subject) {
		if side = subject; side == r.Subject {
			side = ""
		}
		subject = ""
	}
	say(side)
	switch pattern := term.Selections; {
	case strings.HasPrefix(pattern, "player name&"):
		say(cast(pattern, own.selection, subject, cmp.Or(r.Parameter, line, "FIRST")))
	case strings.HasPrefix(pattern, "player name"):
		selection := own.selection
		if selection == subject || subject != "" && selection == "YES" {
			selection = ""
		}
		if term.Line == football.CountLine && line != "" {
			line += "+"
		}
		say(subject, selection, line)
	case strings.HasPrefix(term.Subject, "PLAYER"):
		say(subject, own.selection, line)
	case subject != "": // a market of no player
		say(subject)
	case term.Line == football.TimeLine:
		say(event(own.selection, line, term.Canonical))
	case term.Line == football.RangeLine && (own.selection == "OVER" || own.selection == "UNDER"):
		say(own.selection + " " + line)
	case strings.HasPrefix(pattern, `"h-a/h-a"`):
		half, full, _ := strings.Cut(own.selection, "/")
		say("HALF_TIME " + withWinner(half) + " FULL_TIME " + withWinner(full))
	default:
		say(parts(pattern, own.selection)...)
		say(line)
	}
	return all
}

// parts splits a canonical selection into its words: "1X&OVER" is "HOME OR DRAW" and "OVER".
func parts(pattern, selection string) (all []string) {
	split := func(texts []string, at string) (parts []string) {
		for _, t := range texts {
			parts = append(parts, strings.Split(t, at)...)
		}
		return parts
	}
	all = split([]string{selection}, "&")
	if strings.Contains(pattern, "/") {
		all = split(all, "/")
	}
	if strings.Contains(pattern, "HOME_") && (strings.HasPrefix(selection, "HOME_") || strings.HasPrefix(selection, "AWAY_")) {
		if all = split(all, "_"); all[len(all)-1] == "ONLY" {
			all = []string{strings.Join(all, " ")}
		}
	}
	for i, t := range all {
		if double := doubles[t]; double != "" && strings.Contains(pattern, "1X") {
			all[i] = double
		}
	}
	return all
}

var doubles = map[string]string{"1X": "HOME OR DRAW", "12": "HOME OR AWAY", "X2": "DRAW OR AWAY"}

// event words an event before or after a minute.
func event(answer, minute, market string) string {
	text := "EVENT BEFORE " + minute
	if market == "LATE_GOAL" {
		text = "EVENT AFTER " + minute
	}
	switch answer {
	case "YES":
		return text
	case "NO":
		return "NO " + text
	}
	return answer
}

// withWinner puts the winner before a score.
func withWinner(score string) string {
	home, away, _ := strings.Cut(score, "-")
	switch c := cmp.Or(cmp.Compare(len(home), len(away)), cmp.Compare(home, away)); {
	case c > 0:
		return "HOME " + score
	case c < 0:
		return "AWAY " + score
	}
	return "DRAW " + score
}

// cast words a player with a score, a result or a time. The canonical selection may begin
// with the player's name.
func cast(pattern, selection, player, ordinal string) string {
	selection = strings.TrimPrefix(selection, player+"&")
	switch {
	case strings.HasSuffix(pattern, "h-a"):
		selection = withWinner(selection)
	case strings.HasSuffix(pattern, "AWAY"):
		selection = "RESULT " + selection
	default:
		selection = "TIME " + selection
	}
	return player + " @" + ordinal + "@ " + selection
}
