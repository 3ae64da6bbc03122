package explain

import (
	"errors"

	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Mapped says how a published market was mapped.
type Mapped struct {
	Provider  string
	Key, Name string          // the provider's; Name is "" if it was not sent
	Rule      string          // "" if the market is RAW
	RawReason football.Reason // "" if it is not
}

// HowMapped finds a market by its id in the publication of o.At. Its errors are those of [Run].
func HowMapped(o Options, t Target) (Mapped, error) {
	if t.market == "" || t.selection != "" {
		return Mapped{}, t.not(errors.New("it is not the id of a market"))
	}
	c, err := snapshot.Find(o.Root, o.At)
	if err != nil {
		return Mapped{}, err
	}
	e := &explainer{Options: o, target: t, commit: c}
	kept, err := snapshot.IsKept(o.Root, c)
	if err != nil {
		return Mapped{}, err
	}
	if !kept {
		return Mapped{}, e.errSnapshotDeleted()
	}
	if e.manifest, err = snapshot.Open(o.Root, c); err != nil {
		return Mapped{}, err
	}
	f, err := e.find()
	if err != nil {
		return Mapped{}, err
	}
	return Mapped{Provider: f.fixture.SourceProvider, Key: f.market.ProviderMarketKey, Name: valueOr(f.market.MarketName, ""),
		Rule: valueOr(f.market.Rule, ""), RawReason: football.Reason(valueOr(f.market.RawReason, ""))}, nil
}

// WhyRaw describes a reason for a market to stay RAW, for people.
func WhyRaw(reason football.Reason) string { return whyRaw[reason] }
