package requests_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/internal/testing/providertest"
)

// exchange is an exchange without a provider: no request is sent.
type exchange struct{ providertest.Fake }

func (*exchange) Now() time.Time { return time.Time{} }

func (*exchange) Get(context.Context, provider.Request) (provider.Payload, error) {
	return provider.Payload{}, provider.ErrUnreachable
}

// TestFailures: the first error is the cycle's if nothing was answered, and a used up quota
// stops it.
func TestFailures(t *testing.T) {
	x := new(exchange)
	c := requests.New(x)
	first := errors.New("first")
	c.Expect(3)
	err := c.Each(t.Context(), 3, func(_ context.Context, i int) error {
		defer c.Step()
		if i == 0 {
			c.Fail(first, "b", "a")
		}
		return nil
	})
	if err != nil || c.Err() != first || c.Stopped() || x.Done != 3 || x.Total != 3 {
		t.Errorf("%v, %v, %d of %d", err, c.Err(), x.Done, x.Total)
	}
	c.Fail(&provider.AnswerError{Verdict: provider.Verdict{Kind: provider.Limited}}, "c")
	if c.Err() != first || !c.Stopped() {
		t.Errorf("%v, stopped %v", c.Err(), c.Stopped())
	}
	c.Answered("e", "d")
	asked, err := c.Result(c.Err())
	if err != nil || !slices.Equal(asked.Failed, []string{"a", "b", "c"}) || !slices.Equal(asked.NotOffered, []string{"d", "e"}) {
		t.Errorf("%v, %+v", err, asked)
	}
}

// TestMissing: a fixture is missing only if it cannot be in a part that is not readable.
func TestMissing(t *testing.T) {
	found := map[string]bool{"1": true, "3": true}
	if got, err := requests.Missing("odds", []string{"1", "2", "3"}, found, 0); err != nil || !slices.Equal(got, []string{"2"}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := requests.Missing("odds", []string{"1", "2"}, found, 1); !errors.Is(err, decode.ErrUnreadable) {
		t.Errorf("an unreadable part and a missing fixture: %v", err)
	}
	if got, err := requests.Missing("odds", []string{"1", "3"}, found, 1); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}
