package console

import (
	"html/template"
	"net/http"
	"net/url"

	"mkt/internal/evidence/history"
	"mkt/publish/football"
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
