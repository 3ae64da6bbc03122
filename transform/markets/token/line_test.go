package token

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseLine(t *testing.T) {
	for text, want := range map[string]string{
		"2.5, 3.0": "2.75", "2.0,2.5": "2.25", " 2.5,3.0": "2.75", "2/2.5": "2.25", "2.75": "2.75", "3": "3", "3.0": "3",
		"10.0": "10", "10": "10", "+0.5": "0.5", "-1.00": "-1", "0.0, -0.5": "-0.25", "0.0, +0.5": "0.25", "-0.5, -1.0": "-0.75",
		"0.0": "0", "-0": "0", "+0": "0", "-0.0": "0", "34.5": "34.5", "1": "1", "-3.0, -3.5": "-3.25", "3.0, 2.5": "2.75", "2 / 2.5": "2.25",
		"+1.25": "1.25", "0,0.5": "0.25", "999.75": "999.75",
	} {
		got, _, ok := ParseLine(text)
		if !ok || formatQuarters(got) != want {
			t.Errorf("%q: %s %v, want %s", text, formatQuarters(got), ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "-", "+", ".5", "2.", "2.3", "2.55", "2.500", "02.5", "00", "1000", "2,5,3", "2.5, 3.5", "2.5, 2.5", "2.25, 2.75", "2.5,", ",2.5",
		"2.5 3.0", "2.5;3.0", "Over 2.5", "2.5 goals", "--1", "+-1", "1e3", "NaN", "−1", "0,5", "-0.5/1.0", "2.5, 3.0, 3.5", "１", "2.5\u00a0", "- 1.0",
	} {
		if got, _, ok := ParseLine(text); ok {
			t.Errorf("%q is no line, got %s", text, formatQuarters(got))
		}
	}
}

// A handicap has its sign on every part but zero, or on one that leaves no doubt about the other.
func TestSigns(t *testing.T) {
	for text, want := range map[string]bool{
		"+1": true, "-1.0": true, "0": true, "0.0": true, "-0": true, "+0.0": true, "0.0, -0.5": true, "+0.5, 0.0": true, "-0.5, -1.0": true, "-0.5/0": true,
		"0.5, +1.0": true, "+0.5,1.0": true, "+0.5,1": true, // half of it without a sign, which can only be a plus
		"1": false, "1.0": false, "0.5": false, "0.0, 0.5": false, "0.5, 1.0": false, "-0.5, 1.0": false, "-1.0, 0.5": false, "0/0.5": false,
	} {
		q, sign, ok := ParseLine(text)
		if ok && sign.Handicap(q) != want || !ok && want {
			t.Errorf("%q: read %v, signs %v, a handicap %v", text, ok, sign, !want)
		}
	}
}

func TestFormatLine(t *testing.T) {
	for q, want := range map[Quarters]string{11: "2.75", 0: "0", 4: "1", 2: "0.5", 139: "34.75", 400: "100", 241: "60.25"} {
		if got := q.Total(); got != want {
			t.Errorf("%d: %s, want %s", q, got, want)
		}
	}
	for q, want := range map[Quarters]string{-3: "-0.75", 3: "+0.75", 0: "0", 4: "+1", -61: "-15.25", 61: "+15.25", 60: "+15", -60: "-15"} {
		if got := q.Handicap(); got != want {
			t.Errorf("%d: %s, want %s", q, got, want)
		}
	}
}

// Every line comes back from each of its spellings, and the signs are each other's mirror.
func TestLineSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Quarters(rapid.IntRange(-maxLine+1, maxLine-1).Draw(t, "line"))
		spellings := []string{formatQuarters(q), formatHandicap(q)}
		if q%2 != 0 {
			low, high := q-1, q+1
			sep := rapid.SampledFrom([]string{",", ", ", "/", " , "}).Draw(t, "separator")
			spellings = append(spellings, formatQuarters(low)+sep+formatQuarters(high), formatHandicap(high)+sep+formatHandicap(low))
		}
		for _, s := range spellings {
			if got, _, ok := ParseLine(s); !ok || got != q {
				t.Fatalf("%q: %d %v, want %d", s, got, ok, q)
			}
		}
		if q != 0 && strings.TrimLeft(q.Handicap(), "+-") != strings.TrimLeft((-q).Handicap(), "+-") {
			t.Fatalf("%s and %s", q.Handicap(), (-q).Handicap())
		}
	})
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"2.5, 3.0", "-0.5", "2/2.5", "0.0, -0.5", "999.75"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, sign, ok := ParseLine(s)
		if !ok {
			return
		}
		again, _, ok := ParseLine(q.Handicap())
		if !ok || again != q || q > maxLine || q < -maxLine {
			t.Errorf("%q: %s reads back as %s", s, q.Handicap(), again.Handicap())
		}
		if (sign != Unsigned) != strings.ContainsAny(s, "+-") {
			t.Errorf("%q: signs %v", s, sign)
		}
		if strings.Trim(s, "0123456789+-., /") != "" {
			t.Errorf("%q has more than a line in it: %s", s, fmt.Sprint(q))
		}
	})
}
