package transform_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/theoddsapi"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// expected says how the recorded payloads of a provider are read for
// testdata/expected/<name>.csv, which was written by hand from the payloads alone.
type expected struct {
	provider provider.Provider
	// request returns the endpoint and the query that a payload is the answer to; nil
	// if they do not matter. Pointers to rows of several bookmakers have several.
	request func(t *testing.T, body *providertest.Tree, pointer string) (endpoint string, query url.Values)
	// inData is a folder of payloads without their envelope: each is the member "data" of
	// an answer.
	inData string
	// unserved is a folder of rows that no product serves: they may stay RAW.
	unserved string
	// listing says who plays.
	listing func(t *testing.T) provider.Listing
}

var expectations = []expected{
	{
		provider: betsapi.Provider(),
		listing:  func(*testing.T) provider.Listing { return provider.Listing{Fixtures: recordedFixtures()} },
	},
	{
		provider: apifootball.Provider(),
		request: func(t *testing.T, body *providertest.Tree, pointer string) (string, url.Values) {
			steps := strings.SplitAfterN(pointer, "/", 6) // /response/0/bookmakers/2/…
			id, err := body.At(pathOf(strings.Join(steps[:5], "") + "id"))
			must(t, err)
			return "odds", url.Values{"bookmaker": {id}}
		},
		listing: func(t *testing.T) provider.Listing {
			body, err := os.ReadFile(needs.Shared(t, "providers/apifootball/fixtures/league_135_season_2025.json"))
			must(t, err)
			l, err := apifootball.Provider().Markets.ReadListing([]provider.Payload{{Number: 1, Endpoint: "fixtures", Body: body}})
			must(t, err)
			return l
		},
	},
	{
		provider: sportmonks.Provider(),
		request: func(t *testing.T, body *providertest.Tree, pointer string) (string, url.Values) {
			id, err := body.At(pathOf(pointer) + ".bookmaker_id")
			must(t, err)
			endpoint := "odds/pre-match/fixtures"
			if strings.HasPrefix(pointer, "/data/odds/") {
				endpoint = "fixtures/multi"
			}
			return endpoint, url.Values{"filters": {"bookmakers:" + id}}
		},
		inData:   "sportmonks/fixture_by_id_with_odds/",
		unserved: "sportmonks/odds_inplay_by_fixture/",
		listing:  func(*testing.T) provider.Listing { return provider.Listing{} },
	},
	{
		provider: theoddsapi.Provider(),
		request: func(t *testing.T, body *providertest.Tree, pointer string) (string, url.Values) {
			block, _, _ := strings.Cut(pointer, "/markets/")
			key, err := body.At(pathOf(block) + ".key")
			must(t, err)
			return "odds", url.Values{"bookmakers": {strings.Trim(key, `"`)}}
		},
		listing: func(*testing.T) provider.Listing { return provider.Listing{} }, // prices come with the teams
	},
}

// expectedRow is one line of testdata/expected: the correct mapping of the row at a JSON
// pointer.
type expectedRow struct {
	payload, pointer                                 string
	canonical, period, subject, line, selection, odd string
	verdict, why                                     string
}

const (
	isMapped        = "MAPPED"
	isRaw           = "RAW"           // the meaning cannot be proven
	isUnpublishable = "UNPUBLISHABLE" // why begins with the reason's code
)

func readExpected(t *testing.T, name string) (rows []expectedRow) {
	t.Helper()
	text, err := os.Open("testdata/expected/" + name + ".csv")
	must(t, err)
	defer text.Close()
	lines, err := csv.NewReader(text).ReadAll()
	must(t, err)
	if got := strings.Join(lines[0], ","); got != "payload,pointer,canonical,period,subject,line,selection,decimal,verdict,why" {
		t.Fatalf("the columns are %s", got)
	}
	for _, l := range lines[1:] {
		rows = append(rows, expectedRow{l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], l[8], l[9]})
	}
	return rows
}

// TestExpected compares the code's reading of recorded rows with one written by hand.
func TestExpected(t *testing.T) {
	for _, e := range expectations {
		t.Run(e.provider.Name, func(t *testing.T) {
			readings := make(map[string]*expectedReading)
			for _, row := range readExpected(t, e.provider.Name) {
				file := needs.Shared(t, "providers", row.payload)
				pointer := row.pointer
				if e.isIn(e.inData, row) {
					pointer = "/data" + pointer
				}
				r := e.reading(t, readings, file, pointer)
				out := r.at(t, pointer)
				if e.isIn(e.unserved, row) && out != nil && !out.Quality.Publishable {
					continue
				}
				if wrong := row.compare(out); wrong != "" {
					t.Errorf("%s %s: %s (%s)", row.payload, row.pointer, wrong, row.why)
				}
			}
		})
	}
}

// expectedReading is one payload as the answer to one request, read and derived.
type expectedReading struct {
	body   *providertest.Tree
	byPath map[string]*emitted
	byText map[string][]*emitted // by the text of the row, for rows that are sent twice and read once
}

// emitted is one selection of a market.
type emitted struct {
	market *football.Market
	*football.Selection
}

func (e *expected) isIn(folder string, row expectedRow) bool {
	return folder != "" && strings.HasPrefix(row.payload, folder)
}

func (e *expected) reading(t *testing.T, readings map[string]*expectedReading, file, pointer string) *expectedReading {
	t.Helper()
	if readings[file] == nil {
		body, err := os.ReadFile(file)
		must(t, err)
		if e.inData != "" && strings.Contains(file, e.inData) {
			body = slices.Concat([]byte(`{"data":`), body, []byte(`}`))
		}
		readings[file] = &expectedReading{body: providertest.NewTree(body)}
	}
	r := readings[file]
	endpoint, query := "", url.Values(nil)
	if e.request != nil {
		endpoint, query = e.request(t, r.body, pointer)
	}
	key := file + "?" + query.Encode()
	if readings[key] == nil || readings[key].byPath == nil {
		readings[key] = e.derive(t, r.body, endpoint, query)
	}
	return readings[key]
}

func (e *expected) derive(t *testing.T, body *providertest.Tree, endpoint string, query url.Values) *expectedReading {
	t.Helper()
	text, err := body.At(".")
	must(t, err)
	r := &expectedReading{body: body, byPath: make(map[string]*emitted), byText: make(map[string][]*emitted)}
	p := provider.Payload{Number: 1, Endpoint: endpoint, Query: query, Body: []byte(text), Trace: new(provider.Trace)}
	sheet, err := e.provider.Markets.ReadMarkets(p, e.listing(t))
	must(t, err)
	deriver := markets.New(identity.NewMinter(identity.Key{1}, e.provider.Name))
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		all := deriver.Derive(&f.Fixture, f.Offers)
		for m := range all {
			for s := range all[m].Selections {
				out := &emitted{&all[m], &all[m].Selections[s]}
				for _, found := range p.Trace.Of(provider.Subject{Row: out.Place}) {
					if found.Field == provider.FieldThing {
						r.byPath[found.Path] = out
						r.byText[found.Text] = append(r.byText[found.Text], out)
					}
				}
			}
		}
	}
	return r
}

// at finds the selection of the row at a JSON pointer; nil if no selection is made of
// it. A provider may send a market in several places: then the same row stands in
// another of them.
func (r *expectedReading) at(t *testing.T, pointer string) *emitted {
	t.Helper()
	path := pathOf(pointer)
	if out := r.byPath[path]; out != nil {
		return out
	}
	text, err := r.body.At(path)
	must(t, err)
	same := r.byText[text]
	if len(same) == 1 {
		return same[0]
	}
	steps := strings.Split(pointer, "/")
	for _, out := range same {
		if slices.Contains(steps, out.market.Key) {
			return out
		}
	}
	return nil
}

// pathOf writes a JSON pointer (RFC 6901) as provider.Found.Path has it.
func pathOf(pointer string) string {
	var b strings.Builder
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		_, err := strconv.Atoi(step)
		switch {
		case err == nil && b.Len() == 0:
			b.WriteString(".[" + step + "]")
		case err == nil:
			b.WriteString("[" + step + "]")
		case strings.ContainsFunc(step, func(c rune) bool { return c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') }), step[0] >= '0' && step[0] <= '9':
			b.WriteString("[" + strconv.Quote(step) + "]")
		default:
			b.WriteString("." + step)
		}
	}
	return b.String()
}

// compare returns how a selection differs from the expected one, "" if it does not.
func (x *expectedRow) compare(out *emitted) string {
	switch {
	case out == nil && x.verdict == isRaw: // left out as a repetition, and no reading of it is claimed
		return ""
	case out == nil:
		return "no selection is made of the row"
	}
	reasons := out.Quality.Reasons
	verdict := isMapped
	switch {
	case out.market.Origin == football.Raw:
		verdict = isRaw
	case !out.Quality.Publishable && !(len(reasons) == 1 && reasons[0] == football.Suspended): // a price that is not on offer now has a meaning all the same
		verdict = isUnpublishable
	}
	decimal := out.Odds.Decimal().Or("")
	got := fmt.Sprintf("%s %s %s %q %s %s %q at %q %v", verdict, out.market.Canonical, out.market.Period, out.Subject, out.Line, out.Qualifier, out.Selection.Selection,
		decimal, append(slices.Clone(reasons), cmp.Or(out.market.RawReason, "")))
	if decimal != x.odd {
		return "got " + got
	}
	same := true
	switch x.verdict {
	case isRaw: // a row that was not read stands in the market of its neighbours, in the provider's words
		same = verdict == isRaw || verdict == isUnpublishable && isUnread(reasons)
	case isUnpublishable:
		reason, _, _ := strings.Cut(x.why, ":")
		same = verdict != isMapped && (verdict == isRaw || out.market.Canonical == x.canonical && out.market.Period == x.period && slices.Contains(reasons, football.Reason(reason)))
	case isMapped:
		same = verdict == isMapped && out.market.Canonical == x.canonical && out.market.Period == x.period && x.sameSelection(out)
	}
	if !same {
		return "got " + got
	}
	return ""
}

// isUnread reports whether the reasons say that a row's words were not understood.
func isUnread(reasons []football.Reason) bool {
	return slices.Contains(reasons, football.AmbiguousShape) || slices.Contains(reasons, football.UnresolvedQualifier)
}

// sameSelection compares the outcome and its subject: a player, or a side where no player is.
func (x *expectedRow) sameSelection(out *emitted) bool {
	return out.Selection.Selection == x.selection && cmp.Or(out.Subject, out.Subject2) == x.subject && lineOf(out) == x.line
}

// lineOf is the line as the expectations have it: they call a target, an ordinal and a
// time a line, too.
func lineOf(out *emitted) string {
	switch {
	case out.Line != "":
		return out.Line
	case out.Qualifier == "FIRST":
		return "1"
	case out.Qualifier == "ANYTIME":
		return ""
	}
	return out.Qualifier
}
