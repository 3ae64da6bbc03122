package emulator_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/needs"
)

// recordings is the folder of recorded payloads beside the repository; a test
// that needs it is skipped where it is not.
func recordings(t *testing.T) string {
	t.Helper()
	return needs.Shared(t, "providers/betsapi")
}

func TestReplayServesRecordings(t *testing.T) {
	dir := recordings(t)
	sim := simulated(t, simulator.Options{Replay: dir})
	teams := make(map[string]string)
	items := wholeListing(t, sim, "sport_id=1")
	for _, it := range items {
		teams[it.ID] = it.Home.Name + " v " + it.Away.Name
	}
	if len(items) != 53 {
		t.Errorf("%d listed, want the 50 recorded and 3 made", len(items))
	}
	for id, want := range map[string]string{"63615848": "Sunshine Stars FC v Katsina Utd",
		"69223585": "Russia v Saudi Arabia", "92410137": "Fulham v Arsenal", "65404844": "Arsenal v Leicester"} {
		if teams[id] != want {
			t.Errorf("%s is %q, want %q", id, teams[id], want)
		}
	}
	if other := listingPage(t, sim, "sport_id=92"); other.Pager.Total != 1 {
		t.Errorf("%d of another sport", other.Pager.Total)
	}
	// 63615848 is listed and has no recorded markets: it is passed over.
	body := ask(t, sim, "/v3/bet365/prematch?FI=92410137,63615848,65404844,69223585").Body.Bytes()
	var answer struct{ Results []json.RawMessage }
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Results) != 3 {
		t.Fatalf("%v, %d results", err, len(answer.Results))
	}
	for i, file := range []string{"football_v3_2020-09_fulham_arsenal", "football_v1_2017-06_arsenal_leicester", "football_raw_2018-06_russia_saudi"} {
		recorded, err := os.ReadFile(filepath.Join(dir, "bet365-prematch", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(recorded, answer.Results[i]) || len(answer.Results[i]) < len(recorded)-200 {
			t.Errorf("result %d is not the recorded bytes of %s", i, file)
		}
	}
	if other := ask(t, sim, "/v3/events/inplay?sport_id=1").Body.Bytes(); !bytes.Contains(other, []byte(`"results"`)) {
		t.Errorf("another recorded endpoint: %.80s", other)
	}
	if w := ask(t, sim, "/v3/events/nowhere"); w.Code != 404 {
		t.Errorf("an endpoint that was not recorded: %d", w.Code)
	}
}

// replayFolder writes payloads of our own: a replay needs no recordings.
func replayFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	spaced = "{\n  \"FI\" : \"7001\",  \"event_id\":\"1\",\"main\":{\"updated_at\":\"1700000000\",\"sp\":{\"half_time_full_time\":{\"odds\":[{\"name\":\"A - B - A - B\"},{\"name\":\"Vor\\u00fe - Vor\\u00fe\"},{\"name\":\"Draw - Draw\"},{\"name\":\"Sel - Sel\"}]}}}\n}"
	plain  = `{"FI":"7002","event_id":"2","goals":{"updated_at":"1700003600","sp":{}}}`
)

func TestReplayIsByteFaithful(t *testing.T) {
	dir := replayFolder(t, map[string]string{
		"bet365-prematch/one.json":                  `{"success":1,"results":[` + spaced + `]}`,
		"bet365-prematch/two_2024-01_red_blue.json": `{"success":1,"results":[` + plain + `]}`,
		"bet365-upcoming/page1.json":                `{"success":1,"pager":{"page":1,"per_page":50,"total":999},"results":[{"id":"7002" ,"time":"1700010000","league":{"id":"5","name":"L"},"home":{"id":"1","name":"Red"},"away":{"id":"2","name":"Blue"}}]}`,
		"event-view/1.json":                         `{"success":1,"results":[{"id":"9"}]}`,
	})
	sim := simulated(t, simulator.Options{Replay: dir})
	if got, want := ask(t, sim, "/v4/bet365/prematch?FI=7002,1,7001").Body.String(), `{"success":1,"results":[`+plain+","+spaced+`]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p := listingPage(t, sim, "sport_id=1")
	if p.Pager.Total != 2 || len(p.Results) != 2 || p.Results[0].Home.Name != "Red" || p.Results[1].Home.Name != "Vorþ" || p.Results[1].Away.Name != "Sel" {
		t.Errorf("listing %+v", p)
	}
	if got := ask(t, sim, "/v1/bet365/prematch?FI=7001").Body.String(); got != `{"success":1,"results":[`+spaced+`]}` {
		t.Errorf("the path of 2017: %s", got)
	}
	if got := ask(t, sim, "/v1/event/view?event_id=9").Body.String(); got != `{"success":1,"results":[{"id":"9"}]}` {
		t.Errorf("event/view: %s", got)
	}
	if ask(t, sim, "/v1/bet365/upcoming?sport_id=1&token=wrong").Code != 401 {
		t.Error("a replay takes any token")
	}
}

func TestReplayNamesTheBadFile(t *testing.T) {
	for text, want := range map[string]string{
		`{"success":1,"results":[{"FI":"1"}`:         "is not JSON",
		`{"success":1,"results":{}}`:                 "item 1 has no FI",
		`{"success":1,"results":[{"event_id":"1"}]}`: "item 1 has no FI",
	} {
		dir := replayFolder(t, map[string]string{"bet365-prematch/bad.json": text})
		_, err := emulator.New(simulator.Options{Replay: dir})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "bad.json") {
			t.Errorf("%s: %v, want %q and the file", text, err, want)
		}
	}
}
