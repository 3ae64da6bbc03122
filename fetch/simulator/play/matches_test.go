package play_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
	"mkt/fetch/simulator/world"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const (
	matchesHead = "match_id,competition,season,kickoff_utc,home,away,home_score,away_score,end_1H,end_2H,end_E1,end_E2,strength,stratum,file\n"
	rowsHead    = "match_id,period,second,side,kind,value\n"
	twoMatches  = matchesHead +
		"7,Cup,2020,2020-01-01 12:00:00,Aston,Borrow,1,0,2760.2,2890.0,,,0.1,3,increments-cup.csv.gz\n" +
		"8,Cup,2020,2020-01-01 12:00:00,Caster,Dunn,0,0,2700.0,2800.5,950.1,931.0,0.1,3,increments-cup.csv.gz\n"
	someRows = rowsHead +
		"7,1H,13.1,away,possession,9.7\n7,1H,60.0,home,attack,1\n7,1H,61.5,home,dangerous_attack,1\n7,2H,2700.4,home,on_target,1\n7,2H,2700.4,home,goal,1\n" +
		"7,2H,2701.0,home,free_kick_danger,1\n8,E1,30.0,away,corner,1\n8,E2,10.0,away,red,1\n"
)

// folder writes files, gzip-compressed, into a folder of their own.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMatchesArePlayedAgain(t *testing.T) {
	read, err := play.ReadMatches(folder(t, map[string]string{"matches.csv.gz": twoMatches, "increments-cup.csv.gz": someRows}))
	if err != nil || read.Len() != 2 {
		t.Fatal(read, err)
	}
	w := world.New(world.Options{Seed: 1, Fixtures: 10, Matches: read, Start: noon, Oddities: new(feed.Oddities),
		MatchOffsets: []time.Duration{-10 * time.Minute, 5 * time.Minute}})
	at := func(now time.Time) map[string]feed.Match {
		all := make(map[string]feed.Match)
		for _, m := range w.Live(now) {
			if m.RealID() != "" {
				all[m.RealID()] = m
			}
		}
		return all
	}
	now := at(noon)
	if m, ok := now["7"]; !ok || !m.Whistle.Equal(noon.Add(-10*time.Minute)) || m.Fixture.Home.Name != "Aston" {
		t.Errorf("at the start: %+v", now)
	}
	m := at(noon.Add(20 * time.Minute))["8"]
	if !m.Whistle.Equal(noon.Add(5 * time.Minute)) {
		t.Fatalf("the second match began at %v", m.Whistle)
	}
	end := m.Sent(m.Over)
	if end.Clock.Phase != play.FullTime || end.Clock.Shown != 120*time.Minute || end.Counts()[play.Away][play.Corners] != 1 {
		t.Errorf("a match with extra time ended %+v with %v", end.Clock, end.Counts())
	}
	m = now["7"]
	for second, want := range map[int][3]int32{59: {0, 0, 0}, 60: {1, 0, 0}, 61: {1, 0, 0}, 62: {1, 1, 0}, 2761 + 900 + 2700: {1, 1, 0}, 2761 + 900 + 2701: {1, 1, 1}} {
		c := m.True(m.Whistle.Add(time.Duration(second) * time.Second))
		if got := [3]int32{c[0][play.Attacks], c[0][play.DangerousAttacks], c[0][play.Goals]}; got != want {
			t.Errorf("at second %d: %v, want %v", second, got, want)
		}
	}
	if again := at(noon.Add(2*time.Hour + 20*time.Minute))["7"]; again.Fixture.Number == m.Fixture.Number || again.RealID() != "7" {
		t.Errorf("the match did not begin again: %+v", again.Fixture)
	}
}

func TestMatchesThatCannotBeRead(t *testing.T) {
	good := map[string]string{"matches.csv.gz": twoMatches, "increments-cup.csv.gz": someRows}
	for want, change := range map[string][3]string{
		"no column home":           {"matches.csv.gz", ",home,", ",hosts,"},
		"a half has no end":        {"matches.csv.gz", "2760.2,2890.0", "2760.2,"},
		`second "x"`:               {"matches.csv.gz", "2760.2,", "x,"},
		"is empty or there twice":  {"matches.csv.gz", "\n8,Cup", "\n7,Cup"},
		"is not in the folder":     {"matches.csv.gz", "3,increments-cup", "3,../increments-cup"},
		"no such file":             {"matches.csv.gz", "3,increments-cup", "3,decrements"},
		`line 3: match "9"`:        {"increments-cup.csv.gz", "7,1H,60.0", "9,1H,60.0"},
		`period "E1"`:              {"increments-cup.csv.gz", "7,1H,60.0", "7,E1,60.0"},
		`side "left"`:              {"increments-cup.csv.gz", "60.0,home", "60.0,left"},
		`value "-1"`:               {"increments-cup.csv.gz", "attack,1", "attack,-1"},
		`second "NaN"`:             {"increments-cup.csv.gz", "1H,60.0", "1H,NaN"},
		"wrong number of fields":   {"increments-cup.csv.gz", "attack,1", "attack,1,1"},
		"no match":                 {"matches.csv.gz", strings.TrimPrefix(twoMatches, matchesHead), ""},
		"increments-cup.csv.gz: E": {"increments-cup.csv.gz", someRows, ""},
	} {
		files := map[string]string{}
		for name, text := range good {
			if name == change[0] {
				text = strings.Replace(text, change[1], change[2], 1)
			}
			files[name] = text
		}
		if _, err := play.ReadMatches(folder(t, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := play.ReadMatches(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
}

func FuzzReadMatches(f *testing.F) {
	f.Add(twoMatches, someRows)
	f.Add(matchesHead, rowsHead)
	f.Fuzz(func(t *testing.T, list, rows string) {
		read, err := play.ReadMatches(folder(t, map[string]string{"matches.csv.gz": list, "increments-cup.csv.gz": rows}))
		if err != nil {
			return
		}
		w := world.New(world.Options{Matches: read, InPlay: 3})
		for _, m := range w.Live(noon) {
			m.Sent(noon)
			m.Minutes()
		}
	})
}
