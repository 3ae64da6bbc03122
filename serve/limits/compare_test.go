package limits_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
	"mkt/serve/limits"
)

func compareWithOneProcess(t *testing.T, shared *limits.Shared, at time.Time, setTime func(time.Time)) {
	t.Helper()
	for i, l := range []account.Limit{
		account.DefaultLimit,
		{Requests: 7, Per: time.Second, Burst: 13},
		{Requests: 60_000, Per: time.Minute, Burst: 5},
		{Requests: 1, Per: 24 * time.Hour, Burst: 1_000_000_000},
		{Requests: 1_000_000_000, Per: time.Second, Burst: 3},
		{},
	} {
		var one gate.TokenBuckets
		random := rand.New(rand.NewPCG(1, uint64(i)))
		id := "acme" + string(rune('a'+i))
		for step := range 300 {
			at = at.Add(time.Duration(random.IntN(200_000)) * time.Microsecond / time.Duration(1+random.IntN(1000)) / 1000 * 1000).Truncate(time.Microsecond)
			setTime(at)
			want, wantErr := one.Take(t.Context(), id, l, at)
			got, gotErr := shared.Take(t.Context(), id, l, at)
			var a, b *api.Error
			if got != want || errors.As(gotErr, &a) != errors.As(wantErr, &b) || a != nil && a.RetryAfter != b.RetryAfter {
				t.Fatalf("%+v, step %d: %+v, %v, want %+v, %v", l, step, got, gotErr, want, wantErr)
			}
		}
	}
}
