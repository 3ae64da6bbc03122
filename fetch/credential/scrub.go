package credential

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// minScrub is the length below which a credential is not looked for: it would
// be found by chance in any text.
const minScrub = 6

// Scrubber blots a secret out of bytes: in clear, URL-encoded, escaped for JSON
// or HTML, in base64 (also in the middle of other text) and in hex. Safe for
// concurrent use.
type Scrubber struct{ spellings [][]byte }

// NewScrubber knows every spelling of the secret that is looked for. A secret
// of fewer than 6 bytes is not.
func NewScrubber(s Secret) *Scrubber {
	secret := s.Reveal()
	if len(secret) < minScrub {
		return &Scrubber{}
	}
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	every := everyByte(secret, "%")
	all := []string{secret, query, path, lowerEscapes(query), lowerEscapes(path), every, lowerEscapes(every),
		html.EscapeString(secret), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	all = append(append(all, base64Spellings(secret)...), jsonSpellings(secret)...)
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // the longest first: it may hold a shorter
	var c Scrubber
	for _, spelling := range slices.Compact(all) {
		c.spellings = append(c.spellings, []byte(spelling))
	}
	return &c
}

// Found tells whether the secret is in b, in any spelling.
func (c *Scrubber) Found(b []byte) bool {
	return slices.ContainsFunc(c.spellings, func(s []byte) bool { return bytes.Contains(b, s) })
}

// Scrub returns b with every spelling of the secret replaced by Mask, and
// whether there was any. Without any it returns b itself. The beginning of a
// spelling at the very end of b, as a truncated answer leaves it, counts.
func (c *Scrubber) Scrub(b []byte) (clean []byte, found bool) {
	clean = b
	for _, s := range c.spellings {
		if bytes.Contains(clean, s) {
			clean, found = bytes.ReplaceAll(clean, s, []byte(Mask)), true
		}
	}
	for _, s := range c.spellings {
		if n := begun(clean, s); n >= minScrub {
			clean, found = append(slices.Clone(clean[:len(clean)-n]), Mask...), true
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

// base64Spellings are the parts of the encodings, standard and for URLs, that do
// not depend on what stands before or after the secret.
func base64Spellings(secret string) []string {
	var all []string
	for before := range 3 {
		padded := append(make([]byte, before), secret...)
		from := (before*8 + 5) / 6 // characters that hold bits of what stands before
		until := len(padded) * 8 / 6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString(padded)[from:until])
		}
	}
	return all
}

// lowerEscapes turns %2F into %2f.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// everyByte is the secret with each byte escaped.
func everyByte(s, mark string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		out.WriteString(mark + strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return out.String()
}

// jsonSpellings are how a JSON writer may escape the secret: what JSON demands
// alone, or also what is special in HTML; and slashes, as PHP does.
func jsonSpellings(secret string) []string {
	var all []string
	for _, forHTML := range []bool{false, true} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(forHTML)
		if e.Encode(secret) != nil {
			continue // not with a text
		}
		escaped := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
		all = append(all, escaped, strings.ReplaceAll(escaped, "/", `\/`))
	}
	return all
}
