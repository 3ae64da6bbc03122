package parquetfile

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A dictionary numbers texts of all lengths in the order in which they appear, and keeps them.
func TestDictionaryOfTexts(t *testing.T) {
	long := rapid.StringMatching(`[a\x00é]{0,12}`) // short and long ones, many alike
	rapid.Check(t, func(t *rapid.T) {
		d := dictionary{isText: true}
		for range 2 {
			var distinct []string
			for _, text := range rapid.SliceOfN(long, 0, 300).Draw(t, "texts") {
				want := slices.Index(distinct, text)
				if want < 0 {
					want = len(distinct)
					distinct = append(distinct, text)
				}
				if got := d.text(text); int(got) != want {
					t.Fatalf("%q has the number %d, want %d", text, got, want)
				}
			}
			for i, text := range distinct {
				if got := string(d.value(int32(i))); got != text {
					t.Fatalf("value %d is %q, want %q", i, got, text)
				}
			}
			d.reset()
		}
	})
}

// Short texts that differ have different keys, and none that a long text can have.
func TestShortTextsDiffer(t *testing.T) {
	texts := []string{""}
	for from := 0; len(texts[from]) < shortText; from++ {
		texts = append(texts, texts[from]+"\x00", texts[from]+"\xff", texts[from]+"a")
	}
	d := dictionary{isText: true}
	for i, text := range texts {
		if got := d.text(text); int(got) != i || d.last.key >= longText {
			t.Fatalf("%q has the number %d and the key %x", text, got, d.last.key)
		}
	}
}
