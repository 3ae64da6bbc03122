package api

import "net/http"

// Code is one of the frozen error codes (specification, section 7), on which clients
// rely.
type Code string

const (
	BadRequest           Code = "BAD_REQUEST"
	InvalidParameter     Code = "INVALID_PARAMETER"
	InvalidCursor        Code = "INVALID_CURSOR"
	RequestTooLarge      Code = "REQUEST_TOO_LARGE"
	InvalidAPIToken      Code = "INVALID_API_TOKEN"
	ClientSuspended      Code = "CLIENT_SUSPENDED"
	ClientRevoked        Code = "CLIENT_REVOKED"
	SubscriptionRequired Code = "SUBSCRIPTION_REQUIRED"
	FeatureNotEnabled    Code = "FEATURE_NOT_ENABLED"
	OriginNotAllowed     Code = "ORIGIN_NOT_ALLOWED"
	NotFound             Code = "NOT_FOUND"
	FixtureNotFound      Code = "FIXTURE_NOT_FOUND"
	MarketNotFound       Code = "MARKET_NOT_FOUND"
	MethodNotAllowed     Code = "METHOD_NOT_ALLOWED"
	Conflict             Code = "CONFLICT"
	ProviderNotConnected Code = "PROVIDER_NOT_CONNECTED"
	RateLimited          Code = "RATE_LIMITED"
	InternalError        Code = "INTERNAL_ERROR"
	UpstreamUnavailable  Code = "UPSTREAM_UNAVAILABLE"
	DataNotReady         Code = "DATA_NOT_READY"
	ServiceUnavailable   Code = "SERVICE_UNAVAILABLE"
)

// codes has all codes in the specification's order. The message is for people, may be
// reworded, and does not depend on the request.
var codes = []struct {
	code    Code
	status  int
	message string
}{
	{BadRequest, http.StatusBadRequest, "the request could not be understood"},
	{InvalidParameter, http.StatusBadRequest, "a query parameter is out of range or malformed"},
	{InvalidCursor, http.StatusBadRequest, "the cursor is not valid here or is older than the retained window; start again from /fixtures"},
	{RequestTooLarge, http.StatusRequestEntityTooLarge, "the request is larger than the limit"},
	{InvalidAPIToken, http.StatusUnauthorized, "a valid API token is required, in the header Authorization: Bearer TOKEN or, on the socket, as auth.token"},
	{ClientSuspended, http.StatusForbidden, "the account is suspended"},
	{ClientRevoked, http.StatusForbidden, "the account is revoked"},
	{SubscriptionRequired, http.StatusForbidden, "no active subscription covers this product"},
	{FeatureNotEnabled, http.StatusForbidden, "the feature is not enabled for the account"},
	{OriginNotAllowed, http.StatusForbidden, "the origin is not on the account's list"},
	{NotFound, http.StatusNotFound, "there is nothing at this path"},
	{FixtureNotFound, http.StatusNotFound, "there is no such fixture"},
	{MarketNotFound, http.StatusNotFound, "there is no such market on the fixture"},
	{MethodNotAllowed, http.StatusMethodNotAllowed, "only GET and OPTIONS are accepted"},
	{Conflict, http.StatusConflict, "the request conflicts with the current state"},
	{ProviderNotConnected, http.StatusConflict, "no provider is connected whose plan includes this product"},
	{RateLimited, http.StatusTooManyRequests, "too many requests; wait as Retry-After says"},
	{InternalError, http.StatusInternalServerError, "the service failed; report the request id"},
	{UpstreamUnavailable, http.StatusBadGateway, "the provider could not be reached"},
	{DataNotReady, http.StatusServiceUnavailable, "the data is not ready yet"},
	{ServiceUnavailable, http.StatusServiceUnavailable, "the service is temporarily unavailable"},
}

// Codes returns all codes in the specification's order.
func Codes() []Code {
	list := make([]Code, len(codes))
	for i, c := range codes {
		list[i] = c.code
	}
	return list
}

// Status returns the HTTP status of the code.
func (c Code) Status() int {
	for i := range codes {
		if codes[i].code == c {
			return codes[i].status
		}
	}
	return http.StatusInternalServerError
}

func (c Code) message() string {
	for i := range codes {
		if codes[i].code == c {
			return codes[i].message
		}
	}
	return ""
}

func texts[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
