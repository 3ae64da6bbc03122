package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// latencies contains the latencies of one account in one phase, in ascending order.
type latencies []time.Duration

func (l latencies) at(q float64) time.Duration { return l[min(len(l)-1, int(q*float64(len(l))))] }

// measureQuiet requests cold pages for the quiet account at its rate, without waiting for
// earlier answers: otherwise a slow answer would delay the next requests unmeasured.
func (s *system) measureQuiet(ctx context.Context, phase int) (latencies, error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	var took latencies
	var failed error
	tick := time.NewTicker(time.Second / time.Duration(s.pace))
	defer tick.Stop()
	warm := s.pace // the requests of the first second are not counted
	for n := range warm + int(s.each.Seconds()*float64(s.pace)) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		all.Go(func() {
			began := time.Now()
			status, err := s.get(ctx, "quiet", s.cold("quiet", phase*100_003+n))
			d := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("the quiet account was answered %d", status)
			}
			if err != nil {
				failed = err
				return
			}
			if n >= warm {
				took = append(took, d)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took, failed
}

// flood sends requests on all connections, each as fast as it is answered or all together
// at the given rate, and counts the answers by status.
func (s *system) flood(ctx context.Context, p phase) map[int]int {
	answers := map[int]int{}
	if p.path == nil {
		return answers
	}
	pace := rate.NewLimiter(rate.Inf, 1)
	if s.rate > 0 {
		pace = rate.NewLimiter(rate.Limit(s.rate), 1)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for c := range s.connections {
		all.Go(func() {
			for n := c; pace.Wait(ctx) == nil; n += s.connections {
				status, err := s.get(ctx, "flood", p.path(s, n))
				if err != nil {
					continue
				}
				mu.Lock()
				answers[status]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return answers
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func perSecond(answers map[int]int, each time.Duration) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		parts = append(parts, fmt.Sprintf("%d: %.0f/s", status, float64(answers[status])/each.Seconds()))
	}
	return strings.Join(parts, ", ")
}
