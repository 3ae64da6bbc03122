package names_test

import (
	"testing"

	"mkt/internal/evidence/names"
)

func TestMatches(t *testing.T) {
	for name, queries := range map[string][]string{
		"Beşiktaş JK":         {"besiktas", "Beşiktaş", "BEŞİKTAŞ", "jk besik", ""},
		"FC København":        {"Kobenhavn", "københavn", "fc KØB"},
		"Malmö FF":            {"Malmo", "malmö", "Malmo\u0308"},
		"İstanbul Başakşehir": {"istanbul", "Istanbul basaksehir"},
		"Kasımpaşa":           {"kasimpasa", "KASIMPAŞA"},
		"ŁKS Łódź":            {"lks lodz"},
		"Þór Akureyri":        {"thor"},
		"Großaspach":          {"grossaspach", "GROSSASPACH"},
		"Qarabağ Ağdam":       {"qarabag agdam"},
		"Đà Nẵng":             {"da nang"},
		"Спартак Йошкар-Ола":  {"спартак", "йошкар"},
		"Nott’m Forest":       {"nott'm"},
		"ＦＣ東京":                {"fc東京"},
	} {
		for _, query := range queries {
			if !names.Search(query).Matches(name) {
				t.Errorf("%q does not find %q: %q and %q", query, name, names.Fold(query), names.Fold(name))
			}
		}
	}
	for query, name := range map[string]string{"malmo aik": "Malmö FF", "besiktass": "Beşiktaş"} {
		if names.Search(query).Matches(name) {
			t.Errorf("%q finds %q", query, name)
		}
	}
	if !names.Search(" \t").Empty() || names.Search("a").Empty() {
		t.Error("what is empty is not")
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Beşiktaş\xff")
	f.Fuzz(func(t *testing.T, name string) {
		folded := names.Fold(name)
		if again := names.Fold(folded); again != folded {
			t.Errorf("%q folds to %q, which folds to %q", name, folded, again)
		}
		if !names.Search(name).Matches(name) {
			t.Errorf("%q does not find itself", name)
		}
	})
}
