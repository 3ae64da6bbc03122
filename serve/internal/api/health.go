package api

import "time"

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

// Time is a time as the contract writes it: UTC, with milliseconds.
type Time time.Time

// TimeOf is a nullable time; nil stays nil.
func TimeOf(t *time.Time) *Time { return (*Time)(t) }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) { return appendTime(nil, time.Time(t)), nil }
