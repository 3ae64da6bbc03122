package credential

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// minScrub is the length below which a credential is not looked for: it would
// be found by chance in any text.
const minScrub = 6

// Scrubber finds a secret in bytes and replaces it with Mask. It finds the secret
// in clear, in hex, and in base64 of either alphabet, also in the middle of other
// encoded text; and each of these with any of its characters escaped for JSON, for
// a URL or for HTML, up to three times over. Safe for concurrent use.
type Scrubber struct {
	spellings [][]byte  // texts that give the secret away
	shortest  int       // length of the shortest of them
	inside    [256]bool // bytes of which a spelling may consist, escaped or not
}

// NewScrubber returns a Scrubber of the secret. A secret of fewer than 6 bytes is
// not looked for.
func NewScrubber(s Secret) *Scrubber {
	secret := s.Reveal()
	c := &Scrubber{}
	if len(secret) < minScrub {
		return c
	}
	inHex := hex.EncodeToString([]byte(secret))
	all := append(base64Spellings(secret), secret, strings.ReplaceAll(secret, " ", "+"), inHex, strings.ToUpper(inHex))
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	for _, text := range slices.Compact(all) {
		c.spellings = append(c.spellings, []byte(text))
		for _, b := range []byte(text) {
			c.inside[b] = true
		}
	}
	c.shortest = len(c.spellings[0])
	for b := range c.inside {
		c.inside[b] = c.inside[b] || isEscapeSyntax(byte(b))
	}
	return c
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
	found := false
	c.search(b, func(span) bool {
		found = true
		return false
	})
	return found
}

// Scrub returns b with every spelling of the secret replaced by Mask, and reports
// whether there was any. If there was none it returns b itself. Where the secret is
// escaped, the word around it is replaced. The beginning of a spelling at the very
// end of b counts, since a truncated answer ends so.
func (c *Scrubber) Scrub(b []byte) (clean []byte, found bool) {
	var spans []span
	c.search(b, func(s span) bool {
		spans = append(spans, s)
		return true
	})
	if len(spans) == 0 {
		return b, false
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	clean, done := make([]byte, 0, len(b)), 0
	for _, s := range spans {
		if s.from >= done {
			clean = append(append(clean, b[done:s.from]...), Mask...)
		}
		done = max(done, s.until)
	}
	return append(clean, b[done:]...), true
}

// span is a part of a text, from one offset to before another.
type span struct{ from, until int }

// search calls yield for every place where the secret is, in no order, until yield
// returns false.
func (c *Scrubber) search(b []byte, yield func(span) bool) {
	for _, text := range c.spellings {
		for at := 0; ; at++ {
			next := bytes.Index(b[at:], text)
			if next < 0 {
				break
			}
			at += next
			if !yield(span{at, at + len(text)}) {
				return
			}
		}
		if n := begun(b, text); n >= minScrub && !yield(span{len(b) - n, len(b)}) {
			return
		}
	}
	if len(c.spellings) > 0 {
		c.searchEscaped(b, yield)
	}
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

// A word is searched in overlapping windows of this size, in bytes, so no escaped
// spelling falls between two of them.
const (
	windowSize    = 1 << 20
	windowOverlap = 128 << 10
)

// searchEscaped looks for words in which a spelling is escaped. A word goes as far
// as there are bytes of which an escaped spelling may consist.
func (c *Scrubber) searchEscaped(b []byte, yield func(span) bool) {
	places := newPlaces(b)
	for at, more := places.next(0); more; {
		next := at + 1
		if c.isRelevant(b, at) {
			word := c.wordAround(b, at)
			next = word.until
			for w := word; w.from < word.until; w.from += windowSize - windowOverlap {
				w.until = min(w.from+windowSize, word.until)
				ends := w.until == len(b)
				if (ends || w.until-w.from >= c.shortest) && c.holds(b[w.from:w.until], ends, maxLayers) && !yield(w) {
					return
				}
				if w.until == word.until {
					break
				}
			}
		}
		at, more = places.next(next)
	}
}

// isRelevant reports whether the escape that begins there may be inside a spelling. Text
// that is no escape is not relevant, unless the end of the text cuts it.
func (c *Scrubber) isRelevant(b []byte, at int) bool {
	if v, ok := unitEscape(b[at:]); ok { // nearly all are of this kind
		if v < utf8.RuneSelf {
			return c.inside[v]
		}
		var text [utf8.UTFMax]byte
		utf8.EncodeRune(text[:], v)
		return c.inside[text[0]]
	}
	e, ok := readEscape(b[at:])
	return ok && c.inside[e.text[0]] || e.cut
}

func (c *Scrubber) wordAround(b []byte, at int) span {
	word := span{at, at}
	for word.from > 0 && c.inside[b[word.from-1]] {
		word.from--
	}
	for word.until < len(b) && c.inside[b[word.until]] {
		word.until++
	}
	return word
}

// holds reports whether a word contains a spelling after up to so many layers of escapes
// are taken off. ends means the text ends with the word.
func (c *Scrubber) holds(word []byte, ends bool, layers int) bool {
	for i := range introducers {
		inner, escapes := unescape(word, introducers[i], ends)
		if len(inner) == len(word) {
			continue
		}
		for _, text := range c.spellings {
			if bytes.Contains(inner, text) || ends && begun(inner, text) >= minScrub {
				return true
			}
		}
		if layers > 1 && escapes > 0 && c.holds(inner, ends, layers-1) {
			return true
		}
	}
	return false
}
