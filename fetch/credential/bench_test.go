package credential_test

import (
	"bytes"
	"fmt"
	"testing"

	"mkt/fetch/credential"
)

// BenchmarkScrub reads answers without the credential, as nearly all of them are.
func BenchmarkScrub(b *testing.B) {
	plain, escaped, pretty := &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	for i := 0; plain.Len() < 4<<20; i++ {
		fmt.Fprintf(plain, `{"id":"%d","odds":"1.%02d","name":"Over 2.5","home":"Entente Durance","handicap":"-0.5"},`, i, i%100)
		fmt.Fprintf(escaped, `{"id":"%d","odds":"1\/%02d","name":"\u00dcber 2,5","home":"\u041b\u043e\u043a\u043e\u043c\u043e\u0442\u0438\u0432","u":"a%%20b&amp;c"},`, i, i%100)
		fmt.Fprintf(pretty, "  {\n    \"id\": \"%d\",\n    \"odds\": \"1.%02d\"\n  },\n", i, i%100)
	}
	s := credential.NewScrubber(credential.NewSecret("96142-7b29b533097f1a"))
	for _, c := range []struct {
		name string
		body []byte
	}{{"plain", plain.Bytes()}, {"escaped", escaped.Bytes()}, {"pretty", pretty.Bytes()}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			for range b.N {
				if _, found := s.Scrub(c.body); found {
					b.Fatal("found")
				}
			}
		})
	}
}
