package api

// Account is the data of GET /account.
type Account struct {
	ClientID  string             `json:"client_id"`
	Name      string             `json:"name"`
	Status    string             `json:"status"`
	Products  []AccountProduct   `json:"products"`
	Features  map[string]bool    `json:"features"` // enabled, and of a product with a current subscription
	Provider  AccountProviderRef `json:"provider"`
	RateLimit RateLimit          `json:"rate_limit"`
	Health    Health             `json:"health"`
}

// AccountProduct is one product and its subscription. Every product is listed.
type AccountProduct struct {
	Product  string   `json:"product"`
	Status   string   `json:"status"` // NONE, NOT_STARTED, ACTIVE, EXPIRED
	StartsAt *Time    `json:"starts_at"`
	Expires  *Time    `json:"expires_at"`
	Features []string `json:"features"` // enabled, whatever the subscription
	// CadenceMS is the longest time between two cycles as they run now, null if none runs.
	CadenceMS *int64 `json:"cadence_ms"`
}

// AccountProviderRef names the provider and its connection's status.
type AccountProviderRef struct {
	Name   *string `json:"name"`
	Status string  `json:"status"`
}

// RateLimit is the account's token bucket.
type RateLimit struct {
	Requests   int     `json:"requests"`
	PerSeconds float64 `json:"per_seconds"`
	Burst      int     `json:"burst"`
}

// AccountProvider is the data of GET /account/provider. It never has the credential; the
// hint shows at most four of its characters.
type AccountProvider struct {
	Name           *string  `json:"name"`
	Status         string   `json:"status"`
	CredentialHint *string  `json:"credential_hint"`
	Capabilities   []string `json:"capabilities"`
	LastSuccessAt  *Time    `json:"last_success_at"`
	LastAttemptAt  *Time    `json:"last_attempt_at"`
	LastError      *string  `json:"last_error"` // a code of a closed set; null after a successful run
}

// Usage is the data of GET /account/usage: telemetry, not a billing record.
// Days are UTC, oldest first.
type Usage struct {
	Requests      int64      `json:"requests"`       // over the days shown
	ProviderCalls int64      `json:"provider_calls"` // over the days shown
	Days          []UsageDay `json:"days"`
	FlushedAt     *Time      `json:"flushed_at"` // when the counters were last written
}

// UsageDay is one day's counters, sorted by their names.
type UsageDay struct {
	Date          string         `json:"date"`
	Requests      []RouteUsage   `json:"requests"`
	ProviderCalls []ProviderCall `json:"provider_calls"`
}

// RouteUsage counts the requests of one route.
type RouteUsage struct {
	Route   string  `json:"route"`
	Product *string `json:"product"` // null for routes of no product
	Count   int64   `json:"count"`
}

// ProviderCall counts the requests to one endpoint of the provider.
type ProviderCall struct {
	Endpoint string `json:"endpoint"`
	Count    int64  `json:"count"`
}
