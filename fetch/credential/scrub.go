package credential

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// minScrub is the length below which a credential is not looked for: it would
// be found by chance in any text.
const minScrub = 6

// Scrubber finds a secret in bytes and replaces it with Mask. It finds the secret in
// clear, escaped once for a URL, JSON or HTML as encoders write it, in hex, and in base64
// of either alphabet, also in the middle of other encoded text. Safe for concurrent use.
type Scrubber struct {
	spellings [][]byte // texts that give the secret away, the longest first
}

// NewScrubber returns a Scrubber of the secret. A secret of fewer than 6 bytes is
// not looked for.
func NewScrubber(s Secret) *Scrubber {
	secret := s.Reveal()
	if len(secret) < minScrub {
		return &Scrubber{}
	}
	inHex, query, path := hex.EncodeToString([]byte(secret)), url.QueryEscape(secret), url.PathEscape(secret)
	all := append(base64Spellings(secret), secret, strings.ReplaceAll(secret, " ", "+"), inHex, strings.ToUpper(inHex),
		query, path, lowerEscapes(query), lowerEscapes(path), html.EscapeString(secret))
	for _, text := range []string{jsonOf(secret, true), jsonOf(secret, false)} {
		all = append(all, text, strings.ReplaceAll(text, "/", `\/`))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	c := &Scrubber{}
	for _, text := range slices.Compact(all) {
		c.spellings = append(c.spellings, []byte(text))
	}
	return c
}

var urlEscape = regexp.MustCompile("%[0-9A-F]{2}")

func lowerEscapes(s string) string { return urlEscape.ReplaceAllStringFunc(s, strings.ToLower) }

// jsonOf returns a text as an encoder of JSON writes it, without the quotes.
func jsonOf(s string, forHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(forHTML)
	_ = e.Encode(s) // of a text, into memory
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// base64Spellings are the parts of the encodings, standard and for URLs, which are the
// same whatever precedes or follows the secret.
func base64Spellings(secret string) []string {
	var all []string
	for before := range 3 {
		padded := append(make([]byte, before), secret...)
		from := (before*8 + 5) / 6 // characters with bits of the text before
		until := len(padded) * 8 / 6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString(padded)[from:until])
		}
	}
	return all
}

// Found reports whether b holds the secret in any spelling.
func (c *Scrubber) Found(b []byte) bool {
	_, found := c.Scrub(b)
	return found
}

// Scrub returns b with every spelling of the secret replaced by Mask, and reports
// whether there was any. If there was none it returns b itself. The beginning of a spelling
// at the very end of b counts, since a truncated answer ends so.
func (c *Scrubber) Scrub(b []byte) (clean []byte, found bool) {
	clean = b
	for _, text := range c.spellings {
		if bytes.Contains(clean, text) {
			clean, found = bytes.ReplaceAll(clean, text, []byte(Mask)), true
		}
	}
	for _, text := range c.spellings {
		if n := begun(clean, text); n >= minScrub {
			return append(clean[:len(clean)-n:len(clean)-n], Mask...), true
		}
	}
	return clean, found
}

// begun is how many bytes at the end of b are the beginning of s.
func begun(b, s []byte) int {
	for n := min(len(s)-1, len(b)); n > 0; n-- {
		if bytes.HasSuffix(b, s[:n]) {
			return n
		}
	}
	return 0
}
