package api

import (
	"strings"

	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// Limits of a page (specification, section 8).
const (
	DefaultLimit = 50
	MinLimit     = 1
	MaxLimit     = 200
)

// Schema is the data of GET /schema: the words in use (specification, section 2.11). The
// fields from quality_statuses on are additions.
type Schema struct {
	APIVersion           string              `json:"api_version"`
	Products             []string            `json:"products"`
	Features             map[string][]string `json:"features"`      // all, by product
	BaseFeatures         map[string][]string `json:"base_features"` // included in a product
	ClientStatuses       []string            `json:"client_statuses"`
	ProviderStatuses     []string            `json:"provider_statuses"`
	ProviderCapabilities []string            `json:"provider_capabilities"`
	HealthStatuses       []string            `json:"health_statuses"`
	OriginTypes          []string            `json:"origin_types"`
	DerivationVersion    string              `json:"derivation_version"`
	ChangeEventTypes     []string            `json:"change_event_types"`
	ErrorCodes           []string            `json:"error_codes"`
	Pagination           PageLimits          `json:"pagination"`
	FreshnessFields      []string            `json:"freshness_fields"`
	Identity             map[string]Identity `json:"identity"`

	QualityStatuses      []string     `json:"quality_statuses"`
	QualityReasons       []string     `json:"quality_reasons"`
	SubscriptionStatuses []string     `json:"subscription_statuses"`
	Markets              []MarketTerm `json:"markets"`
	Periods              []string     `json:"periods"`        // INTERVAL stands for intervals of minutes, "a-b"
	PeriodPattern        string       `json:"period_pattern"` // of every period in an answer, intervals included

	ClockPeriods        []string `json:"clock_periods"`
	VisualStates        []string `json:"visual_states"`
	TimelineCertainties []string `json:"timeline_certainties"`
	Sides               []string `json:"sides"`
	MomentumLeaders     []string `json:"momentum_leaders"`
	MomentumStrengths   []string `json:"momentum_strengths"`
	MomentumScopes      []string `json:"momentum_scopes"`
	UnavailableReasons  []string `json:"unavailable_reasons"`
	WithdrawalReasons   []string `json:"withdrawal_reasons"`
	BucketStates        []string `json:"bucket_states"`
	StatsPeriods        []string `json:"stats_periods"` // keys of periods in the stats response
	Metrics             []string `json:"metrics"`       // keys of counters, in addition to the providers' own

	HealthComponents   []string `json:"health_components"`
	HealthCodes        []string `json:"health_codes"`         // why a component is not HEALTHY
	ProviderErrorCodes []string `json:"provider_error_codes"` // last_error of the provider connection
	Channels           []string `json:"channels"`             // of the socket
	Sections           []string `json:"sections"`             // the known tabs of the providers
	ProviderMetrics    []string `json:"provider_metrics"`     // the known keys of the providers' own counters
}

// PageLimits are the limits of a page.
type PageLimits struct {
	DefaultLimit int `json:"default_limit"`
	MinLimit     int `json:"min_limit"`
	MaxLimit     int `json:"max_limit"`
}

// Identity describes one kind of id.
type Identity struct {
	Prefix       string `json:"prefix"`
	Pattern      string `json:"pattern"`
	UniqueWithin string `json:"unique_within"`
	Stability    string `json:"stability"`
}

// MarketTerm is one canonical market, as docs/vocabulary.md describes it.
type MarketTerm struct {
	Market     string   `json:"market"`
	Meaning    string   `json:"meaning"`
	Periods    []string `json:"periods"`
	Line       string   `json:"line"`       // its kind
	Selections string   `json:"selections"` // the pattern of its outcomes
	Subject    string   `json:"subject"`    // whom it is about, as a pattern
	Dimension  string   `json:"dimension"`
}

// NewSchema returns the words of the tables that define them, and the given words of
// the providers.
func NewSchema(sections, providerMetrics []string) Schema {
	return Schema{
		APIVersion:           Version,
		Products:             texts(football.Products()),
		Features:             byProduct(account.ProductFeatures),
		BaseFeatures:         byProduct(account.BaseFeatures),
		ClientStatuses:       texts(account.Statuses()),
		ProviderStatuses:     texts(ProviderStatuses()),
		ProviderCapabilities: texts(football.Capabilities()),
		HealthStatuses:       texts([]HealthStatus{Healthy, Degraded, Down, Unconfigured}),
		OriginTypes:          texts([]football.Origin{football.Raw, football.Mapped, football.Derived, football.Composed}),
		DerivationVersion:    football.DerivationVersion,
		ChangeEventTypes:     []string{FixtureMarketsUpdated, FixtureRemoved},
		ErrorCodes:           texts(Codes()),
		Pagination:           PageLimits{DefaultLimit, MinLimit, MaxLimit},
		FreshnessFields:      []string{"provider_fetched_at", "processed_at", "published_at", "age_ms"},
		Identity: map[string]Identity{
			"fixture_id":   {"fx_", football.FixtureIDPattern, "account", "for ever"},
			"market_id":    {"mk_", football.MarketIDPattern, "fixture", "for ever"},
			"selection_id": {"sl_", football.SelectionIDPattern, "market", "for ever"},
		},
		QualityStatuses:      texts(football.Statuses()),
		QualityReasons:       texts(football.QualityReasons()),
		SubscriptionStatuses: texts(account.Terms()),
		Markets:              marketTerms(),
		Periods:              append(football.Periods(), football.Interval),
		PeriodPattern:        "^(" + strings.Join(football.Periods(), "|") + "|[0-9]{1,3}-[0-9]{1,3})$",
		ClockPeriods:         texts(football.Phases()),
		VisualStates:         texts(football.VisualStates()),
		TimelineCertainties:  texts(football.Certainties()),
		Sides:                texts(football.Sides()),
		MomentumLeaders:      texts(football.Leaders()),
		MomentumStrengths:    texts(football.Strengths()),
		MomentumScopes:       texts([]football.Scope{football.ScopeFixture}),
		UnavailableReasons:   texts(football.UnavailableReasons()),
		WithdrawalReasons:    texts(football.WithdrawalReasons()),
		BucketStates:         bucketStates(),
		StatsPeriods:         halfKeys,
		Metrics:              texts(football.Metrics()),
		HealthComponents:     append(texts(football.Products()), ProviderComponent),
		HealthCodes:          HealthCodes(),
		ProviderErrorCodes:   texts(health.FetchCodes()),
		Channels:             texts(Channels()),
		Sections:             append([]string{}, sections...),
		ProviderMetrics:      append([]string{}, providerMetrics...),
	}
}

func bucketStates() (words []string) {
	for _, s := range football.BucketStates() {
		words = append(words, bucketWords[s])
	}
	return words
}

func byProduct(features func(football.Product) []string) map[string][]string {
	m := map[string][]string{}
	for _, p := range football.Products() {
		m[string(p)] = features(p)
	}
	return m
}

func marketTerms() []MarketTerm {
	terms := football.Vocabulary()
	list := make([]MarketTerm, len(terms))
	for i, t := range terms {
		list[i] = MarketTerm{t.Canonical, t.Meaning, t.Periods, string(t.Line), t.Selections, t.Subject, t.Dimension}
	}
	return list
}
