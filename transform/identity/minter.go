package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"mkt/publish/football"
)

// Definition is the canonical definition of a market.
type Definition struct {
	Canonical string // canonical market name
	Period    string // canonical period
	Subject   string // "", HOME, AWAY
	Parameter string // a target or ordinal of the market, "3", "FIRST"
}

// Meaning is the meaning of one selection within its market, in canonical words.
type Meaning struct{ Selection, Line, Qualifier, Subject, Subject2 string }

// Minter makes ids for one provider's data. It keeps buffers and is not safe for concurrent use:
// [Minter.Clone] returns one for another goroutine.
type Minter struct {
	provider string
	keyed    func() hash.Hash
	mac      hash.Hash // caches the keyed states: a short message costs two compressions
	message  []byte
	sum      Digest
}

// NewMinter returns a minter for a provider, whose name is part of every id.
func NewMinter(k Key, provider string) *Minter {
	keyed := func() hash.Hash { return hmac.New(sha256.New, k[:]) }
	return &Minter{provider: provider, keyed: keyed, mac: keyed(), message: make([]byte, 0, 256)}
}

// Clone returns a minter of the same ids for another goroutine.
func (m *Minter) Clone() *Minter {
	return &Minter{provider: m.provider, keyed: m.keyed, mac: m.keyed(), message: make([]byte, 0, 256)}
}

// The kinds of messages with their parts. A kind is never reused for other parts.
const (
	kindFixture   = 'f' // provider, provider fixture id
	kindMarket    = 'm' // fixture, canonical, period, subject, parameter
	kindOther     = 'o' // market, provider market key, provider market id
	kindSuffix    = 'x' // provider, provider market key, provider market id
	kindRaw       = 'r' // fixture, provider market key, provider market id
	kindMeaning   = 's' // market, selection, line, qualifier, subject, subject 2
	kindRow       = 'p' // market, provider row id
	kindLabels    = 'l' // market, field and text of each label
	kindDuplicate = 'd' // selection, and its distinction from the one with the same meaning
)

// Fixture is the identity of a provider's fixture.
func (m *Minter) Fixture(providerFixtureID string) Digest {
	m.begin(kindFixture)
	m.part(m.provider)
	m.part(providerFixtureID)
	return m.end()
}

// Market is the identity of a market with a canonical definition. If several provider markets
// share the definition, it is the identity of the one without a suffix.
func (m *Minter) Market(fixture Digest, d Definition) Digest {
	m.below(kindMarket, &fixture)
	m.part(d.Canonical)
	m.part(d.Period)
	m.part(d.Subject)
	m.part(d.Parameter)
	return m.end()
}

// Other is the identity of another provider market with the definition of market. Its id is
// market's id, "~" and Suffix.
func (m *Minter) Other(market Digest, key, providerID string) Digest {
	m.below(kindOther, &market)
	m.part(key)
	m.part(providerID)
	return m.end()
}

// Suffix distinguishes provider markets of one definition, equally on every fixture: 8
// characters.
func (m *Minter) Suffix(key, providerID string) string {
	m.begin(kindSuffix)
	m.part(m.provider)
	m.part(key)
	m.part(providerID)
	d := m.end()
	return string(appendBase32(make([]byte, 0, suffixLength), &d, suffixLength))
}

// RawMarket is the identity of a market without a canonical definition.
func (m *Minter) RawMarket(fixture Digest, key, providerID string) Digest {
	m.below(kindRaw, &fixture)
	m.part(key)
	m.part(providerID)
	return m.end()
}

// Selection is the identity of a selection with a known meaning.
func (m *Minter) Selection(market *Digest, s *Meaning) Digest {
	m.below(kindMeaning, market)
	m.part(s.Selection)
	m.part(s.Line)
	m.part(s.Qualifier)
	m.part(s.Subject)
	m.part(s.Subject2)
	return m.end()
}

// Row is the identity of a selection with only the provider's id.
func (m *Minter) Row(market *Digest, providerSelectionID string) Digest {
	m.below(kindRow, market)
	m.part(providerSelectionID)
	return m.end()
}

// Labels is the identity of a selection with only the provider's words.
func (m *Minter) Labels(market *Digest, labels []football.Label) Digest {
	m.below(kindLabels, market)
	for i := range labels {
		m.part(labels[i].Field)
		m.part(labels[i].Text)
	}
	return m.end()
}

// Duplicate is the identity of a selection with the same meaning as another one of its
// market, distinguished by parts such as the provider's row id.
func (m *Minter) Duplicate(selection Digest, parts ...string) Digest {
	m.below(kindDuplicate, &selection)
	for _, p := range parts {
		m.part(p)
	}
	return m.end()
}

func (m *Minter) begin(kind byte) { m.message = append(m.message[:0], kind) }

// below begins a message with the parent's digest. All digests have one length, so none
// precedes it.
func (m *Minter) below(kind byte, d *Digest) {
	m.message = append(append(m.message[:0], kind), d[:]...)
}

// part adds bytes after their length.
func (m *Minter) part(s string) {
	if len(s) < 0x80 { // inlined AppendUvarint
		m.message = append(append(m.message, byte(len(s))), s...)
		return
	}
	m.message = append(binary.AppendUvarint(m.message, uint64(len(s))), s...)
}

func (m *Minter) end() Digest {
	m.mac.Reset()
	m.mac.Write(m.message)
	m.mac.Sum(m.sum[:0])
	return m.sum
}
