// Package terminal has the words that commands and answers share: how counts, sizes and times are
// written for people, the styles of words, tables that keep to the width of a terminal, the line of
// progress, and the outputs themselves, which never let a control character of foreign text
// through. It knows nothing of the rest of mkt.
package terminal
