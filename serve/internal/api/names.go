package api

// IsName reports whether s has the form of a canonical name or period: 1 to 64 upper-case
// letters, digits, "_" and "-".
func IsName(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
