package betsapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"
)

// emulatedAnswer returns the emulator's answer for ten fixtures.
func emulatedAnswer(b *testing.B) []byte {
	sim, err := emulator.New(simulator.Options{Seed: 1, Now: func() time.Time { return providertest.Noon }})
	if err != nil {
		b.Fatal(err)
	}
	var ids []string
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		if f.Human && !f.Over && len(ids) < 10 {
			ids = append(ids, f.ID)
		}
	}
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v4/bet365/prematch?FI="+strings.Join(ids, ",")+"&token="+sim.Tokens()[0], nil))
	if v := betsapi.Classify(w.Code, w.Header(), w.Body.Bytes()); v.Kind != provider.Accepted {
		b.Fatalf("%+v", v)
	}
	return w.Body.Bytes()
}

func BenchmarkReadMarkets(b *testing.B) {
	bodies := map[string]func() []byte{
		"simulated": func() []byte { return emulatedAnswer(b) },
		"v3":        func() []byte { return recorded(b, "bet365-prematch/football_v3_2020-09_fulham_arsenal.json") },
		"raw":       func() []byte { return recorded(b, "bet365-prematch/football_raw_2018-06_russia_saudi.json") },
	}
	for _, name := range []string{"simulated", "v3", "raw"} {
		b.Run(name, func(b *testing.B) {
			providertest.BenchmarkReadMarkets(b, adapter, provider.Payload{Body: bodies[name]()})
		})
	}
}

func BenchmarkClassify(b *testing.B) {
	body := emulatedAnswer(b)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		betsapi.Classify(200, nil, body)
	}
}
