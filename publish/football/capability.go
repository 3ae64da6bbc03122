package football

// Capability is one kind of data in a provider's plan (specification, section 2.11).
type Capability string

// The capabilities, in the order of the specification.
const (
	Prematch     Capability = "prematch"
	LiveOdds     Capability = "live_odds"
	LiveStats    Capability = "live_stats"
	LiveTimeline Capability = "timeline"
	PlayerEvents Capability = "player_events"
)

// Capabilities returns every capability, in the order of the specification.
func Capabilities() []Capability {
	return []Capability{Prematch, LiveOdds, LiveStats, LiveTimeline, PlayerEvents}
}

// Needs returns the capability needed to fetch anything of a product.
func (p Product) Needs() Capability {
	if p == LiveIntelligence {
		return LiveStats
	}
	return Prematch
}
