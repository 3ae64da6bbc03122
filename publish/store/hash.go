package store

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// hasher is a SHA-256 in the form of package durable.
type hasher struct{ hash.Hash }

func newHash() hasher { return hasher{sha256.New()} }

func (h hasher) String() string { return hex.EncodeToString(h.Sum(nil)) }
