package serve

import (
	"strconv"
	"strings"
)

// matches compares validators as If-None-Match does: weakly.
func matches(headers []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, h := range headers {
		for _, candidate := range strings.Split(h, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding: gzip, or anything, unless with weight 0.
func acceptsGzip(headers []string) bool {
	others := false
	for _, h := range headers {
		for _, part := range strings.Split(h, ",") {
			name, params, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name != "gzip" && name != "x-gzip" && name != "*" {
				continue
			}
			if name != "*" {
				return !zeroWeight(params)
			}
			others = !zeroWeight(params)
		}
	}
	return others
}

// zeroWeight tells whether the parameters say q=0.
func zeroWeight(params string) bool {
	_, weight, ok := strings.Cut(strings.ToLower(strings.ReplaceAll(params, " ", "")), "q=")
	if !ok {
		return false
	}
	q, err := strconv.ParseFloat(weight, 64)
	return err == nil && q == 0
}
