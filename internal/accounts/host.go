package accounts

import (
	"net/url"
	"slices"
	"strings"

	"mkt/fetch/provider/all"
)

// RefusedHost returns why fetch refuses a connection's base URL, "" if it does not: a host other than
// the provider's needs allow_private_address.
func RefusedHost(p Provider) string {
	u, err := url.Parse(p.BaseURL)
	if p.BaseURL == "" || p.AllowPrivateAddress || err != nil {
		return ""
	}
	adapter, _ := all.Lookup(p.Name)
	if u.Scheme == "https" && adapter.AnyHost || slices.ContainsFunc(adapter.Hosts, func(h string) bool { return strings.EqualFold(h, u.Hostname()) }) && (u.Port() == "" || u.Port() == "443") {
		return ""
	}
	return "is none of the provider's hosts"
}
