package backtest

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"mkt/publish/football"
)

const head = "match_id,competition,season,kickoff_utc,home,away,home_score,away_score,end_1H,end_2H,end_E1,end_E2,strength,stratum,file\n"

func folder(t *testing.T, files map[string]string) fs.FS {
	t.Helper()
	dir := fstest.MapFS{}
	for name, text := range files {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		dir[name] = &fstest.MapFile{Data: b.Bytes()}
	}
	return dir
}

func TestReadObserveAsk(t *testing.T) {
	dir := folder(t, map[string]string{
		"matches.csv.gz": head +
			"7,Cup,2026,2026-01-01 15:00:00,Home,Away,1,0,70.2,61.0,,,0.1,3,a.csv.gz\n" +
			"8,Cup,2026,2026-01-01 15:00:00,Home,Away,1,0,70.2,61.0,,,0.1,3,gone.csv.gz\n",
		"a.csv.gz": "match_id,period,second,side,kind,value\n" +
			"7,1H,8.0,home,possession,5.5\n7,1H,8.1,away,possession,4.5\n7,1H,61.0,away,on_target,1\n7,1H,70.2,away,corner,1\n7,2H,60.5,home,goal,1\n",
	})
	matches, err := Read(dir)
	if err != nil || len(matches) != 1 || matches[0].Ends != [4]int{702, 610, -1, -1} || matches[0].Stratum != 3 {
		t.Fatalf("%+v, %v", matches, err)
	}
	questions := Questions(matches)
	if len(questions) != 2 || questions[0].Shot != ByAway || questions[0].Danger != 0 || questions[1].Goal != ByHome || questions[1].Shot != Nobody {
		t.Errorf("questions %+v", questions)
	}
	samples, begins := Observe(&matches[0])
	if got := begins[1].Sub(begins[0]).Seconds(); got != 70.2+15*60 {
		t.Errorf("half-time ends after %v s", got)
	}
	if s := samples[1]; s.Clock.Second.Or(0) != 8 || s.Counters[7].Metric != football.Possession || text(s.Counters[7]) != "100/0" {
		t.Errorf("at 8 s: %v", s.Counters)
	}
	if s := samples[2]; text(s.Counters[7]) != "55/45" {
		t.Errorf("at 16 s: %v", s.Counters[7])
	}
	if s := samples[9]; s.Clock.Minute.Or(0) != 1 || s.Clock.Second.Or(0) != 10 || text(s.Counters[1]) != "0/1" {
		t.Errorf("at the end of the half: %v", s)
	}
	if s := samples[10]; s.Clock.Running.Or(true) || s.Clock.Minute.Or(0) != 45 || s.Clock.Half.Or(0) != 2 {
		t.Errorf("at half-time: %v", s.Clock)
	}
	if s := samples[len(samples)-1]; s.Score.Home.Or(0) != 1 || s.Clock.Minute.Or(0) != 46 {
		t.Errorf("at the end: %+v", s)
	}
}

func text(c football.Counter) string {
	home, _ := c.Home.Get()
	away, _ := c.Away.Get()
	return home.Text() + "/" + away.Text()
}

func TestBadFilesAreNamed(t *testing.T) {
	good := head + "7,Cup,2026,,Home,Away,1,0,70.2,61.0,,,0.1,3,a.csv.gz\n"
	for row, want := range map[string]string{
		"7,3H,1.0,home,goal,1": `line 2: period "3H"`, "7,1H,1.00,home,goal,1": "one decimal", "7,1H,1.0,both,goal,1": `side "both"`,
		"7,1H,1.0,home,throw,1": `kind "throw"`, "7,1H,1.0,home,goal,x": "invalid syntax",
	} {
		_, err := Read(folder(t, map[string]string{"matches.csv.gz": good, "a.csv.gz": "match_id,period,second,side,kind,value\n" + row + "\n"}))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.csv.gz") {
			t.Errorf("%s: %v", row, err)
		}
	}
	if _, err := Read(folder(t, map[string]string{"matches.csv.gz": good})); err == nil {
		t.Error("no increments at all")
	}
	if _, err := Read(fstest.MapFS{}); err == nil {
		t.Error("no matches at all")
	}
	if _, err := Read(folder(t, map[string]string{"matches.csv.gz": "id\n"})); err == nil || !strings.Contains(err.Error(), "no column match_id") {
		t.Errorf("no header: %v", err)
	}
}
