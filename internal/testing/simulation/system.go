package simulation

import "mkt/publish/football"

// system is a world with its machines, and the clients of those.
type system struct {
	*services
	workers  []*machine
	mirrors  []*mirror
	readers  []*reader
	watchers watchers      // of one machine
	listens  []*subscriber // with servers alone
	home     *life         // of the clients
	surfers  surfers
	matches  map[string]string // in play, by the account that was shown it last
}

// reader returns a client of the replicas.
func (s *system) reader(j job) *reader {
	return &reader{s: s.services, job: j, life: s.home, mirrors: s.mirrors, http: s.surfers.surfer(j)}
}

func (s *system) subscriber(j job, moves bool) *subscriber {
	c := &subscriber{reader: *s.reader(j), moves: moves}
	c.channel = &changesChannel{c}
	if j.product == football.LiveIntelligence {
		c.channel = &liveChannel{subscriber: c, matches: s.matches}
	}
	return c
}
