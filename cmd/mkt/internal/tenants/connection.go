package tenants

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"mkt/fetch/provider/all"
	"mkt/publish/football"
)

// maxSealed bounds a sealed credential, which has about 500 bytes.
const maxSealed = 64 << 10

// First and last line of a sealed credential, an armored age file.
const (
	sealedHeader = "-----BEGIN AGE ENCRYPTED FILE-----"
	sealedFooter = "-----END AGE ENCRYPTED FILE-----"
)

func (r *reader) provider(n *yaml.Node) *Provider {
	if isNull(n) {
		return nil
	}
	p := &Provider{}
	r.fields(n, "provider", map[string]func(*yaml.Node){
		"name":                  func(n *yaml.Node) { p.Name = r.providerName(n) },
		"base_url":              func(n *yaml.Node) { p.BaseURL = r.text(n, "provider.base_url") },
		"bookmaker":             func(n *yaml.Node) { p.Bookmaker = r.text(n, "provider.bookmaker") },
		"allow_private_address": func(n *yaml.Node) { p.AllowPrivateAddress = r.boolean(n, "provider.allow_private_address") },
		"hint":                  func(n *yaml.Node) { p.Hint = r.hint(n, "provider.hint") },
		"credential":            func(n *yaml.Node) { p.Credential = r.sealed(n) },
		"fingerprint":           func(n *yaml.Node) { p.KnownAs = r.fingerprint(n) },
		"disabled":              func(n *yaml.Node) { p.Disabled = r.boolean(n, "provider.disabled") },
	})
	if n.Kind != yaml.MappingNode {
		return p
	}
	if child(n, "name") == nil {
		r.problem(n, "provider.name", "is missing")
	}
	if child(n, "credential") == nil {
		r.problem(n, "provider.credential", "is missing: seal one with mkt provider set")
	}
	if reason := CheckBaseURL(p.BaseURL, p.AllowPrivateAddress); reason != "" {
		r.problem(child(n, "base_url"), "provider.base_url", "%s", reason)
	}
	if reason := CheckBookmaker(p.Name, p.Bookmaker); reason != "" {
		r.problem(child(n, "bookmaker"), "provider.bookmaker", "%s", reason)
	}
	return p
}

func (r *reader) providerName(n *yaml.Node) string {
	name := r.text(n, "provider.name")
	if !KnownProvider(name) {
		r.problem(n, "provider.name", "%q: want %s", shorten(name), strings.Join(ProviderNames(), ", "))
	}
	return name
}

// sealed refuses anything that is not an armored age file. It does not repeat the text, which may be
// a credential in the clear.
func (r *reader) sealed(n *yaml.Node) string {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || !strings.HasPrefix(text, sealedHeader) {
		r.problem(n, "provider.credential", "is not sealed: use mkt provider set, which seals it, and change the credential if it stood here in clear")
		return ""
	}
	if len(text) > maxSealed {
		r.problem(n, "provider.credential", "is longer than %d KiB", maxSealed>>10)
		return ""
	}
	if !strings.HasSuffix(text, sealedFooter) {
		r.problem(n, "provider.credential", "is cut off: its last line is not %s", sealedFooter)
		return ""
	}
	return text
}

func (r *reader) fingerprint(n *yaml.Node) string {
	if b, err := hex.DecodeString(n.Value); n.Kind != yaml.ScalarNode || err != nil || len(b) != sha256.Size || strings.ToLower(n.Value) != n.Value {
		r.problem(n, "provider.fingerprint", "want what mkt provider rewrap wrote, 64 lower-case hexadecimal digits")
		return ""
	}
	return n.Value
}

// CheckBookmaker returns why an account on a provider cannot choose a bookmaker, "" if
// it can.
func CheckBookmaker(provider, bookmaker string) string {
	p, known := all.Lookup(provider)
	switch {
	case bookmaker == "" || !known:
		return ""
	case p.Bookmakers == nil:
		return "the provider " + provider + " sells the prices of one bookmaker, so that there is none to choose: leave it out"
	case !p.Bookmakers.Valid(bookmaker):
		return fmt.Sprintf("%q: want a bookmaker as the provider %s writes it, such as %s, which is the default", shorten(bookmaker), provider, p.Bookmakers.Default)
	}
	return ""
}

// CheckProduct returns why an account on a provider cannot have a product, "" if it can.
func CheckProduct(provider string, product football.Product) string {
	p, known := all.Lookup(provider)
	if known && product == football.LiveIntelligence && p.Live == nil {
		return fmt.Sprintf("the provider %s sells no live statistics, on which %s rests", provider, product)
	}
	return ""
}

// CheckBaseURL returns what is wrong with a provider's base URL, "" if nothing. Plain http and other
// hosts are for the simulator: they need allow_private_address.
func CheckBaseURL(s string, private bool) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return "want a form like https://api.example.com"
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "want scheme, host, port and path only"
	case u.Scheme == "http" && !private:
		return "plain http is refused unless allow_private_address is true (the simulator)"
	}
	return ""
}
