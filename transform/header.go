package transform

import (
	"time"

	"mkt/publish/snapshot"
)

// header returns the manifest without what its cycle was found to contain.
func (r *run) header() snapshot.Manifest {
	c := r.archive.Cycle()
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: r.ClientID, Product: r.Product, CycleID: r.cycle,
		Provider: c.Provider, Bookmaker: c.Bookmaker, DerivationVersion: r.engine.version,
		RawSHA256: r.archive.SHA256(), IDKeyFingerprint: r.Key.Fingerprint(), BinaryVersion: r.Version, Tables: map[string]snapshot.Table{},
		RawMarkets: map[string]int{}, NotPublishable: map[string]int{}, Counters: map[string]int64{},
	}
	if r.before != nil && r.before.RawSHA256 == "" { // an older version wrote it
		m.RawSHA256 = ""
	}
	return m
}

// stamp sets the time of the header. A re-run uses the first run's times and version of the binary.
func (r *run) stamp(m *snapshot.Manifest) {
	at := r.Now().UTC().Truncate(time.Millisecond)
	if newest := m.ProviderFetchedAt; newest != nil && at.Before(*newest) {
		at = *newest
	}
	m.ProcessedAt = &at
	if r.before != nil {
		m.ProcessedAt, m.BinaryVersion = r.before.ProcessedAt, r.before.BinaryVersion
		m.ShortTimes = r.before.ShortTimes
	}
}
