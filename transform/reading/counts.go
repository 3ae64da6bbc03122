package reading

import "fmt"

// Total returns the sum of counts.
func Total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Sums returns a copy of counts, never nil.
func Sums(counts map[string]int) map[string]int {
	all := make(map[string]int)
	Add(all, counts)
	return all
}

// Add adds counts to all, by name.
func Add(all, counts map[string]int) {
	for name, n := range counts {
		all[name] += n
	}
}

// MostOften names the most frequent damage, for a message; "" if there is none.
func MostOften(damaged map[string]int) string {
	most := ""
	for what, n := range damaged {
		if most == "" || n > damaged[most] || n == damaged[most] && what < most {
			most = what
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf(" (most often %q, %d times)", most, damaged[most])
}
