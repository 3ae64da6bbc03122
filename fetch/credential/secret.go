package credential

import (
	"fmt"
	"io"
	"log/slog"
)

// Mask is the text that a [Secret] prints as.
const Mask = "[redacted]"

// Secret is an opened credential. Every way of printing or encoding it gives Mask, even
// in an unexported field of another value, where fmt cannot call its methods: the text
// is behind a function, which no printer looks into. The zero value is empty.
type Secret struct{ reveal func() string }

// NewSecret wraps a text. Use Open for a sealed one.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

// Reveal returns the text, for the request that needs it and for nothing else.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Empty reports whether there is no text.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// Format implements fmt.Formatter, which comes before all others, for every verb.
func (Secret) Format(f fmt.State, _ rune) { io.WriteString(f, Mask) }

func (Secret) String() string               { return Mask }
func (Secret) GoString() string             { return Mask }
func (Secret) LogValue() slog.Value         { return slog.StringValue(Mask) }
func (Secret) MarshalText() ([]byte, error) { return []byte(Mask), nil }
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Mask + `"`), nil }
func (Secret) MarshalYAML() (any, error)    { return Mask, nil }
func (Secret) GobEncode() ([]byte, error)   { return []byte(Mask), nil }
func (Secret) MarshalBinary() ([]byte, error) {
	return []byte(Mask), nil
}

// GobDecode leaves the secret empty: only the mask was encoded.
func (s *Secret) GobDecode([]byte) error {
	*s = Secret{}
	return nil
}
