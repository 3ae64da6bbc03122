package diff_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mkt/publish/table/diff"
)

// pairsOf formats the pairs of two sorted lists of letters.
func pairsOf(old, new string) (text string, err error) {
	compare := func(a, b *string) int { return cmp.Compare(*a, *b) }
	word := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	for p, err := range diff.Pairs(diff.Each(strings.Fields(old)), diff.Each(strings.Fields(new)), compare) {
		if err != nil {
			return text, err
		}
		text += fmt.Sprintf("%s%s ", word(p.Old), word(p.New))
	}
	return text, nil
}

func TestPairs(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{"a b", "", "a- b- "},
		{"", "a b", "-a -b "},
		{"a b d", "b c d e", "a- bb -c dd -e "},
		{"c", "a b", "-a -b c- "},
	} {
		if got, err := pairsOf(test.old, test.new); err != nil || got != test.want {
			t.Errorf("%q and %q give %q, %v; want %q", test.old, test.new, got, err, test.want)
		}
	}
}

// An error of either sequence ends the iteration.
func TestPairsEndWithAnError(t *testing.T) {
	broken := errors.New("broken")
	failing := func(yield func(*string, error) bool) {
		a := "a"
		if yield(&a, nil) {
			yield(nil, broken)
		}
	}
	for i, sides := range [][2]string{{"a", ""}, {"", "a"}} {
		old, new := diff.Each(strings.Fields(sides[0])), diff.Each(strings.Fields(sides[1]))
		if i == 0 {
			old = failing
		} else {
			new = failing
		}
		n := 0
		var last error
		for _, err := range diff.Pairs(old, new, func(a, b *string) int { return cmp.Compare(*a, *b) }) {
			n, last = n+1, err
		}
		if n != 2 || last != broken {
			t.Errorf("%d pairs, the last with error %v", n, last)
		}
	}
}
