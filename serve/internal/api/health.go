package api

import (
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// HealthStatus is the status of an account or component (specification, section 2.5).
type HealthStatus string

const (
	Healthy      HealthStatus = "HEALTHY"
	Degraded     HealthStatus = "DEGRADED"
	Down         HealthStatus = "DOWN"
	Unconfigured HealthStatus = "UNCONFIGURED"
)

// ProviderComponent is the name of the component for the provider connection. The other
// components have the names of the products.
const ProviderComponent = "provider_connection"

// Health is the state of an account's pipeline.
type Health struct {
	Status     HealthStatus `json:"status"`
	CheckedAt  Time         `json:"checked_at"`
	Components []Component  `json:"components"`
}

// Component is one part of Health. Code says why the status is not HEALTHY.
type Component struct {
	Component     string       `json:"component"`
	Status        HealthStatus `json:"status"`
	Code          *string      `json:"code"`
	LastSuccessAt *Time        `json:"last_success_at"`
	AgeMS         *int64       `json:"age_ms"`
}

// Codes of a product's component, in addition to those of runs (package health).
const (
	HealthNotScheduled = "NOT_SCHEDULED"
	HealthNoData       = string(DataNotReady)
	HealthStale        = "STALE" // the newest publication is older than two cadences
	HealthFeedStale    = string(football.FeedStale)
	// HealthClock means that a time of the newest publication is to come: the clock of a machine
	// with cycles or of this one is wrong, so nobody knows the age of the data.
	HealthClock = "CLOCK"
	// HealthQuarantined means that the newest publication is damaged, cannot be read, or killed
	// the process that loaded it. An older one is served, if there is one.
	HealthQuarantined = "SNAPSHOT_QUARANTINED"
)

// SubscriptionCode returns the code of a product without a current subscription.
func SubscriptionCode(t account.Term) string { return "SUBSCRIPTION_" + string(t) }

// HealthCodes returns all codes of components. The code of the provider connection is
// its status.
func HealthCodes() (list []string) {
	for _, t := range account.Terms() {
		if t != account.InForce {
			list = append(list, SubscriptionCode(t))
		}
	}
	list = append(list, HealthNotScheduled, HealthNoData, HealthStale, HealthFeedStale, HealthClock, HealthQuarantined)
	list = append(list, texts(health.Codes())...)
	for _, s := range ProviderStatuses() {
		if s != health.Connected {
			list = append(list, string(s))
		}
	}
	return list
}

// ProviderStatuses returns the states of a provider connection (specification,
// section 3.3).
func ProviderStatuses() []health.Connection {
	return []health.Connection{health.Unconfigured, health.Verifying, health.Connected,
		health.Degraded, health.InvalidCredential, health.Disabled}
}

// Time is a time in the format of the contract: UTC, with milliseconds.
type Time time.Time

// TimeOf converts a nullable time.
func TimeOf(t *time.Time) *Time { return (*Time)(t) }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) { return appendTime(nil, time.Time(t)), nil }
