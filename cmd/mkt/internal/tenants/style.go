package tenants

import "bytes"

// style is what the YAML library does not keep: the line ends, and the byte order mark that some
// editors write.
type style struct{ crlf, bom bool }

var byteOrderMark = []byte("\xef\xbb\xbf")

func styleOf(data []byte) style {
	lines, returns := bytes.Count(data, []byte("\n")), bytes.Count(data, []byte("\r\n"))
	return style{crlf: lines > 0 && lines == returns, bom: bytes.HasPrefix(data, byteOrderMark)}
}

// strip removes the style, with which the library misplaces comments.
func (s style) strip(data []byte) []byte {
	if s.bom {
		data = bytes.TrimPrefix(data, byteOrderMark)
	}
	if s.crlf {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return data
}

func (s style) apply(data []byte) []byte {
	if s.crlf {
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	}
	if s.bom {
		data = append(bytes.Clone(byteOrderMark), data...)
	}
	return data
}
