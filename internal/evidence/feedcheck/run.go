// Package feedcheck checks a feed (docs/feed.md) for the author of its translator: what is wrong
// with its answers, and what would be published of them. It reads them as the stages do, in a
// data root of its own. faults.csv has the words.
package feedcheck

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/feed"
	"mkt/fetch/raw"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform"
	"mkt/transform/coverage"
	"mkt/transform/identity"
)

// Options of a check.
type Options struct {
	URL        string // of the feed; "" if its answers are in Folder
	Folder     fs.FS  // has an answer in each file *.json
	Source     string // "" is that of the first answer
	Mapping    string // the account's mapping table; "" is none
	Credential []byte // as pasted
	Scratch    string // an empty folder
	Now        func() time.Time
	Progress   func(fetch.Progress)
}

// Report is the result of a check.
type Report struct {
	Source   string            `json:"source"`
	Answers  int               `json:"answers"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
	Findings []Finding         `json:"findings"` // errors first
	Prices   *coverage.Summary `json:"prices"`   // what would be published of them; nil if nothing
	InPlay   int               `json:"in_play"`  // matches that would be published
}

const account = "feed-check"

// run is one check.
type run struct {
	Options
	*checker
	report   Report
	provider provider.Provider
	roots    map[football.Product]durable.FS
	cycles   map[football.Product]layout.CycleID // the newest
	failed   error                               // of a fetch
}

// Run checks a feed, whose list and prices are read twice, or the answers in a folder.
func Run(ctx context.Context, o Options) (Report, error) {
	c, err := newChecker()
	r := &run{Options: o, checker: c, roots: map[football.Product]durable.FS{}, cycles: map[football.Product]layout.CycleID{}}
	for _, product := range football.Products() {
		root, failed := durable.OpenUnsynced(filepath.Join(o.Scratch, string(product)))
		if err = errors.Join(err, failed); err != nil {
			return Report{}, err
		}
		defer root.Close()
		r.roots[product] = root
	}
	if err = r.setSource(nil); err == nil && o.URL != "" {
		err = r.readFeed(ctx)
	} else if err == nil {
		err = r.readFolder()
	}
	if err != nil {
		return Report{}, err
	}
	for _, product := range football.Products() {
		if err := r.derive(ctx, product); err != nil {
			_, why, _ := strings.Cut(err.Error(), string(r.cycles[product])+": ")
			why, _, _ = strings.Cut(cmp.Or(why, err.Error()), "; ") // without what an operator may do
			r.add("NOT_DERIVED", &answer{name: string(product)}, "", why)
		}
	}
	if r.failed != nil && !slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Level == isError }) {
		r.add("NOT_FETCHED", &answer{name: o.URL}, "", r.failed)
	}
	slices.SortStableFunc(r.findings, func(a, b Finding) int { return strings.Compare(a.Level, b.Level) })
	for _, f := range r.findings {
		if f.Level == isError {
			r.report.Errors++
		}
	}
	r.report.Source, r.report.Answers, r.report.Findings, r.report.Warnings = r.Source, r.checked, append([]Finding{}, r.findings...), len(r.findings)-r.report.Errors
	return r.report, ctx.Err()
}

// setSource sets the provider of the source, which is that of an answer if none was given.
func (r *run) setSource(answer []byte) error {
	var found struct{ Source string }
	if r.Source == "" && json.Unmarshal(answer, &found) == nil {
		r.Source = found.Source
	}
	if reason := all.CheckSource(r.Source); r.Source != "" && reason != "" {
		return fmt.Errorf("source %q: %s", r.Source, reason)
	}
	r.provider = feed.Provider(cmp.Or(r.Source, "unknown"))
	return nil
}

// readFeed reads the list and the prices twice, and the matches in play.
func (r *run) readFeed(ctx context.Context) error {
	for _, product := range []football.Product{football.MarketEngine, football.MarketEngine, football.LiveIntelligence} {
		answers, err := r.fetch(ctx, product)
		if err == nil && r.Source == "" && len(answers) > 0 { // the first answer says which it is, and was rejected
			if err = r.setSource(answers[0].body); err == nil && r.Source != "" {
				r.failed = nil
				answers, err = r.fetch(ctx, product)
			}
		}
		if err != nil {
			return err
		}
		if r.check(answers, r.Source); r.Source == "" {
			break
		}
	}
	return nil
}

// fetch reads what a product needs.
func (r *run) fetch(ctx context.Context, product football.Product) (answers []*answer, err error) {
	secret, err := credential.Clean(r.Credential)
	if err != nil {
		return nil, err
	}
	s, failed := fetch.Run(ctx, fetch.Options{
		Tenant: provider.Tenant{ID: account, Provider: r.provider.Name, BaseURL: r.URL, Mapping: r.Mapping, AllowPrivateAddress: true, SealedCredential: "not sealed",
			Fingerprint: fmt.Sprint(r.checked)}, // of another connection each time, so that each reading is complete
		Open:    func(string, string, string) (credential.Secret, error) { return credential.NewSecret(secret), nil },
		Product: product, Root: r.roots[product], Provider: all.Lookup, Limits: fetch.Limits{Tries: 1, Confirm: time.Millisecond}, Now: r.Now, Progress: r.Progress,
	})
	if product == football.LiveIntelligence && errors.Is(failed, fetch.ErrPermission) {
		return nil, nil // a feed without matches in play
	}
	failed = cmp.Or(errors.Unwrap(failed), failed) // without what an operator may do
	archive, err := raw.Open(r.roots[product], s.Cycle)
	if err != nil || failed != nil && len(archive.Responses()) == 0 {
		return nil, cmp.Or(failed, err)
	}
	if failed == nil && s.Failed > 0 {
		failed = fmt.Errorf("the prices of %s", terminal.Plural(s.Failed, "fixture"))
	}
	r.cycles[product], r.failed = s.Cycle, cmp.Or(r.failed, failed)
	for _, a := range archive.Responses() {
		body, err := archive.Body(a)
		if err != nil {
			return nil, err
		}
		if a.Attempt > 1 { // a refusal was confirmed
			answers = slices.DeleteFunc(answers, func(b *answer) bool { return b.name == nameOf(a) && b.rejected != "" })
		}
		if a.Endpoint != provider.EndpointMapping {
			answers = append(answers, &answer{name: nameOf(a), endpoint: a.Endpoint, query: a.Query, at: a.FetchedAt, status: a.Status, rejected: a.Rejected, cut: a.Truncated,
				tag: a.Header["Etag"], body: body})
		}
	}
	return answers, nil
}

// nameOf returns the request of an answer, or its file.
func nameOf(a raw.Response) string {
	query, _ := url.QueryUnescape(a.Query.Encode())
	switch {
	case !strings.HasPrefix(a.Path, "/"):
		return a.Path
	case len(query) > 60:
		query = strings.ToValidUTF8(query[:60], "") + "..."
	}
	return strings.TrimSuffix("GET "+a.Path+"?"+query, "?")
}

// readFolder reads the answers of a folder, and archives them as those of one cycle of each product.
func (r *run) readFolder() error {
	var answers []*answer
	err := fs.WalkDir(r.Folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") {
			return err
		}
		body, err := fs.ReadFile(r.Folder, name)
		answers = append(answers, &answer{name: name, endpoint: r.provider.Recorded(body).Endpoint, status: http.StatusOK, body: body})
		return cmp.Or(err, r.setSource(body))
	})
	if err == nil && len(answers) == 0 {
		err = errors.New("no file in the folder is named *.json")
	}
	if err = cmp.Or(err, r.archive(football.MarketEngine, answers), r.archive(football.LiveIntelligence, answers)); err == nil {
		r.check(answers, r.Source)
	}
	return err
}

func (r *run) archive(product football.Product, answers []*answer) error {
	at, id := r.Now(), layout.NewCycleID(r.Now(), string(product))
	w, err := raw.Create(r.roots[product], id, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	if r.Mapping != "" && product == football.MarketEngine {
		_, err = w.Add(raw.Response{Endpoint: provider.EndpointMapping, Attempt: 1, FetchedAt: at}, []byte(r.Mapping))
	}
	for _, a := range answers {
		if (a.endpoint == "live") != (product == football.LiveIntelligence) {
			continue
		}
		if v := r.provider.Classify(a.status, http.Header{}, a.body); v.Kind != provider.Accepted {
			a.rejected = cmp.Or(v.Code, "REJECTED")
		} else if err == nil {
			r.cycles[product] = id
			_, err = w.Add(raw.Response{Endpoint: a.endpoint, Path: a.name, Attempt: 1, Status: a.status, FetchedAt: at}, a.body)
		}
	}
	if err == nil {
		_, err = w.Seal(raw.Cycle{ClientID: account, Product: product, Provider: r.provider.Name, StartedAt: at, FinishedAt: at, Outcome: raw.Complete, ListingComplete: true})
	}
	return err
}

// derive reports what would be published of the newest cycle of a product. It returns an error if nothing would be.
func (r *run) derive(ctx context.Context, product football.Product) error {
	root, id := r.roots[product], r.cycles[product]
	if id == "" {
		return nil
	}
	archive, err := raw.Open(root, id)
	if err != nil || archive.Cycle().Outcome == raw.Failed {
		return err
	}
	if product == football.MarketEngine {
		found, err := coverage.OfArchive(archive, r.provider)
		if err != nil {
			return err
		}
		faulty := map[string]bool{}
		for _, f := range r.findings {
			faulty[f.Answer] = faulty[f.Answer] || f.Level == isError
		}
		for i := range found.Payloads {
			p := &found.Payloads[i]
			at := &answer{name: nameOf(archive.Responses()[p.Number-1])}
			if p.Name = ""; r.URL == "" { // the fixture is enough to find a request
				p.Name = at.name
			}
			for _, s := range p.Suspicions {
				r.add("SUSPICIOUS", at, placeOf(s.Fixture, s.Key), s.Canonical, s.Kind, s.Seen)
			}
			for k := range p.Markets {
				m := &p.Markets[k]
				code, place := "CLAIM_"+string(m.RawReason), placeOf(m.Fixture, m.Key)
				if m.RawReason == football.ConditionFailed && r.handicaps[place] {
					code = "HANDICAP_SIDE"
				}
				if r.faults[code].level != "" && !faulty[at.name] { // else it may be because of a fault
					r.add(code, at, place, m.Name)
				}
				m.Key = m.Name // an id may be that of one fixture's market
			}
		}
		summary := found.Summary()
		r.report.Prices = &summary
	}
	s, err := transform.Run(ctx, transform.Options{ClientID: account, Product: product, Cycle: id, Root: root, Data: root, Key: identity.Key{1}, Now: r.Now})
	r.report.InPlay += s.Live.InPlay
	return err
}

// placeOf returns the path of a market as jq takes it.
func placeOf(fixture, market string) string {
	return fmt.Sprintf(".fixtures[] | select(.id == %q) | .markets[] | select(.id == %q)", fixture, market)
}
