package objects

import "io"

// Uncommented reads in with a space in place of each character of comments, which JSON has not: // to the end of a line and /* to */, outside
// of strings.
func Uncommented(in io.Reader) io.Reader { return &uncommented{in: in} }

type uncommented struct {
	in    io.Reader
	state byte // what the next byte is in: 0 = plain, '"' = a string, '\\' = an escape of one, '/' = a slash was kept back, 'l' = a line comment, 'b' = a block comment, '*' = a star in one
	rest  []byte
	err   error
}

func (u *uncommented) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(u.rest) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		buf := make([]byte, max(len(p), 512))
		n, err := u.in.Read(buf)
		u.err = err
		u.rest = u.clean(buf[:n])
		if err == io.EOF && u.state == '/' {
			u.rest, u.state = append(u.rest, '/'), 0
		}
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

func (u *uncommented) clean(in []byte) []byte {
	out := make([]byte, 0, len(in)+1)
	for _, c := range in {
		switch u.state {
		case 0:
			switch c {
			case '"':
				u.state = '"'
			case '/':
				u.state = '/'
				continue
			}
			out = append(out, c)
		case '"':
			switch c {
			case '"':
				u.state = 0
			case '\\':
				u.state = '\\'
			}
			out = append(out, c)
		case '\\':
			u.state = '"'
			out = append(out, c)
		case '/':
			switch c {
			case '/':
				u.state = 'l'
				out = append(out, ' ', ' ')
			case '*':
				u.state = 'b'
				out = append(out, ' ', ' ')
			default:
				u.state = 0
				if c == '"' {
					u.state = '"'
				}
				out = append(out, '/', c)
			}
		default:
			switch {
			case c == '\n':
				out = append(out, c)
				if u.state == 'l' {
					u.state = 0
				} else {
					u.state = 'b'
				}
				continue
			case u.state == '*' && c == '/':
				u.state = 0
			case u.state != 'l' && c == '*':
				u.state = '*'
			case u.state == '*':
				u.state = 'b'
			}
			out = append(out, ' ')
		}
	}
	return out
}
