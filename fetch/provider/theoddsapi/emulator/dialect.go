package emulator

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider/theoddsapi/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

// dialect implements simulator.Dialect.
type dialect struct {
	lists world.Lists[competition.Fixture]
}

var (
	_ simulator.Charging = (*dialect)(nil)
	_ meant.Dialect      = (*dialect)(nil)
	_ meant.Lister       = (*dialect)(nil)
)

// Endpoint implements simulator.Dialect.
func (*dialect) Endpoint(path string) (string, simulator.Class) {
	sport, event := subjects(path)
	if strings.Contains(path, "//") {
		return "", ""
	}
	switch path {
	case api.PathSports, api.PathSports + "/":
		return api.EndpointSports, simulator.Listing
	case api.PathEvents(sport):
		return api.EndpointEvents, simulator.Listing
	case api.PathOdds(sport):
		return api.EndpointOdds, simulator.Markets
	case api.PathEventOdds(sport, event):
		return api.EndpointEventOdds, simulator.Markets
	}
	return "", ""
}

// subjects returns the competition and the fixture in a path; "" if it names none.
func subjects(path string) (sport, event string) {
	rest, _ := strings.CutPrefix(path, api.PathSports+"/")
	sport, rest, _ = strings.Cut(rest, "/")
	_, event, _ = strings.Cut(rest, "/")
	event, _, _ = strings.Cut(event, "/")
	return sport, event
}

// Token implements simulator.Dialect: the key is in the query alone.
func (*dialect) Token(r *http.Request) string { return r.URL.Query().Get(api.ParamKey) }

// Quota implements simulator.Dialect. No header says when the credits are renewed.
func (*dialect) Quota(h http.Header, limit, remaining int, _ time.Time) {
	h[api.HeaderRemaining] = []string{strconv.Itoa(remaining)}
	h[api.HeaderUsed] = []string{strconv.Itoa(limit - remaining)}
}

// Refuse implements simulator.Dialect. A used up quota has the status of a wrong key.
// The faults of the front server have no error code.
func (*dialect) Refuse(why simulator.Refusal) simulator.Answer {
	switch why {
	case simulator.BadToken:
		return refusal(http.StatusUnauthorized, api.ErrInvalidKey, "API key is not valid")
	case simulator.NotBought:
		return refusal(http.StatusForbidden, api.ErrHistorical, "Not available on the current usage plan")
	case simulator.QuotaUsed:
		return refusal(http.StatusUnauthorized, api.ErrOutOfCredits, "Usage quota has been reached")
	case simulator.BadMethod:
		return refusal(http.StatusMethodNotAllowed, "", "Method Not Allowed")
	case simulator.BadPath:
		return refusal(http.StatusNotFound, "", "Not Found")
	case simulator.Maintenance:
		return refusal(http.StatusServiceUnavailable, "", "Service Unavailable")
	default:
		return refusal(http.StatusInternalServerError, "", "Internal server error")
	}
}

// TooFast implements simulator.Paced: a second has had too many requests. It costs no
// credit.
func (*dialect) TooFast(http.Header) simulator.Answer {
	return refusal(http.StatusTooManyRequests, api.ErrFrequency, "Requests are being sent too quickly")
}

func refusal(status int, code, message string) simulator.Answer {
	r := struct {
		Message string `json:"message"`
		Code    string `json:"error_code,omitempty"`
		Details string `json:"details_url,omitempty"`
	}{Message: message, Code: code}
	if code != "" {
		r.Details = "https://the-odds-api.example/error-codes.html#" + code
	}
	return simulator.Answer{Status: status, Body: simulator.JSON(r)}
}

// Format implements simulator.Dialect.
func (*dialect) Format() simulator.Format {
	return simulator.Format{IDs: []string{api.KeyID}, Nonsense: `{"message":17,"bookmakers":"see attachment"}`,
		Classes: []simulator.Class{simulator.Listing, simulator.Markets}}
}

// Wrap implements simulator.Dialect: a list has no envelope.
func (*dialect) Wrap(items [][]byte, _ *simulator.Page) []byte {
	return simulator.AppendArray(nil, items)
}

// ask is a valid request.
type ask struct {
	fixtures []competition.Fixture
	makers   []maker
	markets  []string
}

// maker is a bookmaker; an exchange also has lay prices of the result.
type maker struct {
	Key, Title string
	exchange   bool
}
