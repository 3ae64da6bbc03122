package serve

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/markets"
)

// maxParams is the maximum number of parameters in a query, including unknown ones.
const maxParams = 64

// params are the known parameters of a query.
type params struct{ url.Values }

// parseParams returns the known parameters of a query. It refuses a query that cannot be
// parsed, and one in which a known parameter occurs twice. Unknown parameters are
// ignored.
func parseParams(raw string, known []string) (params, error) {
	if raw == "" {
		return params{}, nil
	}
	if strings.Count(raw, "&") >= maxParams {
		return params{}, api.Refusef(api.BadRequest, "the query has more than %d parameters", maxParams)
	}
	all, err := url.ParseQuery(raw)
	if err != nil {
		return params{}, api.Refusef(api.BadRequest, "the query string cannot be parsed")
	}
	for name, values := range all {
		switch {
		case !slices.Contains(known, name):
			delete(all, name)
		case len(values) > 1:
			return params{}, api.Refusef(api.BadRequest, "%s is given more than once", name)
		}
	}
	return params{all}, nil
}

// limit returns the maximum number of items of a page.
func (p params) limit() (int, error) {
	s, given := p.param("limit")
	if !given {
		return api.DefaultLimit, nil
	}
	n := 0
	for i := 0; i < len(s) && i < 4; i++ {
		if s[i] < '0' || s[i] > '9' || i == 0 && s[i] == '0' {
			n = 0
			break
		}
		n = n*10 + int(s[i]-'0')
	}
	if n < api.MinLimit || n > api.MaxLimit || len(s) > 3 {
		return 0, api.Refusef(api.InvalidParameter, "limit must be a whole number from %d to %d", api.MinLimit, api.MaxLimit)
	}
	return n, nil
}

// param returns a parameter and whether it was given; an empty one was not.
func (p params) param(name string) (string, bool) {
	value := p.Get(name)
	return value, value != ""
}

// rfc3339 matches a date-time in upper case: up to the seconds, the fraction, and the
// zone. A blank is not accepted as a plus sign, although an unencoded plus sign arrives
// as a blank.
var rfc3339 = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)

// instant parses a timestamp as a bound in whole milliseconds. It is rounded up, so that
// "at or after" and "before" are correct for times in milliseconds.
func (p params) instant(name string) (markets.Instant, error) {
	s, given := p.param(name)
	if !given {
		return markets.Instant{}, nil
	}
	ms, ok := parseInstant(s)
	if !ok {
		return markets.Instant{}, api.Refusef(api.InvalidParameter, "%s must be a date-time such as 2026-11-20T15:00:00Z, with a plus sign written as %%2B", name)
	}
	return markets.InstantAt(ms), nil
}

// parseInstant returns milliseconds since the Unix epoch, rounded up.
func parseInstant(s string) (ms int64, ok bool) {
	m := rfc3339.FindStringSubmatch(strings.ToUpper(s))
	if len(s) > maxText || m == nil {
		return 0, false
	}
	seconds, fraction, zone := m[1], m[2], m[3]
	leap := strings.HasSuffix(seconds, ":60")
	if leap {
		seconds = strings.TrimSuffix(seconds, "60") + "59"
	}
	t, err := time.Parse(time.RFC3339, seconds+zone)
	if err != nil {
		return 0, false
	}
	if leap { // RFC 3339 has it: the second after :59, with which the next minute begins
		t = t.Add(time.Second)
	}
	const digits = 3 // of a millisecond
	rest := ""
	if len(fraction) > digits {
		fraction, rest = fraction[:digits], fraction[digits:]
	}
	thousandths, _ := strconv.Atoi((fraction + "000")[:digits])
	if strings.Trim(rest, "0") != "" {
		thousandths++
	}
	return t.UnixMilli() + int64(thousandths), true
}

// maxText is the maximum length of a free text in bytes.
const maxText = 200

func (p params) text(name string) (string, error) {
	s, _ := p.param(name)
	if len(s) > maxText || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return "", api.Refusef(api.InvalidParameter, "%s must be text of at most %d bytes", name, maxText)
	}
	return s, nil
}

// position returns the position of the cursor, "" if none was given.
func (p params) position(scope api.Scope) (string, error) {
	s, given := p.param("cursor")
	if !given {
		return "", nil
	}
	position, err := scope.Position(s)
	if err != nil || position == "" {
		return "", api.Because(api.InvalidCursor, err)
	}
	return position, nil
}

// name returns a canonical name. A text that cannot be a name is refused.
func (p params) name(param string) (string, error) {
	s, given := p.param(param)
	if given && !api.IsName(s) {
		return "", api.Refusef(api.InvalidParameter, "%s must be a canonical name such as TOTAL_GOALS, FT or 1H", param)
	}
	return s, nil
}
