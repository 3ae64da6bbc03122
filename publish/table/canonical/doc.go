// Package canonical makes the rows of a cycle out of the model. There is no way
// back: readers render rows.
package canonical
