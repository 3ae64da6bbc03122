package api

import (
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// HealthStatus is one of four words (specification, section 2.5).
type HealthStatus string

const (
	Healthy      HealthStatus = "HEALTHY"
	Degraded     HealthStatus = "DEGRADED"
	Down         HealthStatus = "DOWN"
	Unconfigured HealthStatus = "UNCONFIGURED"
)

// ProviderComponent is the component of an account's health beside its products,
// which go by their names.
const ProviderComponent = "provider_connection"

// Health is what an account's pipeline is doing.
type Health struct {
	Status     HealthStatus `json:"status"`
	CheckedAt  Time         `json:"checked_at"`
	Components []Component  `json:"components"`
}

// Component is one part of it. Code says why the status is not HEALTHY.
type Component struct {
	Component     string       `json:"component"`
	Status        HealthStatus `json:"status"`
	Code          *string      `json:"code"`
	LastSuccessAt *Time        `json:"last_success_at"`
	AgeMS         *int64       `json:"age_ms"`
}

// Codes of a product's component beside those of runs (package health).
const (
	HealthNotScheduled = "NOT_SCHEDULED"
	HealthNoData       = string(DataNotReady)
	HealthStale        = "STALE" // the newest publication is older than two cadences
	HealthFeedStale    = string(football.FeedStale)
	// HealthQuarantined: the newest publication is damaged, cannot be read, or killed
	// the process that loaded it. An older one is served, if there is one.
	HealthQuarantined = "SNAPSHOT_QUARANTINED"
)

// SubscriptionCode is the code of a product whose subscription is not in force.
func SubscriptionCode(t account.Term) string { return "SUBSCRIPTION_" + string(t) }

// HealthCodes lists every code of a component. The provider connection's is its
// status.
func HealthCodes() (list []string) {
	for _, t := range account.Terms() {
		if t != account.InForce {
			list = append(list, SubscriptionCode(t))
		}
	}
	list = append(list, HealthNotScheduled, HealthNoData, HealthStale, HealthFeedStale, HealthQuarantined)
	list = append(list, health.Codes()...)
	for _, s := range ProviderStatuses() {
		if s != health.Connected {
			list = append(list, string(s))
		}
	}
	return list
}

// Time is a time as the contract writes it: UTC, with milliseconds.
type Time time.Time

// TimeOf is a nullable time; nil stays nil.
func TimeOf(t *time.Time) *Time { return (*Time)(t) }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) { return appendTime(nil, time.Time(t)), nil }
