package main

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a flag that takes one of a few words.
type choice struct {
	value string
	words []string
}

func oneOf(value string, words ...string) choice { return choice{value, words} }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s", strings.Join(c.words, " or "))
	}
	c.value = s
	return nil
}
