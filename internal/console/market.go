package console

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mkt/fetch/provider/all"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/history"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// marketBody is the content of the page of a market.
type marketBody struct {
	Account, Fixture, Market string
	Name, Title              string
	Row                      *table.MarketRow // in the newest step with the market
	Path                     *history.Path
	From, To                 string
	Line                     string
	Prices                   template.HTML
	Explain                  string
	HasReceipts              bool
}

func (c *Console) market(r *http.Request) (view, error) {
	d, id, root, err := c.openFixture(r)
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	q := r.URL.Query()
	b := &marketBody{Account: d.Tenant, Fixture: id, Market: r.PathValue("market"), From: q.Get("from"), To: q.Get("to")}
	o := history.Options{Root: root, Fixture: id, Market: b.Market}
	if err := b.options(&o); err != nil {
		return view{}, err
	}
	if b.Path, err = history.Read(r.Context(), o); err != nil {
		return view{}, unknownFixture(err, d.Tenant, id)
	}
	m := b.Path.Market(b.Market)
	if m == nil {
		return view{}, notFound("The kept publications of fixture %s have no market %q.", id, b.Market)
	}
	b.Row, b.Title, b.Line = &m.MarketRow, history.Title(&m.MarketRow), q.Get("line")
	b.Name = history.FixtureName(&b.Path.Fixture)
	b.Explain = explainLink(d.Tenant, football.MarketEngine, b.Path.Steps[m.Newest].Version, id, b.Market)
	from, to := c.provable(d, root)
	b.HasReceipts = from > 0
	shown, err := b.Path.Document(history.Shown{Account: d.Tenant, Market: b.Market, Line: b.Line,
		Link: func(selection string, version uint64) string {
			return explainLink(d.Tenant, football.MarketEngine, version, id, b.Market, selection)
		},
		LinkLine: func(line string) string { return b.link("line", line) },
		Receipt: func(selection string, version uint64) string {
			if from == 0 || version < from || version > to {
				return ""
			}
			return receiptLink(d.Tenant, version, id, b.Market, selection)
		},
	})
	if err != nil {
		return view{}, err
	}
	shown.Title = ""
	if b.Prices, err = shown.HTML(); err != nil {
		return view{}, err
	}
	return view{Page: "market", Section: "fixtures", Title: b.Title + ", " + b.Name, Body: b}, nil
}

// options reads the times and the number of steps from the form.
func (b *marketBody) options(o *history.Options) (err error) {
	if o.From, err = formTime("from", b.From); err != nil {
		return err
	}
	if o.To, err = formTime("to", b.To); err != nil {
		return err
	}
	return nil
}

// link returns the address of the same page with one choice changed.
func (b *marketBody) link(name, value string) string {
	q := url.Values{}
	for key, now := range map[string]string{"from": b.From, "to": b.To, "line": b.Line, name: value} {
		if now != "" {
			q.Set(key, now)
		}
	}
	q.Set(name, value)
	return marketLink(b.Account, b.Fixture, b.Market, q)
}

// unknownFixture returns an error for the reader if a fixture is not in the kept publications.
func unknownFixture(err error, account, id string) error {
	if errors.Is(err, history.ErrUnknown) {
		return notFound("No kept publication of account %s has the fixture %s.", account, id)
	}
	return err
}

// explainTime bounds the work for an explanation: a live value is computed again from all
// cycles of the match.
const explainTime = time.Minute

func (c *Console) explain(r *http.Request) (view, error) {
	d, err := c.dataset(r.PathValue("account"), r.PathValue("product"))
	if err != nil {
		return view{}, err
	}
	target, err := explain.ParseTarget(r.PathValue("target"))
	if err != nil {
		return view{}, badRequest("%v.", err)
	}
	at := snapshot.Newest
	if text := r.URL.Query().Get("at"); text != "" {
		if at, err = snapshot.ParseMoment(text, c.Now()); err != nil {
			return view{}, badRequest("at=%v.", err)
		}
	}
	root, err := d.Open()
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	ctx, cancel := context.WithTimeout(r.Context(), explainTime)
	defer cancel()
	report, err := explain.Run(ctx, explain.Options{Tenant: d.Tenant, Product: d.Product, Root: root, At: at, Provider: all.Lookup}, target)
	switch {
	case errors.Is(err, explain.ErrUnknown), errors.Is(err, explain.ErrDeleted), errors.Is(err, snapshot.ErrUnknown):
		return view{}, notFound("%v.", err)
	case err != nil:
		return view{}, err
	}
	b := &documentBody{Account: d.Tenant, Command: fmt.Sprintf("explain %s --tenant %s --product %s --at v%d", report.ID, d.Tenant, d.Product, report.Publication.Version)}
	if first, _, _ := strings.Cut(strings.Trim(report.ID, "/"), "/"); d.Product == football.MarketEngine && strings.HasPrefix(first, "fx_") {
		b.Above = []document.Span{document.Link("/fixtures/"+d.Tenant+"/"+first, "The fixture")}
	}
	return b.view("fixtures", "Explanation of "+report.Title, report.Document(""))
}
