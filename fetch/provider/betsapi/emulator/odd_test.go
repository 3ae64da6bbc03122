package emulator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mkt/fetch/simulator"
)

// simRow, simMarket and simSection are a payload read as plainly as can be.
type simRow struct {
	ID, Odds, Name, Name2, Header, Handicap, Team *string
}

type simMarket struct {
	ID, Name string
	Odds     []simRow
	Open     *int
}

type simSection struct {
	name      string
	UpdatedAt string `json:"updated_at"`
	SP        json.RawMessage
}

// simSections returns a result's sections in the payload's own names, others one by one.
func simSections(t testing.TB, result map[string]json.RawMessage) []simSection {
	t.Helper()
	var all []simSection
	for name, raw := range result {
		if raw[0] != '{' && raw[0] != '[' || name == "schedule" {
			continue
		}
		blocks := []json.RawMessage{raw}
		if raw[0] == '[' {
			if err := json.Unmarshal(raw, &blocks); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range blocks {
			s := simSection{name: name}
			if err := json.Unmarshal(b, &s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, s)
		}
	}
	return all
}

func simMarkets(t testing.TB, s simSection) map[string]simMarket {
	t.Helper()
	if string(s.SP) == "[]" {
		return nil
	}
	markets := make(map[string]simMarket)
	if err := json.Unmarshal(s.SP, &markets); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return markets
}

// simResults asks for the markets of all that is listed, ten at a time.
func simResults(t testing.TB, sim *simulator.Server, path string) map[string]map[string]json.RawMessage {
	t.Helper()
	all := make(map[string]map[string]json.RawMessage)
	for ids := range slices.Chunk(wholeListing(t, sim, "sport_id=1"), 10) {
		var fi []string
		for _, it := range ids {
			fi = append(fi, it.ID)
		}
		var answer struct {
			Results []map[string]json.RawMessage
		}
		if err := json.Unmarshal(ask(t, sim, path+"?FI="+strings.Join(fi, ",")).Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		for _, r := range answer.Results {
			var id string
			json.Unmarshal(r["FI"], &id)
			all[id] = r
		}
	}
	return all
}

// Everything odd that the recordings show is in the world of a demonstration.
func TestSimulatedOdditiesAreAllThere(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1})
	found := make(map[string]int)
	see := func(what string, yes bool) {
		if yes {
			found[what]++
		} else if _, ok := found[what]; !ok {
			found[what] = 0
		}
	}
	items := wholeListing(t, sim, "sport_id=1")
	for _, it := range items {
		see("league null", it.League == nil)
		see("away absent", it.Away == nil)
		see("our_event_id null", it.EventID == nil)
		see("r_id null", it.RID == nil)
		see("ended", it.TimeStatus == "3" && it.SS != nil)
		see("postponed", it.TimeStatus == "4")
		see("team name with or", strings.Contains(it.Home.Name, " or "))
		see("team name with dash", strings.Contains(it.Home.Name, " - "))
		see("team name outside ASCII", strings.ContainsFunc(it.Home.Name, func(r rune) bool { return r > unicode.MaxASCII }))
		see("team name decomposed", strings.ContainsFunc(it.Home.Name, unicode.IsMark))
		see("league with en dash", it.League != nil && strings.ContainsRune(it.League.Name, '–'))
	}
	results := simResults(t, sim, "/v4/bet365/prematch")
	see("listed without result", len(results) < len(items))
	counts := make([]int, 0, len(results))
	for _, r := range results {
		markets := make(map[string][]simMarket)
		times := make(map[string][]string)
		for _, s := range simSections(t, r) {
			see("empty section", string(s.SP) == "[]")
			for key, m := range simMarkets(t, s) {
				markets[key] = append(markets[key], m)
				times[key] = append(times[key], s.UpdatedAt)
			}
		}
		see("unknown field", r["in_play_soon"] != nil)
		see("result without sections", len(markets) == 0)
		counts = append(counts, len(markets))
		for key, copies := range markets {
			lookAtCopies(see, key, copies, times[key])
		}
	}
	slices.Sort(counts)
	if median := counts[len(counts)/2]; median < 50 || counts[len(counts)-1] > 135 || counts[len(counts)/10] < 38 {
		t.Errorf("markets a fixture: a tenth below %d, half below %d, at most %d", counts[len(counts)/10], median, counts[len(counts)-1])
	}
	for what, n := range found {
		if n == 0 {
			t.Errorf("never seen: %s", what)
		}
	}
}

func lookAtCopies(see func(string, bool), key string, copies []simMarket, times []string) {
	full, empty, prices := 0, 0, make(map[string]string)
	for _, m := range copies {
		if len(m.Odds) == 0 {
			empty++
		} else {
			full++
		}
		see("open 0 on a filled copy", len(m.Odds) > 0 && m.Open != nil)
		see("shell with open 0", len(m.Odds) == 0 && m.Open != nil)
		see("market without id", m.ID == "")
		see("line break in a name", strings.Contains(m.Name, "\r\n"))
		for _, row := range m.Odds {
			label := strings.HasPrefix(*row.ID, "PC")
			see("label row", label)
			see("row without price", !label && *row.Odds == "")
			see("row without id", *row.ID == "")
			see("empty handicap", row.Handicap != nil && *row.Handicap == "")
			see("quarter line", row.Name != nil && strings.HasSuffix(*row.Name, ".0, +0.5"))
			see("whole line", row.Name != nil && *row.Name == "3.0")
			see("tie with sign", row.Header != nil && *row.Header == "Tie" && row.Handicap != nil && (*row.Handicap)[0] == '+')
			see("score of the away side, winner first", key == "correct_score" && *row.Header == "2" && *row.Name == "2-1")
			if was, ok := prices[*row.ID]; ok {
				see("copies with different prices", was != *row.Odds)
			}
			prices[*row.ID] = *row.Odds
		}
	}
	see("shell filled elsewhere", empty > 0 && full > 0)
	see("shell never filled", full == 0)
	see("several tabs", full > 1)
	see("several times", full > 1 && times[0] != times[1])
	see("twin names", strings.HasSuffix(key, "-"))
	see("name nobody knows", key == "touchline_duels")
	see("margin without header", key == "winning_margin" && full > 0)
}
