package accounts

import (
	"io"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/serve/account"
)

// tenantView leaves out the sealed credential and the digests.
type tenantView struct {
	ID       string        `json:"client_id"`
	Name     string        `json:"name"`
	Status   string        `json:"status"`
	Products []productView `json:"products"`
	Features []string      `json:"features"` // switched on
	Origins  []string      `json:"origins"`
	Limit    limitView     `json:"rate_limit"`
	Tokens   []tokenView   `json:"tokens"`
	Provider *providerView `json:"provider"`
}

type productView struct {
	Product  string     `json:"product"`
	Status   string     `json:"status"` // NOT_STARTED, ACTIVE, EXPIRED
	Starts   *time.Time `json:"starts"`
	Expires  *time.Time `json:"expires"`
	Schedule string     `json:"schedule"`
}

type limitView struct {
	Requests int    `json:"requests"`
	Per      string `json:"per"`
	Burst    int    `json:"burst"`
}

type tokenView struct {
	Hint     string    `json:"hint"`
	IssuedAt time.Time `json:"issued_at"`
}

type providerView struct {
	Name      string `json:"name"`
	BaseURL   string `json:"base_url,omitempty"`
	Bookmaker string `json:"bookmaker,omitempty"` // whose prices are taken; "" if there is none to choose
	Mapping   string `json:"mapping,omitempty"`   // names the account's own table
	Hint      string `json:"hint"`
	Disabled  bool   `json:"disabled"`
}

func viewOf(t *accounts.Tenant, now time.Time) tenantView {
	v := tenantView{ID: t.ID, Name: t.Name, Status: string(t.Status), Products: []productView{},
		Origins: append([]string{}, t.Origins...), Tokens: []tokenView{}, Features: t.EnabledFeatures(), Limit: limitView{t.Limit.Requests, t.Limit.Per.String(), t.Limit.Burst}}
	for _, p := range football.Products() {
		if s, ok := t.Products[p]; ok {
			v.Products = append(v.Products, productView{string(p), string(t.Subscription(p, now)), s.Starts, s.Expires, t.Expression(p)})
		}
	}
	for _, token := range t.Tokens {
		v.Tokens = append(v.Tokens, tokenView{token.Hint, token.IssuedAt})
	}
	if p := t.Provider; p != nil {
		v.Provider = &providerView{p.Name, p.BaseURL, p.BookmakerInUse(), p.MappingDigest(), p.Hint, p.Disabled}
	}
	return v
}

func (v tenantView) products() string {
	var list []string
	for _, p := range v.Products {
		word := p.Product
		if p.Status != string(account.InForce) {
			word += " (" + p.Status + ")"
		}
		list = append(list, word)
	}
	return terminal.OrDash(list)
}

func (v tenantView) provider() string {
	switch {
	case v.Provider == nil:
		return "-"
	case v.Provider.Disabled:
		return v.Provider.Name + " (disabled)"
	}
	return v.Provider.Name
}

func (v tenantView) print(out io.Writer) error {
	w := terminal.NewTableWriter(out)
	row := func(key, format string, args ...any) { printable.Fprintf(w, key+"\t"+format+"\n", args...) }
	row("tenant", "%s", v.ID)
	row("name", "%s", v.Name)
	row("status", "%s", v.Status)
	for _, p := range v.Products {
		row("product", "%s %s, from %s to %s, schedule %s", p.Product, p.Status, terminal.Moment(p.Starts), terminal.Moment(p.Expires), p.Schedule)
	}
	row("features", "%s", terminal.OrDash(v.Features))
	row("origins", "%s", terminal.OrDash(v.Origins))
	row("rate limit", "%d per %s, burst %d", v.Limit.Requests, terminal.Span(v.Limit.Per), v.Limit.Burst)
	for _, t := range v.Tokens {
		row("token", "…%s, issued %s", t.Hint, terminal.Moment(&t.IssuedAt))
	}
	row("provider", "%s", v.provider())
	if p := v.Provider; p != nil {
		if p.Bookmaker != "" {
			row("bookmaker", "%s", p.Bookmaker)
		}
		if p.Mapping != "" {
			row("mapping", "own table, %s", p.Mapping)
		}
		row("credential", "%s", p.Hint)
	}
	return w.Flush()
}
