package audit

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"mkt/internal/accounts"
	"mkt/publish/football"
	"mkt/serve/account"
)

// changes returns what differs between two versions of a tenant, field by field in a fixed
// order. before is nil for a tenant that was added. It compares only what may be shown: of
// tokens and credentials the hints.
func changes(before, after *accounts.Tenant) []Change {
	if before == nil {
		before = &accounts.Tenant{Limit: account.DefaultLimit}
	}
	if after == nil {
		after = &accounts.Tenant{Limit: account.DefaultLimit}
	}
	d := diff{}
	d.text("name", before.Name, after.Name)
	d.text("status", string(before.Status), string(after.Status))
	d.list("token", tokens(before), tokens(after))
	for _, p := range football.Products() {
		d.text("product "+string(p), term(before, p), term(after, p))
	}
	for _, f := range accounts.Features() {
		d.text("feature "+f, feature(before, f), feature(after, f))
	}
	d.list("origin", before.Origins, after.Origins)
	d.text("rate limit", limit(before.Limit), limit(after.Limit))
	d.provider(before.Provider, after.Provider)
	for _, p := range football.Products() {
		d.text("schedule "+string(p), before.Schedule[p], after.Schedule[p])
	}
	return d.found
}

type diff struct{ found []Change }

func (d *diff) text(field, before, after string) {
	if before != after {
		d.found = append(d.found, Change{field, plain(before), plain(after)})
	}
}

func (d *diff) list(field string, before, after []string) {
	for _, s := range before {
		if !slices.Contains(after, s) {
			d.text(field, s, "")
		}
	}
	for _, s := range after {
		if !slices.Contains(before, s) {
			d.text(field, "", s)
		}
	}
}

func (d *diff) provider(before, after *accounts.Provider) {
	none := accounts.Provider{}
	if before == nil {
		before = &none
	}
	if after == nil {
		after = &none
	}
	d.text("provider", before.Name, after.Name)
	d.text("provider host", host(before.BaseURL), host(after.BaseURL))
	d.text("provider bookmaker", before.Bookmaker, after.Bookmaker)
	d.text("provider mapping", before.MappingDigest(), after.MappingDigest())
	d.text("provider private address", word(before.AllowPrivateAddress, "allowed"), word(after.AllowPrivateAddress, "allowed"))
	if before.Credential != after.Credential { // the hints may be the same
		d.found = append(d.found, Change{"credential", plain(before.Hint), plain(after.Hint)})
	}
	d.text("provider disabled", word(before.Disabled, "yes"), word(after.Disabled, "yes"))
}

// tokens returns hint and time of each token, by which people distinguish them.
func tokens(t *accounts.Tenant) []string {
	var list []string
	for _, token := range t.Tokens {
		list = append(list, "…"+token.Hint+" issued "+token.IssuedAt.Format(time.RFC3339))
	}
	return list
}

func term(t *accounts.Tenant, p football.Product) string {
	s, ok := t.Products[p]
	if !ok {
		return ""
	}
	return bound(s.Starts) + " to " + bound(s.Expires)
}

func bound(t *time.Time) string {
	if t == nil {
		return "open"
	}
	return t.UTC().Format(time.RFC3339)
}

func feature(t *accounts.Tenant, name string) string {
	on, ok := t.Features[name]
	switch {
	case !ok:
		return ""
	case on:
		return "on"
	}
	return "off"
}

func limit(l account.Limit) string {
	return fmt.Sprintf("%d per %s, burst %d", l.Requests, l.Per, l.Burst)
}

// host removes the path of a URL, which could contain a secret.
func host(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func word(on bool, yes string) string {
	if on {
		return yes
	}
	return ""
}
