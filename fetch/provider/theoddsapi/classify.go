package theoddsapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/wire"
)

// Error words of our own, for answers in which the provider says none.
const (
	errEmpty    = "EMPTY_BODY"
	errNotJSON  = "NOT_JSON"          // a page of the front server
	errCut      = "INVALID_JSON"      // cut short, or not JSON after all
	errDoubtful = "DOUBTFUL_JSON"     // not UTF-8, beyond a limit, a key of the envelope twice: asking again will not help
	errEnvelope = "NO_ENVELOPE"       // neither a list, nor an event, nor an error
	errRequest  = "INVALID_PARAMETER" // a code about a parameter of ours that is not in the closed set
	errUnknown  = "UNKNOWN_ERROR"     // any other such code
	errStatus   = "UNEXPLAINED_STATUS"
)

// kinds are what the provider's error codes mean.
var kinds = map[string]provider.Kind{
	wire.ErrMissingKey:   provider.CredentialFault,
	wire.ErrInvalidKey:   provider.CredentialFault,
	wire.ErrDeactivated:  provider.CredentialFault,
	wire.ErrOutOfCredits: provider.Limited,
	wire.ErrFrequency:    provider.Limited,
	wire.ErrHistorical:   provider.PermissionFault,

	wire.ErrBookmakers:     provider.Rejected,
	wire.ErrMissingMarket:  provider.Rejected,
	wire.ErrMarket:         provider.Rejected,
	wire.ErrMarketCombo:    provider.Rejected,
	wire.ErrEventNotFound:  provider.Rejected,
	wire.ErrUnknownSport:   provider.Rejected,
	wire.ErrInvalidSport:   provider.Rejected,
	wire.ErrInvalidEventID: provider.Rejected,

	"INVALID_EVENT_IDS":        provider.Rejected,
	"MISSING_REGION":           provider.Rejected,
	"INVALID_REGION":           provider.Rejected,
	"INVALID_DATE_FORMAT":      provider.Rejected,
	"INVALID_ODDS_FORMAT":      provider.Rejected,
	"INVALID_SCORES_DAYS_FROM": provider.Rejected,
	"INVALID_ALL_SPORTS_PARAM": provider.Rejected,
}

// frequencyWait is how long to wait when requests came too fast. The provider says
// that its own machines may need some time.
const frequencyWait = time.Second

// Classify judges a complete answer. The body decides: a list or an event is what was
// asked for, and an error says its code, since a used up quota comes with the
// status of a wrong key.
func Classify(status int, header http.Header, body []byte) provider.Verdict {
	v := classify(status, body)
	left, known := credits(header, wire.HeaderRemaining)
	if known {
		v.Quota = &provider.Quota{Left: left, Resets: untilNextMonth(header)}
		if used, known := credits(header, wire.HeaderUsed); known {
			v.Quota.Limit = left + used
		}
	}
	switch v.Code {
	case wire.ErrOutOfCredits:
		v.Wait = untilNextMonth(header)
	case wire.ErrFrequency:
		v.Wait = frequencyWait
	}
	return v
}

// credits reads a number of credits in a header.
func credits(h http.Header, name string) (int, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64)
	const most = 1 << 40
	return int(min(max(n, 0), most)), err == nil && n == n
}

// untilNextMonth is the time until the credits are new, by the provider's own clock; 0
// if the answer does not have it.
func untilNextMonth(h http.Header) time.Duration {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	now = now.UTC()
	return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(now)
}

func classify(status int, body []byte) provider.Verdict {
	switch first := firstOf(body); first {
	case 0:
		return unexplained(status, errEmpty)
	case '{', '[':
	default:
		return unexplained(status, errNotJSON)
	}
	d := documents.Get().(*strictjson.Document)
	defer release(d)
	if err := d.Parse(body); err != nil {
		return invalid(status, err)
	}
	root := d.Root()
	switch {
	case root.Repeats() && status == http.StatusOK:
		return provider.Verdict{Kind: provider.Rejected, Code: errDoubtful}
	case root.Repeats():
		return unexplained(status, errDoubtful)
	}
	if code := root.Get(wire.KeyErrorCode); code.Kind() != strictjson.Absent {
		return byCode(status, code.Text())
	}
	if status == http.StatusOK && isAnswer(root) {
		return provider.Verdict{Kind: provider.Accepted}
	}
	return byStatus(status, errEnvelope)
}

func byCode(status int, code string) provider.Verdict {
	if kind, known := kinds[code]; known {
		return provider.Verdict{Kind: kind, Code: code}
	}
	if strings.HasPrefix(code, "INVALID_") || strings.HasPrefix(code, "MISSING_") {
		return provider.Verdict{Kind: provider.Rejected, Code: errRequest}
	}
	return byStatus(status, errUnknown)
}

// isAnswer reports whether a value is an answer of the provider's: a list, or one
// event.
func isAnswer(root strictjson.Value) bool {
	return root.Kind() == strictjson.Array || root.Kind() == strictjson.Object && root.Get(wire.KeyID).Kind() == strictjson.String &&
		root.Get(wire.KeyErrorCode).Kind() == strictjson.Absent && !root.Repeats()
}

// firstOf is the first byte that is no white space, 0 when there is none.
func firstOf(body []byte) byte {
	for _, c := range body {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// invalid judges a body that begins like JSON and is none. One that was cut
// short may come whole the next time.
func invalid(status int, err error) provider.Verdict {
	var e *strictjson.Error
	if status == http.StatusOK && errors.As(err, &e) {
		switch e.Rule {
		case strictjson.RuleUTF8, strictjson.RuleDepth, strictjson.RuleString, strictjson.RuleNumber, strictjson.RuleValues:
			return provider.Verdict{Kind: provider.Rejected, Code: errDoubtful}
		}
	}
	return unexplained(status, errCut)
}

// unexplained judges an answer without an envelope. A refusal of the front
// server is not one of the provider: only 401 and 429 have no other meaning.
func unexplained(status int, code string) provider.Verdict {
	switch status {
	case http.StatusUnauthorized, http.StatusTooManyRequests:
		return byStatus(status, code)
	}
	return provider.Verdict{Kind: provider.Retryable, Code: code}
}

// byStatus judges an envelope that says no known code.
func byStatus(status int, code string) provider.Verdict {
	kind := provider.Rejected
	switch {
	case status == http.StatusUnauthorized:
		kind, code = provider.CredentialFault, errStatus
	case status == http.StatusForbidden:
		kind, code = provider.PermissionFault, errStatus
	case status == http.StatusTooManyRequests:
		kind, code = provider.Limited, errStatus
	case status >= 500:
		kind = provider.Retryable
	}
	return provider.Verdict{Kind: kind, Code: code}
}

// maxKept bounds the index that is kept for the next payload, in values.
const maxKept = 1 << 18

var documents = sync.Pool{New: func() any { return new(strictjson.Document) }}

func release(d *strictjson.Document) {
	d.Clear()
	if d.Size() <= maxKept {
		documents.Put(d)
	}
}
