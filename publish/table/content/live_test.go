package content_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mkt/internal/testing/rowstest"
	"mkt/publish/durable"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// sinceTheEpoch moves the times of rows into the years that a content can have.
func sinceTheEpoch(v reflect.Value) {
	switch at, isTime := v.Addr().Interface().(*time.Time); {
	case isTime && at.UnixMilli() < 0:
		*at = time.UnixMilli(-at.UnixMilli() % (1 << 41)).UTC()
	case isTime:
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			sinceTheEpoch(v.Field(i))
		}
	case v.Kind() == reflect.Slice && v.Len() > 0:
		for i := range v.Len() {
			sinceTheEpoch(v.Index(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		sinceTheEpoch(v.Elem())
	}
}

// anyLive returns rows of a fixture as they are read from a content.
func anyLive(r *rand.Rand) (l content.LiveRows) {
	rowstest.Fill(reflect.ValueOf(&l).Elem(), r)
	sinceTheEpoch(reflect.ValueOf(&l).Elem())
	f := &l.Fixture
	f.DetailRank, f.ProviderFetchedAt = nil, time.Time{}
	for i := range l.Counters {
		l.Counters[i].FixtureID = f.FixtureID
	}
	for i := range l.Timeline {
		l.Timeline[i].FixtureID = f.FixtureID
	}
	for i := range l.Buckets {
		l.Buckets[i].FixtureID = f.FixtureID
	}
	for i := range l.Periods {
		l.Periods[i].FixtureID = f.FixtureID
	}
	return l
}

// The content of a fixture in play has its rows, and other bytes are not content.
func TestLiveContent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		l := anyLive(r)
		data := l.AppendContent(nil)
		got, err := content.ParseLive(data)
		if diff := cmp.Diff(l, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v: %s", err, diff)
		}
		changed := slices.Clone(data)
		changed[r.IntN(len(data))] ^= 1 << r.IntN(8)
		if l, err := content.ParseLive(changed); err == nil && slices.Equal(l.AppendContent(nil), data) {
			t.Fatal("two spellings of one content")
		}
	}
	for _, data := range [][]byte{nil, {0}, {0, 0}, append((&content.LiveRows{}).AppendContent(nil), 0, 0)} {
		if _, err := content.ParseLive(data); err == nil {
			t.Errorf("%x is content", data)
		}
	}
}

func FuzzLiveContent(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		l := anyLive(r)
		f.Add(l.AppendContent(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := content.ParseLive(data)
		if err == nil && string(l.AppendContent(nil)) != string(data) {
			t.Error("two spellings of one content")
		}
	})
}

// Every column changes the content, except those that it leaves out.
func TestLiveContentHasEveryColumn(t *testing.T) {
	plain := content.LiveRows{Counters: make([]table.LiveCounterRow, 1), Timeline: make([]table.LiveTimelineRow, 1), Buckets: make([]table.LiveBucketRow, 1), Periods: make([]table.LivePeriodRow, 1)}
	seen, left := map[string]string{}, []string(nil)
	content := func(name string, l content.LiveRows) {
		data := string(l.AppendContent(nil))
		switch other, taken := seen[data]; {
		case other == "nothing":
			left = append(left, name)
		case taken:
			t.Errorf("%s: the same content as %s", name, other)
		default:
			seen[data] = name
		}
	}
	seen[string(plain.AppendContent(nil))] = "nothing"
	rows := reflect.ValueOf(&plain).Elem()
	for i := range rows.NumField() {
		row := rows.Field(i)
		if row.Kind() == reflect.Slice {
			row = row.Index(0)
		}
		for k := range row.NumField() {
			field, before := row.Field(k), reflect.ValueOf(row.Field(k).Interface())
			switch field.Kind() {
			case reflect.String:
				field.SetString("x")
			case reflect.Bool:
				field.SetBool(true)
			case reflect.Int32:
				field.SetInt(7)
			case reflect.Pointer:
				field.Set(reflect.New(field.Type().Elem()))
			case reflect.Slice:
				field.Set(reflect.MakeSlice(field.Type(), 1, 1))
			default:
				field.Set(reflect.ValueOf(time.UnixMilli(7)))
			}
			content(row.Type().Name()+"."+row.Type().Field(k).Name, plain)
			field.Set(before)
		}
	}
	want := []string{"LiveRow.DetailRank", "LiveRow.ProviderFetchedAt", "LiveCounterRow.FixtureID", "LiveTimelineRow.FixtureID", "LiveBucketRow.FixtureID", "LivePeriodRow.FixtureID"}
	if !slices.Equal(left, want) {
		t.Errorf("the content leaves out %v, want %v", left, want)
	}
}

// The digests that were published stay what they are.
func TestLiveContentNeverChanges(t *testing.T) {
	r, all := rand.New(rand.NewPCG(5, 6)), []byte(nil)
	for range 100 {
		l := anyLive(r)
		all = fmt.Appendf(all, "%s\n", durable.Hash(l.AppendContent(nil)))
	}
	if got, want := durable.Hash(all), "8127eddfd1881011bc231384ba473bdceafd0c7fe42f136179405297013deda3"; got != want {
		t.Errorf("the digest of 100 contents is %s, want %s", got, want)
	}
}

// BenchmarkLiveContent is the content of a fixture with 80 minutes and 40 entries of the timeline.
func BenchmarkLiveContent(b *testing.B) {
	n, word := int32(7), "attacks"
	l := content.LiveRows{}
	for i := range 80 {
		if i < 12 {
			l.Counters = append(l.Counters, table.LiveCounterRow{Metric: word, State: "VALUE", HomeText: &word, Home: new(float64), AwayText: &word, Away: new(float64)})
		}
		if i < 40 {
			l.Timeline = append(l.Timeline, table.LiveTimelineRow{Ordinal: n, Half: &n, Minute: &n, Second: &n, State: "DANGEROUS_ATTACK", Certainty: "INFERRED", SideProven: "HOME"})
		}
		l.Buckets = append(l.Buckets, table.LiveBucketRow{Minute: n, State: "VALUE", Home: &n, Away: &n})
	}
	var data []byte
	for b.Loop() {
		data = l.AppendContent(data[:0])
	}
	b.SetBytes(int64(len(data)))
}
