package emulator

import (
	"slices"
	"strconv"
	"time"

	"mkt/fetch/simulator/bookmaker"
)

// render writes the fixture's object of bet365/prematch (betsapi.md, section
// 6.1). The result is the caller's.
func (s *renderer) render() []byte {
	s.b = append(make([]byte, 0, 64<<10), `{"FI":`...)
	s.b = appendText(s.b, fixtureID(s.world, s.fixture))
	s.b = append(s.b, `,"event_id":`...)
	s.b = appendText(s.b, eventID(s.fixture))
	for _, section := range tabs {
		if section == "player_stats" {
			s.others()
			s.section(section)
			s.schedule()
			continue
		}
		s.section(section)
	}
	if s.fixture.Lot(25, oddUnknownResultField) == 0 {
		s.b = append(s.b, `,"in_play_soon":null,"market_count":"n\/a"`...)
	}
	return slices.Clip(append(s.b, '}'))
}

// section writes one section, if it has anything to show.
func (s *renderer) section(section string) {
	open := false
	for _, m := range s.offers {
		g := &catalogue[m.index]
		at := slices.Index(g.tabs, section)
		if at < 0 {
			continue
		}
		if !open {
			s.openSection(section)
			s.b = append(s.b, `"sp":{`...)
			s.twins(section)
			open = true
		}
		shell := m.stock != bookmaker.Loaded || s.shell(m.index, at)
		s.market(m.index, s.tab(section), shell, shell)
		s.b = append(s.b, ',')
	}
	switch {
	case open:
		s.b[len(s.b)-1] = '}'
		s.b = append(s.b, '}')
	case section == "minutes" && s.fixture.Lot(3, oddEmptySection) == 0:
		s.openSection(section)
		s.b = append(s.b, `"sp":[]}`...) // an empty map, as PHP writes it
	}
}

// shell reports whether a loaded market is collapsed all the same in a tab that
// is not its first.
func (s *renderer) shell(index, at int) bool {
	return at > 0 && s.fixture.Lot(9, oddHalfCollapsed, uint64(index)) == 0
}

func (s *renderer) openSection(section string) {
	c := s.tab(section)
	s.b = append(append(append(s.b, `,"`...), section...), `":{"updated_at":`...)
	s.b = appendEpoch(s.b, c.At)
	s.b = append(s.b, `,"key":`...)
	s.b = appendText(s.b, "#AC#B1#C"+leagueID(s.fixture.League)+"#D8#E"+eventID(s.fixture)+"#F8#I"+strconv.Itoa(slices.Index(tabs, section))+"#")
	s.b = append(s.b, ',')
}

// twins writes two empty markets of one name, the second key with a dash, as
// recorded under both teams' names.
func (s *renderer) twins(section string) {
	if section != "main" || s.fixture.Lot(6, oddTwinNames) != 0 {
		return
	}
	name := s.pair.names[0] + " vs " + s.pair.names[1]
	for _, end := range [...]string{"", "-"} {
		s.b = appendText(s.b, marketKey(name)+end)
		s.b = append(s.b, `:{"id":"","name":`...)
		s.b = appendText(s.b, name)
		s.b = append(s.b, `,"odds":[]},`...)
	}
}

// others writes the blocks that fill empty shells, one market each, in no
// order of time.
func (s *renderer) others() {
	open := false
	for _, m := range s.offers {
		if m.stock != bookmaker.Collapsed {
			continue
		}
		if !open {
			s.b = append(s.b, `,"others":[`...)
			open = true
		}
		c := s.MarketCopy(catalogue[m.index].of)
		s.b = append(s.b, `{"updated_at":`...)
		s.b = appendEpoch(s.b, c.At)
		s.b = append(s.b, `,"sp":{`...)
		s.market(m.index, c, false, true)
		s.b = append(s.b, "}},"...)
	}
	if open {
		s.b[len(s.b)-1] = ']'
	}
}

// market writes one copy of a market: as an empty shell, or with its rows.
// closed markets carry open 0, the copy that fills them too.
func (s *renderer) market(index int, c bookmaker.Copy, shell, closed bool) {
	g := &catalogue[index]
	s.b = append(appendText(s.b, g.key), `:{"id":`...)
	s.b = append(appendText(s.b, g.id), `,"name":`...)
	s.b = append(appendText(s.b, g.name), `,"odds":[`...)
	if !shell {
		for i, l := range s.rows(index, c) {
			if i > 0 {
				s.b = append(s.b, ',')
			}
			s.writeRow(g, l)
		}
	}
	s.b = append(s.b, ']')
	if closed {
		s.b = append(s.b, `,"open":0`...)
	}
	s.b = append(s.b, '}')
}

// writeRow writes a row, its fields in the order of 2025.
func (s *renderer) writeRow(g *market, l row) {
	s.b = append(append(append(s.b, `{"id":"`...), l.id...), `","odds":"`...)
	s.b = append(append(s.b, l.price...), '"')
	s.field("name", l.name)
	s.field("name2", l.name2)
	if l.isLabel && l.header == "" {
		s.b = append(s.b, `,"header":""`...)
	}
	s.field("header", l.header)
	if g.blank && l.handicap == "" {
		s.b = append(s.b, `,"handicap":""`...)
	}
	s.field("handicap", l.handicap)
	s.field("team", l.team)
	s.b = append(s.b, '}')
}

func (s *renderer) field(name, text string) {
	if text != "" {
		s.b = append(append(append(s.b, `,"`...), name...), `":`...)
		s.b = appendText(s.b, text)
	}
}

// schedule writes the row of prices of the fixture list: home, away, draw,
// without ids since ever, with them on some fixtures.
func (s *renderer) schedule() {
	if len(s.offers) == 0 {
		return
	}
	prices := s.PriceList().Market(bookmaker.Ref{Market: "MATCH_RESULT", Period: "FT"}).Selections
	if len(prices) != 3 {
		return
	}
	s.b = append(s.b, `,"schedule":{"updated_at":`...)
	s.b = appendEpoch(s.b, s.Since.Add(-2*time.Minute))
	s.b = append(s.b, `,"sp":{"main":[`...)
	for i, at := range [...]int{0, 2, 1} {
		if i > 0 {
			s.b = append(s.b, ',')
		}
		s.b = append(s.b, '{')
		if s.fixture.Lot(2, oddScheduleIDs) == 0 {
			s.b = append(append(append(s.b, `"id":"`...), rowID(s.Hash(0, 0, prices[at]))...), `",`...)
		}
		s.b = append(append(append(s.b, `"odds":"`...), prices[at].Price...), `"}`...)
	}
	s.b = append(s.b, `]}}`...)
}
