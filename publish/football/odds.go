package football

// PlainDecimal reports whether s can be written as a JSON number digit by digit: digits
// without a needless leading zero, and at most one point between digits. No sign, no
// exponent; at most 18 characters.
func PlainDecimal(s string) bool {
	if len(s) == 0 || len(s) > 18 {
		return false
	}
	point := -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
		case c == '.' && point < 0 && i > 0 && i < len(s)-1:
			point = i
		default:
			return false
		}
	}
	whole := point
	if whole < 0 {
		whole = len(s)
	}
	return whole == 1 || s[0] != '0'
}
