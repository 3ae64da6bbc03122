package tenants

import (
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mkt/cmd/mkt/internal/schedule"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// The fields of a tenant, in the order of the file. Problems name the expected form and never repeat a
// token, digest or credential.

func (r *reader) id(n *yaml.Node) string {
	id := r.text(n, "id")
	if id != "" && !layout.ValidTenantID(id) {
		r.problem(n, "id", `%q: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`, shorten(id))
		return ""
	}
	return id
}

func (r *reader) status(n *yaml.Node) account.Status {
	switch s := account.Status(r.text(n, "status")); s {
	case account.Active, account.Suspended, account.Revoked:
		return s
	default:
		r.problem(n, "status", "%q: want ACTIVE, SUSPENDED or REVOKED", shorten(n.Value))
		return account.Revoked
	}
}

func (r *reader) tokens(n *yaml.Node) []Token {
	var list []Token
	for _, item := range r.items(n, "tokens") {
		if item.Kind == yaml.ScalarNode && !isNull(item) {
			r.problem(item, "tokens", "want entries of sha256, hint and issued_at, as mkt tenant token issue makes them; if a token stood here in clear, end it with mkt tenant token rotate")
			continue
		}
		var t Token
		r.fields(item, "tokens", map[string]func(*yaml.Node){
			"sha256":    func(n *yaml.Node) { t.Digest = r.digest(n) },
			"hint":      func(n *yaml.Node) { t.Hint = r.hint(n, "tokens.hint") },
			"issued_at": func(n *yaml.Node) { t.IssuedAt = r.time(n, "tokens.issued_at") },
		})
		if child(item, "sha256") == nil {
			r.problem(item, "tokens.sha256", "is missing: issue a token with mkt tenant token issue")
		}
		list = append(list, t)
	}
	return list
}

func (r *reader) digest(n *yaml.Node) (d [32]byte) {
	b, err := hex.DecodeString(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || len(b) != len(d) || strings.ToLower(n.Value) != n.Value {
		r.problem(n, "tokens.sha256", "want the SHA-256 of a token, 64 lower-case hexadecimal digits")
		return d
	}
	return [32]byte(b)
}

// hint bounds how much of a secret may be in the file.
func (r *reader) hint(n *yaml.Node, field string) string {
	h := r.text(n, field)
	if len(strings.Trim(h, "…*.•")) > 4 {
		r.problem(n, field, "shows more than 4 characters")
		return ""
	}
	return h
}

func (r *reader) time(n *yaml.Node, field string) time.Time {
	at, err := time.Parse(time.RFC3339, n.Value)
	if err != nil {
		at, err = time.Parse(time.DateOnly, n.Value)
	}
	if n.Kind != yaml.ScalarNode || err != nil {
		r.problem(n, field, "%q: want a time such as 2026-11-20T09:07:00Z or a day such as 2026-11-20", shorten(n.Value))
	}
	return at.UTC()
}

func (r *reader) products(n *yaml.Node, into map[football.Product]account.Subscription) {
	known := map[string]func(*yaml.Node){}
	for _, p := range account.Products() {
		known[string(p)] = func(n *yaml.Node) { into[p] = r.subscription(n, "products."+string(p)) }
	}
	r.fields(n, "products", known)
}

func (r *reader) subscription(n *yaml.Node, field string) (s account.Subscription) {
	term := func(key string, into **time.Time) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if !isNull(n) {
				at := r.time(n, field+"."+key)
				*into = &at
			}
		}
	}
	r.fields(n, field, map[string]func(*yaml.Node){"starts": term("starts", &s.Starts), "expires": term("expires", &s.Expires)})
	if s.Starts != nil && s.Expires != nil && !s.Starts.Before(*s.Expires) {
		r.problem(n, field, "expires before it starts")
	}
	return s
}

func (r *reader) features(n *yaml.Node, into map[string]bool) {
	known := map[string]func(*yaml.Node){}
	for _, f := range Features() {
		known[f] = func(n *yaml.Node) { into[f] = r.boolean(n, "features."+f) }
	}
	r.fields(n, "features", known)
}

func (r *reader) origins(n *yaml.Node) []string {
	var list []string
	for _, item := range r.items(n, "origins") {
		origin := r.text(item, "origins")
		if reason := CheckOrigin(origin); reason != "" {
			r.problem(item, "origins", "%q: %s", shorten(origin), reason)
		}
		list = append(list, origin)
	}
	return list
}

// CheckOrigin returns what is wrong with an origin, "" if nothing. An origin must be what a browser
// sends: scheme, host, port, nothing else.
func CheckOrigin(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return "want a form like https://app.example.com"
	case strings.IndexFunc(s, func(c rune) bool { return c > '~' }) >= 0:
		return "want the host in ASCII, as browsers send it: xn--…"
	case !hostWanted(u):
		return "want a host, and a port from 1 to 65535 where it is not the default one"
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.ForceQuery:
		return "want scheme, host and port only, without a trailing slash"
	case s != strings.ToLower(s):
		return "want lower case, as browsers send it"
	case strings.ContainsAny(u.Host, "*"):
		return "wildcards are not allowed: list each origin"
	case (u.Scheme == "https" && u.Port() == "443") || (u.Scheme == "http" && u.Port() == "80"):
		return "leave the default port out, as browsers do"
	}
	return ""
}

// hostWanted reports whether a browser can send such a host.
func hostWanted(u *url.URL) bool {
	if strings.HasSuffix(u.Host, ":") || strings.HasPrefix(u.Host, ".") || strings.Contains(u.Host, "..") {
		return false
	}
	port, err := strconv.Atoi(u.Port())
	return u.Port() == "" || err == nil && port >= 1 && port <= 65535
}

func (r *reader) limit(n *yaml.Node) account.Limit {
	l := account.DefaultLimit
	r.fields(n, "rate_limit", map[string]func(*yaml.Node){
		"requests": func(n *yaml.Node) { l.Requests = r.integer(n, "rate_limit.requests", 1, MaxRequests) },
		"burst":    func(n *yaml.Node) { l.Burst = r.integer(n, "rate_limit.burst", 1, MaxRequests) },
		"per": func(n *yaml.Node) {
			d, err := time.ParseDuration(n.Value)
			if err != nil || d < MinPer || d > MaxPer {
				r.problem(n, "rate_limit.per", "want a duration from 1s to 24h, such as 1m")
				return
			}
			l.Per = d
		},
	})
	return l
}

func (r *reader) schedule(n *yaml.Node, into map[football.Product]string) {
	known := map[string]func(*yaml.Node){}
	for _, p := range account.Products() {
		known[string(p)] = func(n *yaml.Node) {
			expr := r.text(n, "schedule."+string(p))
			if _, err := schedule.Parse(expr); err != nil {
				r.problem(n, "schedule."+string(p), "%q: %v", shorten(expr), err)
			}
			into[p] = expr
		}
	}
	r.fields(n, "schedule", known)
}
