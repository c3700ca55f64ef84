package input

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// version finds the 1.1 of a declaration. Such documents, as Hadoop writes them, are read as those of version 1.0, which differ in control characters alone.
var version = regexp.MustCompile(`^\x{feff}?<\?xml\s+version\s*=\s*["'](1\.1)["']`)

// XML decodes a document of an administrator: in UTF-8, or as its byte order mark or declaration says in UTF-16, US-ASCII or ISO-8859-1. One that declares another encoding gives
// an [EncodingError] as it is read.
func XML(text []byte) (*xml.Decoder, error) {
	text, wide := fromUTF16(text)
	if !utf8.Valid(text) && !declaresEncoding(text) {
		return nil, notUTF8(text)
	}
	if at := version.FindSubmatchIndex(text); at != nil {
		text = slices.Concat(text[:at[2]], []byte("1.0"), text[at[3]:])
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(charset string, r io.Reader) (io.Reader, error) {
		if wide && strings.HasPrefix(strings.ToLower(charset), "utf-16") {
			return r, nil
		}
		return latin1Reader(charset, r)
	}
	return d, nil
}

// notUTF8 says where the first byte is that is none of UTF-8.
func notUTF8(text []byte) error {
	at := 0
	for {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n < 2 {
			break
		}
		at += n
	}
	return fmt.Errorf("the text is not UTF-8: line %d has the byte 0x%02x; where it is in ISO-8859-1, the declaration <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?> before it says so", 1+bytes.Count(text[:at], []byte("\n")), text[at])
}

// fromUTF16 turns a text with the byte order mark of UTF-16 into UTF-8, as Java's parsers do; wide tells that it was one.
func fromUTF16(text []byte) (out []byte, wide bool) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return text, false
	}
	var units []uint16
	for rest := text[2:]; len(rest) >= 2; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out, true
}

// An EncodingError names an encoding that Java reads and this program does not.
type EncodingError struct{ Charset string }

func (e *EncodingError) Error() string {
	if strings.HasPrefix(strings.ToLower(e.Charset), "utf-16") {
		return fmt.Sprintf("encoding %s is declared, and the text has no byte order mark of it: want another declaration, or a text in UTF-16", e.Charset)
	}
	return fmt.Sprintf("encoding %s is not read here, want UTF-8, UTF-16, US-ASCII or ISO-8859-1", e.Charset)
}

// An ASCIIError names a byte that is none of the US-ASCII that its document declares.
type ASCIIError struct{ Byte byte }

func (e *ASCIIError) Error() string {
	return fmt.Sprintf("byte %d is not in US-ASCII, which the document declares", e.Byte)
}

func declaresEncoding(text []byte) bool {
	head := text[:min(len(text), 200)]
	return bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("encoding"))
}

// latin1Reader supports the encodings besides UTF-8 that configuration files declare.
func latin1Reader(charset string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "us-ascii", "ascii", "iso-8859-1", "latin1":
	default:
		return nil, &EncodingError{charset}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(b))
	ascii := strings.HasSuffix(strings.ToLower(charset), "ascii")
	for _, c := range b {
		if ascii && c >= utf8.RuneSelf {
			return nil, &ASCIIError{c}
		}
		out = utf8.AppendRune(out, rune(c))
	}
	return bytes.NewReader(out), nil
}
