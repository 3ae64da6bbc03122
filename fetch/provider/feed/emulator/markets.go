package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
)

// unclaimed markets need a mapping table.
var unclaimed = map[string]bool{"match_result-1h": true, "both_teams_to_score-ft": true}

// marketsOf returns the markets of an offering that have prices, as they are sent and what they mean.
func marketsOf(o *bookmaker.Offering) (_ []object, known []meant.Market) {
	f, say, sent := &o.Fixture, wording(&o.Fixture), []object{}
	for of := range bookmaker.Offers() {
		if !o.Sells(of) {
			continue
		}
		for i, r := range of.Refs() {
			words, selections := strings.Fields(fmt.Sprint(r.Market, " ", r.Period, " ", r.Side, " ", r.Parameter, " ", r.Book)), []object{}
			id, name := strings.ToLower(strings.Join(words, "-")), say(strings.Join(words, " "))
			m := object{"id": id, "name": name, "suspended": f.Lot(15, 303, uint64(of)) == 0}
			k := meant.Market{Key: id, ID: id, Name: name, Proof: meant.MustBeRaw}
			if r.Market == strings.ToUpper(r.Market) && !unclaimed[id] { // else it is not in the vocabulary
				k.Proof = meant.Proven
				m["claim"] = filled(object{"market": r.Market, "period": r.Period, "subject": r.Side})
			}
			for _, p := range o.Prices(of, bookmaker.Copy{At: o.Since}) {
				if p.Ref != i {
					continue
				}
				line, row := cmp.Or(p.Line, p.Qualifier), meant.RowOf(r, p.Selection)
				s := object{"id": strconv.FormatUint(p.Hash, 36), "odds": object{"decimal": map[bool]any{true: p.Price}[p.Price != ""]}, "suspended": p.Hash>>40%40 == 0,
					"labels": filled(object{"name": say(p.Outcome), "player": p.Player, "team": say(p.Side), "line": line})}
				row.ID, row.Decimal, row.Stopped = s["id"].(string), p.Price, m["suspended"].(bool) || s["suspended"].(bool)
				row.Doubtful = p.Price == "" || p.Outcome == bookmaker.AnyOtherPlayer || p.Player != "" && f.Namesake() && p.Player == f.Home.Players[1]
				if p.Price == "" && strings.Contains(r.Market, "HANDICAP") { // whose signs are proven by the prices
					k.Proof = max(k.Proof, meant.MayBeRaw)
				}
				if m["claim"] != nil && p.Outcome != bookmaker.AnyOtherPlayer {
					s["claim"] = filled(object{"selection": p.Outcome, "line": cmp.Or(line, r.Parameter), "subject": cmp.Or(p.Player, p.Side)})
				}
				selections, k.Rows = append(selections, s), append(k.Rows, row)
			}
			if m["selections"] = selections; len(selections) > 0 {
				sent, known = append(sent, m), append(known, k)
			}
		}
	}
	return sent, known
}

// filled returns an object without its empty members.
func filled(x object) object {
	maps.DeleteFunc(x, func(_ string, v any) bool { return v == "" })
	return x
}

// wording returns a function that words a text of the world for people.
func wording(f *competition.Fixture) func(string) string {
	known := map[string]string{"HOME": f.Home.Name, "AWAY": f.Away.Name, "1X": f.Home.Name + " or Draw", "X2": "Draw or " + f.Away.Name,
		"12": f.Home.Name + " or " + f.Away.Name, "FT": "Full Time", "1H": "1st Half", "2H": "2nd Half"}
	joins := strings.NewReplacer("_", " ", "&", " & ", "/", " / ")
	return func(text string) string {
		words := strings.Fields(joins.Replace(text))
		for i, w := range words {
			words[i] = cmp.Or(known[w], w[:1]+strings.ToLower(w[1:]))
		}
		return strings.Join(words, " ")
	}
}
