package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider/all"
	"mkt/transform"
)

func newMapping(a *app) *cobra.Command {
	return group("mapping", "Look at how provider markets are mapped", newMappingCheck(a))
}

func newMappingCheck(a *app) *cobra.Command {
	var provider, pattern string
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Tell what becomes of the markets in a folder of payloads",
		Long: `Tell what becomes of the markets in a folder of payloads: how many markets and
selections there are, mapped, RAW and publishable, and every name that stays
RAW with the reason. Nothing is written.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.mappingCheck(args[0], provider, pattern)
		},
	}
	cmd.Flags().StringVar(&provider, "provider", "betsapi", "whose payloads they are: "+strings.Join(tenants.ProviderNames(), ", "))
	cmd.Flags().StringVar(&pattern, "pattern", "*.json", "file names to read")
	return cmd
}

func (a *app) mappingCheck(dir, name, pattern string) error {
	p, ok := all.Lookup(name)
	if !ok {
		return usagef("--provider %q: want %s", name, strings.Join(tenants.ProviderNames(), ", "))
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("payloads %s: no such folder", dir)
	}
	coverage, err := transform.CoverFolder(os.DirFS(dir), p, pattern)
	if err != nil {
		return fmt.Errorf("payloads %s: %w", dir, err)
	}
	if len(coverage.Payloads) == 0 {
		return fmt.Errorf("payloads %s: no file is named %s", dir, pattern)
	}
	view := coverageOf(coverage)
	if a.json() {
		err = json.NewEncoder(a.out).Encode(view)
	} else {
		err = view.print(a)
	}
	if err == nil && view.Unreadable > 0 {
		err = fmt.Errorf("%d of %d payloads cannot be read", view.Unreadable, len(view.Payloads))
	}
	return err
}

// coverageView is what mapping check tells.
type coverageView struct {
	Provider   string         `json:"provider"`
	Payloads   []payloadView  `json:"payloads"`
	Unreadable int            `json:"unreadable"`
	Raw        []rawView      `json:"raw"` // by how often, then by key
	Reasons    map[string]int `json:"not_publishable"`
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
	Error         string `json:"error,omitempty"`
}

// rawView is one market name that stays RAW.
type rawView struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Markets int    `json:"markets"`
}

func coverageOf(c transform.Coverage) coverageView {
	v := coverageView{Provider: c.Provider, Reasons: map[string]int{}}
	raw := map[rawView]int{}
	for i := range c.Payloads {
		p := &c.Payloads[i]
		t := p.Totals()
		v.Payloads = append(v.Payloads, payloadView{p.Name, p.Fixtures, t.Markets, t.Mapped, t.Raw, t.WithoutPrices, t.Selections, t.Publishable, len(p.Broken), message(p.Err)})
		if p.Err != nil {
			v.Unreadable++
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
	for r, n := range raw {
		r.Markets = n
		v.Raw = append(v.Raw, r)
	}
	slices.SortFunc(v.Raw, func(a, b rawView) int {
		return cmp.Or(cmp.Compare(b.Markets, a.Markets), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return v
}

func (v coverageView) print(a *app) error {
	w := newTableWriter(a.out)
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
	if len(v.Reasons) > 0 {
		fmt.Fprintln(w, "\nNOT PUBLISHABLE\tSELECTIONS")
		for _, reason := range slices.Sorted(maps.Keys(v.Reasons)) {
			plain.Fprintf(w, "%s\t%d\n", reason, v.Reasons[reason])
		}
	}
	return w.Flush()
}
