package football_test

import (
	"encoding/json"
	"testing"

	"mkt/publish/football"
)

func TestPlainDecimal(t *testing.T) {
	for _, s := range []string{"1.90", "1", "34.00", "0", "0.5", "1001", "1.830", "123456789012345678"} {
		if !football.PlainDecimal(s) {
			t.Errorf("%q is plain", s)
		}
	}
	for _, s := range []string{"", "-", ".5", "1.", "01.5", "00", "1,90", "1e3", "+1.5", "-1.5", "1.5.0", " 1.5", "1.5 ", "SP", "NaN", "١", "1234567890123456789"} {
		if football.PlainDecimal(s) {
			t.Errorf("%q is not plain", s)
		}
	}
}

func FuzzPlainDecimal(f *testing.F) {
	f.Add("1.90")
	f.Add("00.1")
	f.Fuzz(func(t *testing.T, s string) {
		if football.PlainDecimal(s) && !json.Valid([]byte(s)) {
			t.Errorf("%q is plain and no JSON number", s)
		}
	})
}
