package theoddsapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi/internal/api"
)

// Error codes of this package, for answers that have none of the provider.
const (
	errRequest = "INVALID_PARAMETER" // a code about a parameter that is not in the closed set
)

// kinds are the meanings of the provider's error codes.
var kinds = map[string]provider.Kind{
	api.ErrMissingKey:   provider.CredentialFault,
	api.ErrInvalidKey:   provider.CredentialFault,
	api.ErrDeactivated:  provider.CredentialFault,
	api.ErrOutOfCredits: provider.Limited,
	api.ErrFrequency:    provider.Limited,
	api.ErrHistorical:   provider.PermissionFault,

	api.ErrBookmakers:     provider.Rejected,
	api.ErrMissingMarket:  provider.Rejected,
	api.ErrMarket:         provider.Rejected,
	api.ErrMarketCombo:    provider.Rejected,
	api.ErrEventNotFound:  provider.Rejected,
	api.ErrUnknownSport:   provider.Rejected,
	api.ErrInvalidSport:   provider.Rejected,
	api.ErrInvalidEventID: provider.Rejected,

	"INVALID_EVENT_IDS":        provider.Rejected,
	"MISSING_REGION":           provider.Rejected,
	"INVALID_REGION":           provider.Rejected,
	"INVALID_DATE_FORMAT":      provider.Rejected,
	"INVALID_ODDS_FORMAT":      provider.Rejected,
	"INVALID_SCORES_DAYS_FROM": provider.Rejected,
	"INVALID_ALL_SPORTS_PARAM": provider.Rejected,
}

// frequencyWait is how long to wait if requests were sent too fast. The provider says
// that its own machines may need some time.
const frequencyWait = time.Second

// Classify judges a complete answer. The body decides: a list or an event is accepted, and
// an error has its code. The status alone does not separate a quota that is used up from a
// wrong key.
func Classify(status int, header http.Header, body []byte) provider.Verdict {
	v := classify(status, body)
	left, known := credits(header, api.HeaderRemaining)
	if known {
		v.Quota = &provider.Quota{Left: left, Resets: untilNextMonth(header)}
		if used, known := credits(header, api.HeaderUsed); known {
			v.Quota.Limit = left + used
		}
		if cost, known := credits(header, api.HeaderLast); known {
			v.Quota.Cost = &cost
		}
	}
	switch v.Code {
	case api.ErrOutOfCredits:
		v.Wait = untilNextMonth(header)
	case api.ErrFrequency:
		v.Wait = frequencyWait
	}
	return v
}

// credits reads a number of credits in a header.
func credits(h http.Header, name string) (int, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64)
	const most = 1 << 40
	return int(min(max(n, 0), most)), err == nil && n >= 0
}

// untilNextMonth returns the time until the credits are renewed, by the provider's own
// clock; 0 if the answer does not have that.
func untilNextMonth(h http.Header) time.Duration {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	now = now.UTC()
	return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(now)
}

// usual: the statuses have their usual meanings.
var usual = decode.ByStatus(decode.Usual)

func classify(status int, body []byte) provider.Verdict {
	d := decode.Document()
	defer decode.Release(d)
	if v, ok := usual.Judge(d, status, body, "{["); !ok {
		return v
	}
	root := d.Root()
	if code := root.Get(api.KeyErrorCode); code.Kind() != strictjson.Absent {
		return byCode(status, code.Text())
	}
	if status == http.StatusOK && isAnswer(root) {
		return provider.Verdict{Kind: provider.Accepted}
	}
	return usual(status, decode.NoEnvelope)
}

func byCode(status int, code string) provider.Verdict {
	if kind, known := kinds[code]; known {
		return provider.Verdict{Kind: kind, Code: code}
	}
	if strings.HasPrefix(code, "INVALID_") || strings.HasPrefix(code, "MISSING_") {
		return provider.Verdict{Kind: provider.Rejected, Code: errRequest}
	}
	return usual(status, decode.Unknown)
}

// isAnswer reports whether a value is a list or one event.
func isAnswer(root strictjson.Value) bool {
	return root.Kind() == strictjson.Array || root.Kind() == strictjson.Object && root.Get(api.KeyID).Kind() == strictjson.String &&
		root.Get(api.KeyErrorCode).Kind() == strictjson.Absent && !root.Repeats()
}
