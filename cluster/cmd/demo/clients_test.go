package main

import "testing"

// The clients notice an event that is missing, and one that comes twice.
func TestFollowerCountsGaps(t *testing.T) {
	for _, test := range []struct {
		seqs    []uint64
		missing int
	}{
		{[]uint64{8, 9, 10}, 0},
		{[]uint64{8, 10}, 1},
		{[]uint64{9}, 1},
		{[]uint64{8, 8, 9}, 1},
		{nil, 0},
	} {
		f := follower{seq: 7}
		f.take(test.seqs)
		if f.missing != test.missing || f.events != len(test.seqs) {
			t.Errorf("%v after 7: %d missing of %d events", test.seqs, f.missing, f.events)
		}
	}
}
