package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// inPlayItem is the part of an item of the in-play list that these tests need, parsed
// independently of the code under test.
type inPlayItem struct {
	ID         string                    `json:"id"`
	FI         string                    `json:"bet365_id"`
	TimeStatus string                    `json:"time_status"`
	Stats      map[string][]*string      `json:"stats"`
	Timer      *struct{ TM, TS, TT any } `json:"timer"`
}

// wireCounters are the provider's names of counters that are served unchanged.
var wireCounters = map[string]string{"attacks": "attacks", "dangerous_attacks": "dangerous_attacks", "on_target": "on_target",
	"off_target": "off_target", "corners": "corners", "goals": "goals", "yellowcards": "yellow_cards", "redcards": "red_cards",
	"penalties": "penalties", "substitutions": "substitutions", "possession_rt": "possession", "ball_safe": "ball_safe"}

func listOnly(body []byte) func(func() time.Time) (http.Handler, string) {
	return func(func() time.Time) (http.Handler, string) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasSuffix(r.URL.Path, "/events/inplay") {
				w.Write(body)
				return
			}
			fmt.Fprint(w, `{"success":1,"results":[]}`)
		}), "11111-aaaaaaaaaaaaaa"
	}
}

// states compares every counter of every served fixture with the list that it came from, and counts
// the states.
func states(t *testing.T, body []byte, begins time.Time) map[string]int {
	t.Helper()
	s := openLiveSystem(t, begins, listOnly(body))
	check.Must(t, s.tick())
	s.served()
	var list struct{ Results []inPlayItem }
	s.must(json.Unmarshal(body, &list))
	sent := map[string]*inPlayItem{}
	for i := range list.Results {
		item := &list.Results[i]
		sent[input.ByEvent+item.ID] = item
		if item.FI != "" {
			sent[item.FI] = item
		}
	}
	met := map[string]int{}
	for _, f := range s.list() {
		item := sent[f.Provenance.ProviderFixtureID]
		if item == nil {
			t.Errorf("%s: nobody sent it", &f)
			continue
		}
		var single struct{ Data liveItem }
		s.one(f.FixtureID, "", &single)
		for wire, name := range wireCounters {
			want := asSent(item.Stats[wire])
			if got := single.Data.Counters[name].sides(); got != want {
				t.Errorf("%s: %s is %v, sent %s", &f, name, got, sentText(item.Stats, wire))
			}
			met[single.Data.Counters[name].State]++
		}
	}
	return met
}

// asSent describes both sides: "absent", "null", or the digits.
func asSent(values []*string) (words [2]string) {
	for side := range words {
		switch {
		case side >= len(values):
			words[side] = "absent"
		case values[side] == nil || *values[side] == "":
			words[side] = "null"
		default:
			words[side], _, _ = strings.Cut(*values[side], ",")
		}
	}
	return words
}

func sentText(stats map[string][]*string, name string) string {
	text, _ := json.Marshal(stats[name])
	return string(text)
}

// Absent, null, zero and value stay distinct, from the provider's bytes to the client's.
func TestLiveStatesAreNeverMerged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	fixtures := 1000
	if testing.Short() {
		fixtures = 250
	}
	var items []string
	for i := range fixtures {
		var stats []string
		for wire := range wireCounters {
			if value, sent := anyPair(rng); sent {
				stats = append(stats, strconv.Quote(wire)+":"+value)
			}
		}
		items = append(items, fmt.Sprintf(`{"id":"%d","sport_id":"1","time":"1772884800","time_status":"1","league":{"id":"9","name":"Coast League"},`+
			`"home":{"id":"1","name":"Home %d"},"away":{"id":"2","name":"Away %d"},"ss":"0-0","bet365_id":"%d","timer":{"tm":30,"ts":1,"tt":"1","ta":0,"md":0},"stats":{%s}}`,
			500+i, i, i, 9000+i, strings.Join(stats, ",")))
	}
	body := fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":1000,"total":%d},"results":[%s]}`, fixtures, strings.Join(items, ","))
	met := states(t, []byte(body), time.Date(2026, 3, 7, 12, 30, 0, 0, time.UTC))
	for _, state := range []string{"VLERE", "ZERO", "NULL", "MUNGON"} {
		if met[state] < 2*fixtures {
			t.Errorf("%d of state %s: %v", met[state], state, met)
		}
	}
}

// anyPair is a random counter as it may be sent, false if it is not sent.
func anyPair(rng *rand.Rand) (string, bool) {
	one := func() string { return []string{`""`, `null`, `"0"`, `"7"`, `"41"`, `"0"`}[rng.IntN(6)] }
	switch rng.IntN(6) {
	case 0, 1:
		return "", false
	case 2:
		return `["0","0"]`, true
	case 3:
		return `["",""]`, true
	}
	return "[" + one() + "," + one() + "]", true
}

// The same for recordings of a real provider.
func TestLiveStatesOfRecordings(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "providers/betsapi/events-inplay"), "*.json"))
	met := map[string]int{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			check.Must(t, err)
			for state, n := range states(t, body, time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)) {
				met[state] += n
			}
		})
	}
	if t.Logf("%v", met); met["VLERE"] < 1000 || met["ZERO"] < 100 || met["MUNGON"] < 100 {
		t.Error("too little was compared")
	}
}
