package backtest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/scripts/internal/backtest"
)

// reference are the baselines' figures on the 240 matches, published with them and
// computed by another program: shot AUC, shot AUC live, shot Brier, past rho, step, flip,
// available; goal AUC, goal AUC live, goal Brier, danger rho.
var reference = map[string]string{
	"constant 50":                         "0.500 0.500 0.2500 0.000 0.00 - 1.000 0.500 0.500 0.2500 0.000",
	"possession share, whole match":       "0.601 0.547 0.2418 0.366 1.15 0.021 1.000 0.673 0.572 0.2290 0.257",
	"possession share, last 10 min":       "0.584 0.545 0.2490 0.473 3.76 0.083 1.000 0.641 0.560 0.2364 0.224",
	"shot share, whole match":             "0.572 0.525 0.2740 0.381 1.34 0.011 0.952 0.674 0.603 0.2389 0.140",
	"shot share, last 10 min":             "0.549 0.525 0.3387 0.555 6.30 0.058 0.890 0.614 0.576 0.3040 0.113",
	"dangerous attack share, whole match": "0.600 0.549 0.2488 0.491 1.67 0.019 0.991 0.683 0.591 0.2281 0.240",
	"dangerous attack share, last 10 min": "0.580 0.545 0.2724 0.679 6.16 0.070 0.991 0.632 0.563 0.2539 0.196",
	"attack 1, dangerous 3, half-life 5":  "0.592 0.554 0.2492 0.729 4.97 0.105 1.000 0.646 0.569 0.2355 0.233",
}

// On the real matches the baselines have the published figures, to the last digit, which
// proves the harness; and momentum meets its targets.
func TestRealMatches(t *testing.T) {
	realMatches := needs.Shared(t, "matches")
	report, err := backtest.Run(backtest.Options{Matches: os.DirFS(realMatches), Drawings: 1})
	check.Must(t, err)
	if report.Matches != 240 || report.Minutes != 22564 {
		t.Errorf("%d matches, %d minutes", report.Matches, report.Minutes)
	}
	checked := 0
	for _, row := range report.Rows {
		if !row.Baseline {
			continue
		}
		checked++
		var got []string
		for m, f := range row.Figures {
			got = append(got, render(backtest.Metric(m), f.Value))
		}
		if want := reference[row.Name]; strings.Join(got, " ") != want {
			t.Errorf("%s\n got %s\nwant %s", row.Name, strings.Join(got, " "), want)
		}
	}
	if checked != len(reference) {
		t.Errorf("%d baselines of %d", checked, len(reference))
	}
	for _, miss := range report.Misses {
		t.Error(miss)
	}
	checkCSV(t, report)
}

func render(m backtest.Metric, v float64) string {
	switch {
	case v != v:
		return "-"
	case m == backtest.ShotBrier || m == backtest.GoalBrier:
		return fmt.Sprintf("%.4f", v)
	case m == backtest.Step:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

func checkCSV(t *testing.T, report *backtest.Report) {
	t.Helper()
	var b bytes.Buffer
	check.Must(t, report.WriteCSV(&b))
	lines, empty := 0, 0
	for s := bufio.NewScanner(&b); s.Scan(); lines++ {
		if lines == 0 && s.Text() != "match_id,period,second,home" {
			t.Errorf("header %q", s.Text())
		}
		if strings.HasSuffix(s.Text(), ",") {
			empty++
		}
	}
	if lines != report.Minutes+1 || empty != 240 {
		t.Errorf("%d lines, %d without a number: want one a minute, the first of each match without", lines, empty)
	}
}
