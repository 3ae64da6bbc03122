package panics_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"mkt/internal/panics"
)

func described(f func()) (text string) {
	defer func() { text = panics.Describe(recover()) }()
	f()
	return ""
}

func outOfRange(list []int) int { return list[len(list)+2] }

func inLibrary() { regexp.MustCompile(strings.Repeat("(", 1)) }

func note(m map[string]int) { m["x"] = 1 }

func TestDescribe(t *testing.T) {
	for want, f := range map[string]func(){
		`^runtime error: index out of range \[3\] with length 1 in mkt/internal/panics_test\.outOfRange \(describe_test\.go:\d+\)$`: func() { outOfRange([]int{1}) },
		`^a string in mkt/internal/panics_test\.TestDescribe\.func\d+ \(describe_test\.go:\d+\)$`:                                   func() { panic("a credential") },
		`^a \*errors\.errorString in mkt/internal/panics_test\..*$`:                                                                 func() { panic(errors.New("a payload")) },
		`^assignment to entry in nil map in mkt/internal/panics_test\.note \(describe_test\.go:\d+\)$`:                              func() { note(nil) },
		// If a library panics, the function of ours that called it is named.
		`^a string in mkt/internal/panics_test\.inLibrary \(describe_test\.go:\d+\)$`: inLibrary,
	} {
		if got := described(f); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
