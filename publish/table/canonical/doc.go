// Package canonical makes the rows of a cycle out of the model. Nothing makes the model out of rows again,
// since readers render rows.
package canonical
