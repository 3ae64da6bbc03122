package response

import (
	"strconv"
	"strings"
)

// matches reports whether If-None-Match contains the validator (weak comparison).
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

// acceptsGzip reports whether Accept-Encoding contains gzip or * with a weight above 0.
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

func zeroWeight(params string) bool {
	_, weight, ok := strings.Cut(strings.ToLower(strings.ReplaceAll(params, " ", "")), "q=")
	if !ok {
		return false
	}
	q, err := strconv.ParseFloat(weight, 64)
	return err == nil && q == 0
}
