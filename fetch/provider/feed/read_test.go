package feed_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider"
	"mkt/fetch/provider/feed"
	"mkt/internal/testing/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens")

var acme = feed.Provider("acme-odds")

var fetchedAt = time.Date(2026, 12, 5, 12, 0, 0, 0, time.UTC)

// payload is one payload of a golden, whose name is its endpoint.
func payload(f txtar.File) provider.Payload {
	name, _, _ := strings.Cut(f.Name, ".")
	return provider.Payload{Endpoint: strings.TrimRight(name, "0123456789"), FetchedAt: fetchedAt, Body: f.Data}
}

const goldens = "testdata/read/*.txtar"

// TestGoldens reads the payloads of testdata/read and compares the results.
func TestGoldens(t *testing.T) {
	providertest.Compare(t, goldens, *update, func(a *txtar.Archive) string {
		if strings.HasPrefix(a.Files[0].Name, "live") {
			sheet, err := acme.Live.ReadList([]provider.Payload{payload(a.Files[0])})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			providertest.WriteLive(&b, "live", sheet)
			return b.String()
		}
		return providertest.ReadAll(acme.Markets, a, payload)
	})
}

func TestClassify(t *testing.T) {
	const whole = `{"source":"acme-odds","complete":true,"count":0,"next":null,"fixtures":[]}`
	for name, c := range map[string]struct {
		status int
		body   string
		kind   provider.Kind
		code   string
	}{
		"fixtures":               {200, whole, provider.Accepted, ""},
		"markets":                {200, `{"source":"acme-odds","fixtures":[],"missing":[]}`, provider.Accepted, ""},
		"live":                   {200, `{"source":"acme-odds","matches":[]}`, provider.Accepted, ""},
		"nothing":                {200, `{}`, provider.Rejected, "NO_ENVELOPE"},
		"an error with 200":      {200, `{"error":"no such fixture"}`, provider.Rejected, "NO_ENVELOPE"},
		"a list":                 {200, `[]`, provider.Rejected, "NO_ENVELOPE"},
		"no source":              {200, `{"fixtures":[],"missing":[]}`, provider.Rejected, "NO_ENVELOPE"},
		"another source":         {200, strings.Replace(whole, "acme-odds", "betsapi", 1), provider.Rejected, "OTHER_SOURCE"},
		"two sources":            {200, `{"source":"acme-odds","source":"x","matches":[]}`, provider.Rejected, "DOUBTFUL_JSON"},
		"cut":                    {200, whole[:40], provider.Retryable, "INVALID_JSON"},
		"a page":                 {200, "<html>", provider.Retryable, "NOT_JSON"},
		"not UTF-8":              {200, "{\"source\":\"\xff\"}", provider.Rejected, "DOUBTFUL_JSON"},
		"wrong credential":       {401, "go away", provider.CredentialFault, "UNEXPLAINED_STATUS"},
		"not for it":             {403, "", provider.PermissionFault, "UNEXPLAINED_STATUS"},
		"not there":              {404, "<html>", provider.Rejected, "NOT_FOUND"},
		"too many":               {429, "", provider.Limited, "UNEXPLAINED_STATUS"},
		"its own fault":          {502, whole, provider.Retryable, "UNEXPLAINED_STATUS"},
		"another status":         {418, whole, provider.Rejected, "UNEXPLAINED_STATUS"},
		"a success of no answer": {204, "", provider.Rejected, "UNEXPLAINED_STATUS"},
	} {
		if v := acme.Classify(c.status, http.Header{}, []byte(c.body)); v.Kind != c.kind || v.Code != c.code {
			t.Errorf("%s: %v %q, want %v %q", name, v.Kind, v.Code, c.kind, c.code)
		}
	}
}

// An account's table means a market by its id or name, before any claim; a line that says RAW holds too.
func TestMapping(t *testing.T) {
	const header = "by,match,key,ids,proof,market,period,subject,parameter,rank,shape,condition,reason\n"
	table := header + "# a comment\nkey,m1,m1,,,MATCH_RESULT,1H,,,1,,,\nname,Double,d,,,DOUBLE_CHANCE,FT,,,1,,,\nkey,m3,m3,,,,,,,,,,NEVER_MAPPED\n"
	l, err := acme.Markets.ReadListing([]provider.Payload{{Endpoint: "mapping", Body: []byte(table)}})
	if err != nil {
		t.Fatal(err)
	}
	const claim = `"claim":{"market":"MATCH_RESULT","period":"FT"},"selections":[]}`
	s, err := acme.Markets.ReadMarkets(provider.Payload{Endpoint: "markets", Body: []byte(`{"source":"acme-odds","missing":[],"fixtures":[{"id":"1","retrieved_at":"2026-12-05T11:00:00Z","markets":[
		{"id":"m1","name":"Result",` + claim + `,{"id":"m2","name":"Double",` + claim + `,{"id":"m3","name":"Result",` + claim + `,{"id":"m4","name":"Result",` + claim + `]}]}`)}, l)
	if err != nil || len(s.Fixtures) != 1 {
		t.Fatal(err, s)
	}
	var got []string
	for _, o := range s.Fixtures[0].Offers {
		if o.Reading == nil {
			got = append(got, string(o.RawReason))
			continue
		}
		got = append(got, o.Reading.Market+" "+o.Reading.Period+" "+o.Reading.Rule)
	}
	if text := strings.Join(got, ", "); text != "MATCH_RESULT 1H mapping:m1, DOUBLE_CHANCE FT mapping:Double, NEVER_MAPPED, MATCH_RESULT FT claim" {
		t.Error(text)
	}
	for text, want := range map[string]string{
		"key,a":                                  "header",
		header + "key,a,a,,,NO_SUCH,FT,,,1,,,\n": `line 2, key a: market "NO_SUCH": not in the vocabulary`,
		header + "\n# c\nkey,b,b,,,,,,,,,,NEVER_MAPPED\nname,a,a,,,MATCH_RESULT,3H,,,1,,,\n": `line 5, name a: period "3H"`,
		header + "row,a,a,,,,,,,,,,NEVER_MAPPED\n":                                           "want key",
		header + "key,a,a,,,MATCH_RESULT,FT,,,1,,SOMETIMES,\n":                               `line 2, key a: condition "SOMETIMES"`,
	} {
		if _, err := feed.ParseTable(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	seeds := append(providertest.BodiesOf(f, goldens), []byte(`{}`), []byte(`<html>`))
	providertest.Fuzz(f, providertest.Fuzzed{Provider: acme, Seeds: seeds, Listings: []string{"fixtures"}, Markets: "markets"})
}
