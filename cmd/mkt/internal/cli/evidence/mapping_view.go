package evidence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/transform"
	"mkt/transform/markets"
)

type coverageView struct {
	Provider   string          `json:"provider"`
	Payloads   []payloadView   `json:"payloads"`
	Unreadable int             `json:"unreadable"`
	Nameless   int             `json:"without_names"` // fixtures without the name of a team
	Raw        []rawView       `json:"raw"`           // by how often, then by key
	Reasons    map[string]int  `json:"not_publishable"`
	Damaged    map[string]int  `json:"damaged"`        // parts that could not be read
	Unknown    map[string]int  `json:"unknown_fields"` // fields that no reader knows
	Suspicions []suspicionView `json:"suspicions"`     // by kind

	hint string // how to name teams
}

type payloadView struct {
	Payload       string `json:"payload"`
	Fixtures      int    `json:"fixtures"`
	Markets       int    `json:"markets"`
	Mapped        int    `json:"mapped"`
	Raw           int    `json:"raw"`
	WithoutPrices int    `json:"without_prices"`
	Selections    int    `json:"selections"`
	Publishable   int    `json:"publishable"`
	Broken        int    `json:"broken"`
	WithoutNames  int    `json:"without_names"`
	Error         string `json:"error,omitempty"`
}

// suspicionView is the markets of one kind of suspicion. It has the first few of them.
type suspicionView struct {
	Kind     string        `json:"kind"`
	Markets  int           `json:"markets"`
	Examples []exampleView `json:"examples"`
}

// maxExamples is how many markets are shown of each kind of suspicion.
const maxExamples = 3

type exampleView struct {
	Payload string `json:"payload"`
	Fixture string `json:"provider_fixture_id"`
	Key     string `json:"key"`
	Market  string `json:"market"`
	Period  string `json:"period"`
	Subject string `json:"subject,omitempty"`
	Seen    string `json:"seen"`
}

// rawView is the name of a market that stays RAW.
type rawView struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Markets int    `json:"markets"`
}

func coverageOf(c transform.Coverage) coverageView {
	v := coverageView{Provider: c.Provider, Reasons: map[string]int{}, Damaged: map[string]int{}, Unknown: map[string]int{}}
	suspicions := map[markets.Suspicion]suspicionView{}
	raw, nameless := map[rawView]int{}, map[string]bool{}
	for i := range c.Payloads {
		p := &c.Payloads[i]
		t := p.Totals()
		v.Payloads = append(v.Payloads, payloadView{p.Name, p.Fixtures, t.Markets, t.Mapped, t.Raw, t.WithoutPrices, t.Selections, t.Publishable, len(p.Broken), len(p.WithoutNames), cli.Message(p.Err)})
		for _, id := range p.WithoutNames {
			nameless[id] = true
		}
		if p.Err != nil {
			v.Unreadable++
		}
		for what, n := range p.Damaged {
			v.Damaged[what] += n
		}
		for name, n := range p.Unknown {
			v.Unknown[name] += n
		}
		for _, m := range p.Suspicions {
			of := suspicions[m.Kind]
			if of.Markets++; len(of.Examples) < maxExamples {
				of.Examples = append(of.Examples, exampleView{p.Name, m.Fixture, m.Key, m.Canonical, m.Period, m.Subject, m.Seen})
			}
			suspicions[m.Kind] = of
		}
		for k := range p.Markets {
			m := &p.Markets[k]
			if m.RawReason != "" && !m.WithoutPrices {
				raw[rawView{Key: m.Key, Name: m.Name, Reason: string(m.RawReason)}]++
			}
			for reason, n := range m.Reasons {
				v.Reasons[string(reason)] += n
			}
		}
	}
	v.Nameless = len(nameless)
	v.Suspicions = []suspicionView{}
	for _, kind := range slices.Sorted(maps.Keys(suspicions)) {
		of := suspicions[kind]
		of.Kind = kind.String()
		v.Suspicions = append(v.Suspicions, of)
	}
	for r, n := range raw {
		r.Markets = n
		v.Raw = append(v.Raw, r)
	}
	slices.SortFunc(v.Raw, func(a, b rawView) int {
		return cmp.Or(cmp.Compare(b.Markets, a.Markets), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return v
}

func (v coverageView) print(g *Group) error {
	w := cli.NewTableWriter(g.Out)
	fmt.Fprintln(w, "PAYLOAD\tFIXTURES\tMARKETS\tMAPPED\tRAW\tNO PRICES\tSELECTIONS\tPUBLISHABLE")
	for _, p := range v.Payloads {
		if p.Error != "" {
			plain.Fprintf(w, "%s\tcannot be read: %s\n", p.Payload, p.Error)
			continue
		}
		plain.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", p.Payload, p.Fixtures, p.Markets, p.Mapped, p.Raw, p.WithoutPrices, p.Selections, p.Publishable)
	}
	if len(v.Raw) > 0 {
		fmt.Fprintln(w, "\nRAW\tNAME\tREASON\tMARKETS")
		for _, r := range v.Raw {
			plain.Fprintf(w, "%s\t%s\t%s\t%d\n", r.Key, r.Name, r.Reason, r.Markets)
		}
	}
	for _, part := range []struct {
		head   string
		counts map[string]int
	}{{"NOT PUBLISHABLE\tSELECTIONS", v.Reasons}, {"DAMAGED\tPARTS", v.Damaged}, {"UNKNOWN FIELD\tTIMES", v.Unknown}} {
		if len(part.counts) > 0 {
			fmt.Fprintln(w, "\n"+part.head)
		}
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			plain.Fprintf(w, "%s\t%d\n", name, part.counts[name])
		}
	}
	if len(v.Suspicions) > 0 {
		fmt.Fprintln(w, "\nSUSPICION\tMARKETS\tEXAMPLE\tSEEN")
	}
	for _, of := range v.Suspicions {
		for i, e := range of.Examples {
			kind, n := "", ""
			if i == 0 {
				kind, n = of.Kind, fmt.Sprint(of.Markets)
			}
			plain.Fprintf(w, "%s\t%s\t%s\t%s\n", kind, n, strings.TrimSpace(e.Payload+" "+e.Fixture+" "+e.Key+": "+e.Market+" "+e.Period+" "+e.Subject), e.Seen)
		}
	}
	if v.Nameless > 0 {
		fmt.Fprintf(w, "\n%s without the names of both teams: markets that are recognized by a name stay RAW.%s\n", cli.Plural(v.Nameless, "fixture"), v.hint)
	}
	return w.Flush()
}
