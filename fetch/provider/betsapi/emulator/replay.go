package emulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/recording"
)

// replay is the dialect over recorded payloads: a folder with one folder an
// endpoint, named as its path with dashes ("bet365-upcoming"), each with .json
// files of whole answers.
//
// The listing holds the recorded items byte for byte, then an item made for
// each recorded fixture of football that no listing holds: its id, the teams as
// its markets name them, no league, and as kick-off the full hour after its
// newest price. A fixture that is listed and has no recorded markets is not in
// the results, like an unknown one. Results are the recorded bytes.
//
// A recorded item is listed whether or not skip_esports=1 is asked. Other endpoints
// answer with their recorded answer of the page asked for, the first file where the
// answer has no pages, whatever else is asked.
type replay struct {
	base
	items   []listedItem
	results map[string][]byte     // by FI
	answers map[string][]recorded // by endpoint, in order of file names
}

// recorded is a recorded answer, and its envelope as far as it could be read.
type recorded struct {
	body  []byte
	Pager *struct {
		Page    int
		PerPage int `json:"per_page"`
		Total   int
	}
	Results []json.RawMessage
}

// openReplay reads a folder of recorded payloads. An error names the file that
// cannot be read.
func openReplay(dir string) (*replay, error) {
	r := &replay{results: make(map[string][]byte), answers: make(map[string][]recorded)}
	if err := recording.Read(dir, api.EndpointUpcoming, r.load); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.items, func(a, b listedItem) int { return strings.Compare(a.sport, b.sport) })
	return r, nil
}

func (r *replay) load(f recording.Answer) error {
	switch f.Endpoint {
	case api.EndpointUpcoming:
		items, err := f.Items(recording.Fields{List: "results", ID: "id", Time: "time"})
		for _, i := range items {
			r.list(i.ID, listedItem{sport: cmp.Or(recording.Text(i.JSON, "sport_id"), api.SportFootball), // none in 2017
				league: recording.Text(i.JSON, "league.id"), day: i.Start.Format("20060102"), json: i.JSON})
		}
		return err
	case api.EndpointPrematch:
		items, err := f.Items(recording.Fields{List: "results", ID: "FI"})
		for _, i := range items {
			r.loadMarkets(i, f.File)
		}
		return err
	}
	a := recorded{body: f.Body}
	json.Unmarshal(f.Body, &a) // as far as it has an envelope
	r.answers[f.Endpoint] = append(r.answers[f.Endpoint], a)
	return nil
}

// list adds an item unless its fixture is listed already.
func (r *replay) list(id string, it listedItem) {
	mark := []byte(`"` + id + `"`)
	for _, other := range r.items {
		if bytes.Contains(other.json, mark) {
			return
		}
	}
	r.items = append(r.items, it)
}

func (r *replay) loadMarkets(i recording.Item, file string) {
	r.results[i.ID] = i.JSON
	if strings.HasPrefix(file, "other_sport") {
		return
	}
	newest := newestUpdate(i.JSON)
	kickOff := newest.Truncate(time.Hour).Add(time.Hour)
	home, away := sidesOf(i.JSON, file)
	r.list(i.ID, listedItem{sport: api.SportFootball, day: kickOff.Format("20060102"),
		json: madeItem(i.ID, recording.Text(i.JSON, "event_id"), home, away, kickOff, newest)})
}

func madeItem(id, event, home, away string, kickOff, newest time.Time) []byte {
	b := fmt.Appendf(nil, `{"id":%s,"sport_id":"1","time":"%d","time_status":"0"`, quotedText(id), kickOff.Unix())
	b = appendNamed(b, "home", "0", home)
	b = appendNamed(b, "away", "0", away)
	return fmt.Appendf(b, `,"ss":null,"our_event_id":%s,"r_id":null,"updated_at":"%d","odds_updated_at":"%d"}`, quotedText(event), newest.Unix(), newest.Unix())
}

var (
	updates = regexp.MustCompile(`"updated_at":\s*"([0-9]{1,12})"`)
	event   = regexp.MustCompile(`"FD":\s*("(?:[^"\\]|\\.)* v (?:[^"\\]|\\.)*")`)
	double  = regexp.MustCompile(`"(?:name|opp)":\s*("(?:[^"\\]|\\.)* - (?:[^"\\]|\\.)*")`)
)

// newestUpdate is the newest updated_at of a result's sections.
func newestUpdate(raw []byte) time.Time {
	var newest int64
	for _, m := range updates.FindAllSubmatch(raw, -1) {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		newest = max(newest, n)
	}
	return time.Unix(newest, 0).UTC()
}

// sidesOf finds out who plays: from the event's name if it is sent, from
// half-time/full-time rows with the same side twice, or else from the file's name.
func sidesOf(raw []byte, file string) (home, away string) {
	if m := event.FindSubmatch(raw); m != nil {
		home, away, _ = strings.Cut(unquoted(m[1]), " v ")
		return home, away
	}
	var twice []string
	for _, m := range double.FindAllSubmatch(raw, -1) {
		first, full, _ := strings.Cut(unquoted(m[1]), " - ")
		if first == full && first != "Draw" && !slices.Contains(twice, first) {
			twice = append(twice, first)
		}
	}
	if len(twice) == 2 {
		return twice[0], twice[1]
	}
	words := strings.Split(strings.TrimSuffix(file, ".json"), "_")
	return words[max(len(words)-2, 0)], words[len(words)-1]
}

func unquoted(text []byte) (s string) {
	json.Unmarshal(text, &s)
	return s
}

// Format implements simulator.Dialect.
func (r *replay) Format() simulator.Format {
	f := r.base.Format()
	f.Recorded = true
	return f
}

// Endpoint takes the version off a path, whichever it is, and looks for the
// folder.
func (r *replay) Endpoint(path string) (string, simulator.Class) {
	name := versioned.ReplaceAllString(path, "")
	switch {
	case name == path:
		return "", ""
	case name == api.EndpointUpcoming, name == api.EndpointPrematch, r.answers[name] != nil:
		return name, classOf(name)
	default:
		return "", ""
	}
}

var versioned = regexp.MustCompile(`^/v[0-9]+/`)

// Answer serves a question from the recordings.
func (r *replay) Answer(q simulator.Question) simulator.Answer {
	switch q.Endpoint {
	case api.EndpointUpcoming:
		ask, wrong := readListingQuery(q)
		if wrong != nil {
			return *wrong
		}
		return ask.of(r.items)
	case api.EndpointPrematch:
		ids, wrong := idList(q.Query, api.ParamFixtures)
		if wrong != nil {
			return *wrong
		}
		results := make([][]byte, 0, len(ids))
		for _, id := range ids {
			if raw, ok := r.results[id]; ok {
				results = append(results, raw)
			}
		}
		return simulator.Answer{Items: results}
	default:
		return r.paged(q.Endpoint, q.Query.Get(api.ParamPage)).answer()
	}
}

// paged returns the recorded answer of a page.
func (r *replay) paged(endpoint, page string) recorded {
	answers := r.answers[endpoint]
	for _, a := range answers {
		if a.Pager != nil && a.Pager.Page > 0 && strconv.Itoa(a.Pager.Page) == page {
			return a
		}
	}
	return answers[0]
}

func (r recorded) answer() simulator.Answer {
	a := simulator.Answer{Body: r.body}
	if r.Results != nil {
		a.Items = make([][]byte, 0, len(r.Results))
		for _, raw := range r.Results {
			a.Items = append(a.Items, raw)
		}
	}
	if r.Pager != nil {
		a.Page = &simulator.Page{Number: r.Pager.Page, Size: r.Pager.PerPage, Total: r.Pager.Total}
	}
	return a
}
