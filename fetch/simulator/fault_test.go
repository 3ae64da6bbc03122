package simulator_test

import (
	"strings"
	"testing"

	"mkt/fetch/simulator"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]simulator.Fault{
		"429:0.05":              {Kind: simulator.Limited, Rate: 0.05},
		" timeout:1 ":           {Kind: simulator.Timeout, Rate: 1},
		"credential:#3":         {Kind: simulator.BadCredential, Number: 3},
		"credential:#3+":        {Kind: simulator.BadCredential, Number: 3, Onward: true},
		"500:#4+@live":          {Kind: simulator.ServerError, Number: 4, Onward: true, Class: simulator.Playing},
		"shrink:1@listing":      {Kind: simulator.Shrink, Rate: 1, Class: simulator.Listing},
		"truncated:#2@markets":  {Kind: simulator.Truncated, Number: 2, Class: simulator.Markets},
		"listing-without-ids:0": {Kind: simulator.WithoutIDs},
		"500:#4@live":           {Kind: simulator.ServerError, Number: 4, Class: simulator.Playing},
		"stall:0.25":            {Kind: simulator.Stall, Rate: 0.25},
	} {
		got, err := simulator.ParseFault(text)
		if err != nil || got != want {
			t.Errorf("ParseFault(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := simulator.ParseFault(got.String()); err != nil || again != got {
			t.Errorf("%q does not read back: %+v, %v", got.String(), again, err)
		}
	}
}

func TestParseFaultErrors(t *testing.T) {
	for text, want := range map[string]string{
		"teapot:0.1":        "kinds are 429, 429-bare, 429-body, 500",
		"":                  "unknown kind",
		"429":               "no rate; write 429:0.05",
		"429:2":             "no rate between 0 and 1",
		"429:-0.1":          "no rate between 0 and 1",
		"429:NaN":           "no rate between 0 and 1",
		"500:#0":            "no request number",
		"500:#x":            "no request number",
		"500:#+":            "no request number",
		"500:#3++":          "no request number",
		"stall:#3":          "affects matches, not requests; write stall:0.1",
		"vanish:0.1@live":   "affects matches, not requests",
		"500:0.1@elsewhere": "none of [listing markets live details]",
	} {
		if _, err := simulator.ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseFault(%q): %v, want %q", text, err, want)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	f.Add("429:0.05@listing")
	f.Add("reset:#7")
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := simulator.ParseFault(text)
		if err != nil {
			return
		}
		if again, err := simulator.ParseFault(fault.String()); err != nil || again != fault {
			t.Errorf("%q: %+v reads back as %+v, %v", text, fault, again, err)
		}
	})
}
