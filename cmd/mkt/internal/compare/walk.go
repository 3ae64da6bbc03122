package compare

import "cmp"

// half is the tables of one side, at a fixture.
type half interface {
	id() string // of the fixture at hand, "" behind the last
	about(What) Change
	pass() error // goes on to the next fixture, whatever was read of this one
	fixtures() int64
	close()
}

// walk reads both sides abreast, fixture by fixture in the order of their ids, and
// has both compare one that both have.
func walk[H half](r *run, open func(Side) (H, error), both func(a, b H) error) error {
	a, err := open(r.A)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := open(r.B)
	if err != nil {
		return err
	}
	defer b.close()
	total := max(a.fixtures(), b.fixtures())
	for a.id() != "" || b.id() != "" {
		if err := one(r, a, b, both); err != nil {
			return err
		}
		if err := r.step(total); err != nil {
			return err
		}
	}
	return nil
}

// one compares the fixture that comes next, on one side or on both.
func one[H half](r *run, a, b H, both func(a, b H) error) (err error) {
	first := order(a.id(), b.id())
	if r.wants(a.id(), first <= 0) || r.wants(b.id(), first >= 0) {
		r.current = 0
		switch {
		case first < 0:
			r.sum.FixturesA++
			err = r.emit(a.about(FixtureRemoved))
		case first > 0:
			r.sum.FixturesB++
			err = r.emit(b.about(FixtureAdded))
		default:
			r.sum.FixturesA++
			r.sum.FixturesB++
			err = both(a, b)
			r.count()
		}
	}
	if err == nil && first <= 0 {
		err = a.pass()
	}
	if err == nil && first >= 0 {
		err = b.pass()
	}
	return err
}

// wants tells whether a fixture that comes next is asked for.
func (r *run) wants(id string, next bool) bool {
	return next && (r.Fixture == "" || r.Fixture == id)
}

// order tells which side's id comes first: both when it is 0. "" is behind all.
func order(a, b string) int {
	switch {
	case b == "" && a != "":
		return -1
	case a == "" && b != "":
		return 1
	}
	return cmp.Compare(a, b)
}
