package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// DidYouMean returns the end of a message with the word nearest to a wrong one, or "" if none is
// near.
func DidYouMean(wrong string, words ...string) string {
	wrong = strings.ToLower(wrong)
	best, least := "", 0
	for _, word := range words {
		d := distance(wrong, strings.ToLower(word))
		near := d <= len(wrong)/3+1 || wrong != "" && strings.HasPrefix(word, wrong)
		if near && (best == "" || d < least) {
			best, least = word, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// CheckWord returns an error of usage unless value is one of words. The parameter what is the flag
// or the argument.
func CheckWord(what, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	want := strings.Join(words, " or ")
	if len(words) > 2 {
		want = "one of " + strings.Join(words, ", ")
	}
	return Usagef("%s %q: want %s%s", what, value, want, DidYouMean(value, words...))
}

// distance returns how many bytes have to be inserted, deleted, replaced or swapped with
// their neighbour to make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}

// oneLetter returns the end of a message with the only flag that begins with a letter.
func oneLetter(flags *pflag.FlagSet, letter string) string {
	var found []string
	for _, name := range flagNames(flags) {
		if strings.HasPrefix(name, "--"+letter) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return "; did you mean " + found[0] + "?"
}

func flagNames(flags *pflag.FlagSet) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}
