package feed

import "regexp"

// Prefix begins the name of every provider that is read from a feed; the name of its
// source follows: "feed:acme-odds". The whole is a part of every id.
const Prefix = "feed:"

var isSource = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`).MatchString

// Simulated is the source of the reference server.
const Simulated = "simulated"
