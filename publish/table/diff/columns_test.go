package diff_test

import (
	"slices"
	"testing"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

func TestDifferences(t *testing.T) {
	line, other := "2.5", "3.5"
	base := func() table.MarketRow {
		return table.MarketRow{FixtureID: "fx", Lines: []string{"2.5"}, Market: &line,
			Selections: []table.SelectionRow{{SelectionID: "a", Line: &line}, {SelectionID: "b", Labels: []table.LabelRow{{Field: "name", Text: "x"}}}}}
	}
	for _, c := range []struct {
		name string
		edit func(*table.MarketRow)
		want []string
	}{
		{"nothing", func(*table.MarketRow) {}, nil},
		{"empty and none", func(r *table.MarketRow) { r.Sections = []string{} }, nil},
		{"a text", func(r *table.MarketRow) { r.Market = &other }, []string{"market"}},
		{"null", func(r *table.MarketRow) { r.Market = nil }, []string{"market"}},
		{"the same text elsewhere", func(r *table.MarketRow) { same := "2.5"; r.Market = &same }, nil},
		{"a list", func(r *table.MarketRow) { r.Lines = []string{"3.5"} }, []string{"lines"}},
		{"nested", func(r *table.MarketRow) { r.Selections[0].Line, r.Selections[1].Line = &other, &other }, []string{"selections.line"}},
		{"nested twice", func(r *table.MarketRow) { r.Selections[1].Labels[0].Text = "y" }, []string{"selections.labels.text"}},
		{"fewer", func(r *table.MarketRow) { r.Selections = r.Selections[:1] }, []string{"selections"}},
	} {
		b := base()
		c.edit(&b)
		if got := diff.Columns(base(), b); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	row := base()
	row.Absent = []string{"rule"}
	for name, want := range map[string]football.Field[string]{"market": football.Of("2.5"), "period": football.NullField[string](), "rule": {}, "lines": football.Of("2.5"),
		"sections": football.Of(""), "selections": football.Of("2 rows"), "selection_count": football.Of("0"), "no_such_column": {}} {
		if got := diff.Text(&row, name); got != want {
			t.Errorf("column %s: %v, want %v", name, got, want)
		}
	}
	if got := diff.Text(&table.FixtureRow{ProviderFetchedAt: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)}, "provider_fetched_at").Or(""); got != "2026-01-02T03:04:05.006Z" {
		t.Errorf("a time: %s", got)
	}
}
