package evidence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/transform"
)

type coverageView struct {
	Provider   string         `json:"provider"`
	Payloads   []payloadView  `json:"payloads"`
	Unreadable int            `json:"unreadable"`
	Nameless   int            `json:"without_names"` // fixtures without the name of a team
	Raw        []rawView      `json:"raw"`           // by how often, then by key
	Reasons    map[string]int `json:"not_publishable"`
	Damaged    map[string]int `json:"damaged"`        // parts that could not be read
	Unknown    map[string]int `json:"unknown_fields"` // fields that no reader knows

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

// rawView is the name of a market that stays RAW.
type rawView struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Markets int    `json:"markets"`
}

func coverageOf(c transform.Coverage) coverageView {
	v := coverageView{Provider: c.Provider, Reasons: map[string]int{}, Damaged: map[string]int{}, Unknown: map[string]int{}}
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
	if v.Nameless > 0 {
		fmt.Fprintf(w, "\n%s without the names of both teams: markets that are recognized by a name stay RAW.%s\n", cli.Plural(v.Nameless, "fixture"), v.hint)
	}
	return w.Flush()
}
