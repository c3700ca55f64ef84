package eventlog

import "bytes"

// unread are the fields, to the first byte of their values, that no event is read for, and that are most of a log's bytes.
var unread = [][]byte{[]byte(`"Accumulables":[`), []byte(`"Task Executor Metrics":{`)}

// withoutUnread empties the unread fields of a line, in its own memory: of them it is looked at no further than where
// they end. A line in which they do not end stays as it is from there.
func withoutUnread(line []byte) []byte {
	for _, field := range unread {
		at := 0 // what is done
		for {
			i := bytes.Index(line[at:], field)
			if i < 0 {
				break
			}
			begin := at + i + len(field)
			n := inside(line[begin:])
			if n < 0 {
				break
			}
			line = append(line[:begin], line[begin+n:]...)
			at = begin + 1
		}
	}
	return line
}

// inside returns how many bytes of text stand before the bracket that closes one which was opened before it; -1 if none does.
func inside(text []byte) int {
	depth := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
