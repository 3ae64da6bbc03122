package accounts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mkt/fetch/provider/all"
	"mkt/internal/cadence"
	"mkt/internal/timetext"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// The rules of the fields. Problems name the expected form and never repeat a token, digest or
// credential.

// scalar reads a node into v, and reports whether v is of a type that is read from a text.
func (r *reader) scalar(n *yaml.Node, field string, v any) bool {
	reason := ""
	var err error
	switch v := v.(type) {
	case **yaml.Node:
		*v = n
	case *string:
		*v, reason = n.Value, checkText(n, field)
		if field == "provider.credential" {
			*v = strings.TrimSpace(n.Value)
		}
	case *bool:
		if *v = strings.EqualFold(n.Value, "true"); n.ShortTag() != "!!bool" {
			reason = "want true or false"
		}
	case *int:
		if *v, err = strconv.Atoi(n.Value); err != nil || *v < 1 || *v > MaxRequests {
			reason = fmt.Sprintf("want a whole number from 1 to %d", MaxRequests)
		}
	case *time.Duration:
		if *v, err = time.ParseDuration(n.Value); err != nil || *v < MinPer || *v > MaxPer {
			reason = "want a duration from 1s to 24h, such as 1m"
		}
	case *time.Time:
		// The clock is not asked: a file must not mean another time tomorrow.
		if *v, _, err = timetext.Term.Parse(n.Value, time.Time{}); err != nil {
			reason = fmt.Sprintf("%q: want a time such as 2026-11-20T09:07:00Z or a day such as 2026-11-20", shorten(n.Value))
		}
	case *Digest:
		if *v, err = parseDigest(n.Value); err != nil {
			reason = "want the SHA-256 of a token, 64 lower-case hexadecimal digits"
		}
	case *account.Status:
		if *v = account.Status(n.Value); *v != account.Active && *v != account.Suspended && *v != account.Revoked {
			reason = fmt.Sprintf("%q: want ACTIVE, SUSPENDED or REVOKED", shorten(n.Value))
		}
	default:
		return false
	}
	if reason != "" {
		r.problem(n, field, "%s", reason)
	}
	return true
}

// texts are the rules of texts by field, or by the mapping that they are in. They return what is
// wrong, "" if nothing is.
var texts = map[string]func(s string) string{
	"id": func(s string) string {
		if s != "" && layout.ValidTenantID(s) {
			return ""
		}
		return fmt.Sprintf(`%q: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`, shorten(s))
	},
	"tokens.hint":   checkHint,
	"provider.hint": checkHint,
	"origins": func(s string) string {
		if reason := CheckOrigin(s); reason != "" {
			return fmt.Sprintf("%q: %s", shorten(s), reason)
		}
		return ""
	},
	"provider.name": func(s string) string {
		if _, known := all.Lookup(s); known {
			return ""
		}
		return fmt.Sprintf("%q: want %s; of a feed feed:NAME", shorten(s), strings.Join(ProviderNames(), ", "))
	},
	"provider.fingerprint": func(s string) string {
		if _, err := parseDigest(s); err != nil {
			return "want what mkt provider rewrap wrote, 64 lower-case hexadecimal digits"
		}
		return ""
	},
	"schedule": func(s string) string {
		if _, err := cadence.Parse(s); err != nil {
			return fmt.Sprintf("%q: %v", shorten(s), err)
		}
		return ""
	},
}

// maxText bounds a text, which must be one line. maxSealed bounds a sealed credential, which has
// about 500 bytes.
const (
	maxText   = 4096
	maxSealed = 64 << 10
)

func checkText(n *yaml.Node, field string) string {
	switch {
	case field == "provider.credential":
		return checkSealed(strings.TrimSpace(n.Value))
	case field == "provider.mapping" && n.Kind == yaml.ScalarNode && len(n.Value) <= MaxMapping:
		return "" // CheckMapping reads it
	case n.Kind != yaml.ScalarNode || isNull(n):
		return "want a text"
	case len(n.Value) > maxText:
		return fmt.Sprintf("is longer than %d bytes", maxText)
	case strings.ContainsFunc(n.Value, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "want one line without control characters"
	}
	rule := texts[field]
	if rule == nil {
		rule = texts[field[:max(0, strings.LastIndexByte(field, '.'))]]
	}
	if rule == nil {
		return ""
	}
	return rule(n.Value)
}

// First and last line of a sealed credential, an armored age file.
const (
	sealedHeader = "-----BEGIN AGE ENCRYPTED FILE-----"
	sealedFooter = "-----END AGE ENCRYPTED FILE-----"
)

// checkSealed refuses anything that is not an armored age file. It does not repeat the text, which may
// be a credential in the clear.
func checkSealed(text string) string {
	switch {
	case !strings.HasPrefix(text, sealedHeader):
		return "is not sealed: use mkt provider set, which seals it, and change the credential if it stood here in clear"
	case len(text) > maxSealed:
		return fmt.Sprintf("is longer than %d KiB", maxSealed>>10)
	case !strings.HasSuffix(text, sealedFooter):
		return "is cut off: its last line is not " + sealedFooter
	}
	return ""
}

// checkHint bounds how much of a secret may be in the file.
func checkHint(s string) string {
	if len(strings.Trim(s, "…*.•")) > 4 {
		return "shows more than 4 characters"
	}
	return ""
}

func parseDigest(s string) (d Digest, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != sha256.Size || strings.ToLower(s) != s {
		return d, fmt.Errorf("not a digest")
	}
	return Digest(b), nil
}

// check checks the rules between the fields of a mapping.
func (r *reader) check(n *yaml.Node, field string, v any) {
	switch v := v.(type) {
	case *account.Subscription:
		if v.Starts != nil && v.Expires != nil && !v.Starts.Before(*v.Expires) {
			r.problem(n, field, "expires before it starts")
		}
	case *Provider:
		if reason := CheckMapping(v.Name, v.Mapping); reason != "" {
			r.problem(child(n, "mapping"), "provider.mapping", "%s", reason)
		}
		if reason := cmp.Or(MissingHost(v), CheckBaseURL(v.BaseURL, v.AllowPrivateAddress)); reason != "" {
			r.problem(child(n, "base_url"), "provider.base_url", "%s", reason)
		}
		if reason := CheckBookmaker(v.Name, v.Bookmaker); reason != "" {
			r.problem(child(n, "bookmaker"), "provider.bookmaker", "%s", reason)
		}
	case *Tenant:
		for _, p := range football.Products() {
			if _, has := v.Products[p]; has && v.Provider != nil {
				if reason := CheckProduct(v.Provider.Name, p); reason != "" {
					r.problem(child(n, "products"), "products."+string(p), "%s: leave the product out, or connect another provider", reason)
				}
			}
		}
	}
}

// originForm is what a browser sends: scheme, host and port in lower case, nothing else.
var originForm = regexp.MustCompile(`^(https?)://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$`)

// CheckOrigin returns what is wrong with an origin, "" if nothing. It must be what a browser sends.
func CheckOrigin(s string) string {
	if m := originForm.FindStringSubmatch(s); m != nil {
		port, _ := strconv.Atoi(m[2]) // 0: the default one, which a browser leaves out
		if port <= 65535 && !(m[1] == "https" && port == 443) && !(m[1] == "http" && port == 80) {
			return ""
		}
	}
	return "want scheme, host and port only, as a browser sends them, such as https://app.example.com: lower case, ASCII (xn--…), no wildcard, no slash at the end, no default port"
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

// MaxMapping bounds an account's own mapping table, in bytes.
const MaxMapping = 128 << 10

// CheckMapping returns what is wrong with an account's own mapping table at a provider, "" if
// nothing. It names the line.
func CheckMapping(provider, text string) string {
	p, known := all.Lookup(provider)
	switch {
	case text == "" || !known:
		return ""
	case p.ParseTable == nil:
		return "the provider " + provider + " has a mapping table of its own: leave it out"
	case len(text) > MaxMapping:
		return fmt.Sprintf("is longer than %d KiB", MaxMapping>>10)
	}
	if _, err := p.ParseTable(text); err != nil {
		return err.Error()
	}
	return ""
}

// MissingHost returns that a connection needs a base URL, "" if it has one or needs none.
func MissingHost(p *Provider) string {
	if adapter, _ := all.Lookup(p.Name); adapter.AnyHost && p.BaseURL == "" {
		return "is missing: a feed has no address of its own"
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
		return "plain http is refused unless allow_private_address is true (--allow-private-address), as for the simulator"
	}
	return ""
}
