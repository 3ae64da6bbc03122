package simulator

// Page is one page of a list.
type Page struct {
	Number int // from 1
	Size   int
	Total  int    // items of the whole list
	Asked  string // the request as repeated by the envelope, if a dialect's does
}

// PageOf returns the items of one page, none behind the last one.
func PageOf[T any](items []T, number, size int) ([]T, Page) {
	from := min((number-1)*size, len(items))
	return items[from:min(from+size, len(items))], Page{Number: number, Size: size, Total: len(items)}
}
