package backtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// twoMatches are invented: home attacks all the time in one, away in the other.
func twoMatches(t *testing.T) fs.FS {
	t.Helper()
	files := map[string]string{"matches.csv.gz": head, "a.csv.gz": "match_id,period,second,side,kind,value\n"}
	for i, side := range []string{"home", "away"} {
		id := i + 1
		files["matches.csv.gz"] += fmt.Sprintf("%d,Cup,2026,,Home,Away,1,0,1200.0,1200.0,,,0.1,3,a.csv.gz\n", id)
		for _, period := range []string{"1H", "2H"} {
			for second := 20; second < 1200; second += 40 {
				files["a.csv.gz"] += fmt.Sprintf("%d,%s,%d.0,%s,dangerous_attack,1\n", id, period, second, side)
				if second%200 == 20 {
					files["a.csv.gz"] += fmt.Sprintf("%d,%s,%d.5,%s,on_target,1\n", id, period, second, side)
				}
			}
		}
	}
	return folder(t, files)
}

func TestReport(t *testing.T) {
	report, err := Run(Options{Matches: twoMatches(t), Drawings: 20, Variants: true})
	check.Must(t, err)
	if f := report.Rows[0].Figures; f[ShotAUC].Value < 0.999 || f[ShotAUCLive].Value < 0.999 || f[Available].Value != 0.975 || f[Flip].Value != 0 {
		t.Errorf("one side attacks all the time: %+v", f)
	}
	var first, second bytes.Buffer
	check.Must(t, errors.Join(report.WriteText(&first), report.WriteCSV(&second)))
	for _, want := range []string{"2 matches, 80 full minutes of play", "| momentum | 1.000 |", "| constant 50 | 0.500 |", "| momentum less |", "target missed: momentum: shot AUC is -0.0004 above dangerous attack share, last 10 min, not 0.02", "| goal AUC |", " - |"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, first.String())
		}
	}
	if lines := strings.Split(second.String(), "\n"); lines[1] != "1,1H,60," {
		t.Errorf("csv begins %q", lines[:3])
	}
	if text, err := json.Marshal(report); err != nil || !strings.HasPrefix(string(text), `{"matches":2,"minutes":80,"rows":[{"name":"momentum","baseline":false,"figures":{"available":{"value":0.975,`) ||
		!strings.Contains(string(text), `"flip":null`) {
		t.Errorf("%v: JSON is %s", err, text)
	}
	again, err := Run(Options{Matches: twoMatches(t), Drawings: 20, Variants: true})
	check.Must(t, err)
	var repeated bytes.Buffer
	if err := again.WriteText(&repeated); err != nil || repeated.String() != first.String() {
		t.Errorf("a second run differs: %v", err)
	}
}
