package apifootball

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

// Error codes of this package, for answers that have none of the provider.
const (
	errParameter = "PARAMETER"    // the provider names a parameter
	errServer    = "SERVER_ERROR" // an answer of the server that has a message and no envelope
)

// errorKinds are the meanings of the keys of the member errors, the most severe first: an
// answer may have several.
var errorKinds = []struct {
	key  string
	kind provider.Kind
}{
	{api.ErrToken, provider.CredentialFault},
	{api.ErrAccess, provider.PermissionFault},
	{api.ErrPlan, provider.PermissionFault},
	{api.ErrRequests, provider.Limited},
	{api.ErrRateLimit, provider.Limited},
	{api.ErrBug, provider.Retryable},
	{api.ErrRequired, provider.Rejected},
}

// longestMinute is the longest wait before the next try if the quota of the minute is used
// up. It is not documented whether that is a minute of the clock.
const longestMinute = 10 * time.Second

// Classify judges a complete answer. The body decides: every error comes with status
// 200, and an answer with errors has an empty response, which must not be taken for a
// list without fixtures.
func Classify(status int, header http.Header, body []byte) provider.Verdict {
	v := decode.Classify(func(d *strictjson.Document) provider.Verdict { return judge(d, status, body) })
	if q := quotaOf(header); q != nil {
		v.Quota = q
	}
	if v.Kind == provider.Limited {
		v.Wait = waitFor(v.Code, header)
	}
	return v
}

func judge(d *strictjson.Document, status int, body []byte) provider.Verdict {
	if v, ok := byStatus.Judge(d, status, body, "{"); !ok {
		return v
	}
	envelope := d.Root()
	if key, said := errorIn(envelope.Get(api.KeyErrors)); said {
		return ofError(key)
	}
	response := envelope.Get(api.KeyResponse).Kind()
	switch {
	case envelope.Get(api.KeyErrors).Kind() == strictjson.Absent && envelope.Get(api.KeyMessage).Kind() == strictjson.String:
		return byStatus.Unexplained(status, errServer)
	case envelope.Get(api.KeyErrors).Kind() == strictjson.Absent,
		response != strictjson.Array && (response != strictjson.Object || envelope.Get(api.KeyGet).Text() != api.GetStatus):
		return byStatus(status, decode.NoEnvelope)
	}
	return provider.Verdict{Kind: provider.Accepted, Quota: quotaInStatus(envelope.Get(api.KeyResponse))}
}

// quotaInStatus is the quota of the day's requests in the status of an account, nil for any
// other answer.
func quotaInStatus(response strictjson.Value) *provider.Quota {
	const most = 1 << 30
	requests := response.Get("requests")
	sent, okSent := decode.Whole(requests.Get("current"), most)
	limit, okLimit := decode.Whole(requests.Get("limit_day"), most)
	if !okSent || !okLimit || requests.Repeats() {
		return nil
	}
	return &provider.Quota{Left: max(0, limit-sent), Limit: limit}
}

// errorIn returns the most severe key of the member errors, "" if none has a meaning of its
// own. errors is an empty array or object if there is no error.
func errorIn(v strictjson.Value) (key string, said bool) {
	switch v.Kind() {
	case strictjson.Absent, strictjson.Null:
		return "", false
	case strictjson.Object:
	default:
		return "", v.Kind() != strictjson.Array || v.Len() > 0
	}
	for _, e := range errorKinds {
		if v.Get(e.key).Kind() != strictjson.Absent {
			return e.key, true
		}
	}
	for name := range v.Members() {
		if isParameter(name) {
			return errParameter, true
		}
	}
	return "", v.Len() > 0
}

// isParameter reports whether a key of errors is written as the names of parameters are.
func isParameter(name string) bool {
	return name != "" && len(name) <= 20 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}

func ofError(key string) provider.Verdict {
	for _, e := range errorKinds {
		if e.key == key {
			return provider.Verdict{Kind: e.kind, Code: key}
		}
	}
	if key == "" {
		key = decode.Unknown
	}
	return provider.Verdict{Kind: provider.Rejected, Code: key}
}

// quotaOf returns the quota of the day, nil if the answer does not have it.
func quotaOf(h http.Header) *provider.Quota {
	left, ok := wholeHeader(h, api.HeaderDayRemaining)
	if !ok {
		return nil
	}
	q := &provider.Quota{Left: left}
	q.Limit, _ = wholeHeader(h, api.HeaderDayLimit)
	if date, ok := dateOf(h); ok {
		q.Resets = untilMidnight(date)
	}
	return q
}

// waitFor returns how long to wait if a quota is used up: that of the day is renewed at
// midnight UTC.
func waitFor(code string, h http.Header) time.Duration {
	date, ok := dateOf(h)
	left, known := wholeHeader(h, api.HeaderDayRemaining)
	switch {
	case code == api.ErrRequests || known && left == 0:
		if ok {
			return untilMidnight(date)
		}
		return 0
	case ok:
		return min(longestMinute, date.Truncate(time.Minute).Add(time.Minute).Sub(date))
	}
	return longestMinute
}

func untilMidnight(t time.Time) time.Duration {
	return t.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(t)
}

func dateOf(h http.Header) (time.Time, bool) {
	date, err := http.ParseTime(h.Get("Date"))
	return date, err == nil
}

func wholeHeader(h http.Header, name string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get(name)))
	return max(n, 0), err == nil && n >= 0
}

// byStatus has the status 499 besides the usual ones: the provider took too long.
var byStatus decode.ByStatus = func(status int, code string) provider.Verdict {
	if status == 499 {
		return provider.Verdict{Kind: provider.Retryable, Code: code}
	}
	return decode.Usual(status, code)
}
