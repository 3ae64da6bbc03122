package strictjson

import "bytes"

// Count returns at least as many values and keys as a JSON text holds, and at most a
// few more: an empty array or object counts twice. It stops beyond most. It needs no
// memory, so it can be called before anything is decoded. For a text other than JSON the
// result is meaningless.
func Count(body []byte, most int) int {
	n := 1
	for i := 0; i < len(body) && n <= most; i++ {
		switch body[i] {
		case ',', ':', '[', '{':
			n++
		case '"':
			i = endOfString(body, i)
		}
	}
	return n
}

// atMost returns as many values and keys as Count or more. It also counts the content of
// strings as values, which is much faster.
func atMost(body []byte) int {
	n := 1
	for _, c := range []byte(",:[{") {
		n += bytes.Count(body, []byte{c})
	}
	return n
}

// endOfString returns where the string that begins at i ends, or the end of the text.
func endOfString(body []byte, i int) int {
	for i++; i < len(body); i++ {
		j := bytes.IndexByte(body[i:], '"')
		if j < 0 {
			return len(body)
		}
		i += j
		escapes := 0
		for body[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return len(body)
}
