package cli

import (
	"fmt"
	"slices"
	"strings"
)

// Choice is the value of a flag that takes one of a few words.
type Choice struct {
	Value string
	words []string
}

// OneOf returns a choice of words with a default.
func OneOf(value string, words ...string) Choice { return Choice{value, words} }

func (c *Choice) String() string { return c.Value }
func (c *Choice) Type() string   { return strings.Join(c.words, "|") }

func (c *Choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s%s", strings.Join(c.words, " or "), DidYouMean(s, c.words...))
	}
	c.Value = s
	return nil
}
