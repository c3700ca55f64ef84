package conf

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"replay/engine/remark"
)

// markup begins XML, such as another configuration file.
var markup = regexp.MustCompile("^\ufeff?\\s*<[?!]?[A-Za-z][^<>]{0,80}>")

// ParseDefaults reads a spark-defaults.conf as a layer that all jobs share; name is its name in messages. The later of two values of a key counts,
// which is said. Templates are refused where a variable stands for a key, or for the value of one that decides something, unless it is a key of Spark's.
//
// Source: Utils.getPropertiesFromFile, java.util.Properties.load.
func ParseDefaults(name string, text []byte) (out Layer, said remark.List, err error) {
	if bytes.IndexByte(text, 0) >= 0 || bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return out, nil, fmt.Errorf("%s: packed, in UTF-16 or no text at all: Spark finds no key in it, want text in UTF-8", name)
	}
	if begin := markup.Find(text); begin != nil {
		return out, nil, fmt.Errorf("%s: begins with %s, in which Spark finds no key, want lines such as spark.executor.cores 4", name, bytes.TrimSpace(bytes.TrimPrefix(begin, []byte("\ufeff"))))
	}
	out = Layer{Name: name, Shared: true, Values: map[string]string{}, Lines: map[string]int{}}
	rest, n := string(text), 0
	for rest != "" {
		line, first := "", 0
		for more := true; more && rest != ""; { // a logical line goes on after an odd number of backslashes
			var natural string
			natural, rest = cutLine(rest)
			n++
			natural = strings.TrimLeft(natural, " \t\f")
			if line == "" && (natural == "" || natural[0] == '#' || natural[0] == '!') {
				break
			}
			if first == 0 {
				first = n
			}
			if more = (len(natural)-len(strings.TrimRight(natural, `\`)))%2 == 1; more {
				natural = natural[:len(natural)-1]
			}
			line += natural
		}
		if line == "" {
			continue
		}
		key, value, err := splitProperty(line)
		if err != nil {
			return out, nil, fmt.Errorf("%s: line %d: %w", name, first, err)
		}
		if remark.HasPlaceholder(key) || knownKey(key) && unfilled(value) {
			return out, nil, fmt.Errorf("%s: line %d: %s: %s", name, first, strings.TrimSpace(line), remark.NotFilledIn)
		}
		if before, twice := out.Values[key]; twice && before != value {
			said.Add(remark.Odd, first, key, "set more than once, the last value counts")
		}
		out.Values[key], out.Lines[key] = value, first
	}
	return out, said, nil
}

// cutLine cuts a text after its first line, which ends with a line feed, a carriage return or both.
func cutLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	if strings.HasPrefix(text[i:], "\r\n") {
		return text[:i], text[i+2:]
	}
	return text[:i], text[i+1:]
}

// splitProperty splits a logical line at the first white space, = or : without a backslash before it.
func splitProperty(line string) (key, value string, err error) {
	const space = " \t\f"
	end := 0
	for end < len(line) && !strings.ContainsRune(space+"=:", rune(line[end])) {
		if line[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(line))
	value = strings.TrimLeft(line[end:], space)
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], space)
	}
	if key, err = unescape(line[:end]); err != nil {
		return "", "", err
	}
	if value, err = unescape(value); err != nil {
		return "", "", err
	}
	// Spark trims all control characters but line ends.
	return key, strings.TrimFunc(value, func(r rune) bool { return r <= ' ' && r != '\r' && r != '\n' }), nil
}

func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			if text[i] != '\\' {
				out.WriteByte(text[i])
			}
			continue
		}
		i++
		switch at := slices.Index([]byte("tnrf"), text[i]); {
		case at >= 0:
			out.WriteByte("\t\n\r\f"[at])
		case text[i] == 'u':
			r, err := unicodeEscape(text[i+1:])
			if err != nil {
				return "", fmt.Errorf(`malformed \u in %q, want four hexadecimal digits`, text)
			}
			i += 4
			if pair := text[i+1:]; utf16.IsSurrogate(r) && strings.HasPrefix(pair, `\u`) {
				if low, err := unicodeEscape(pair[2:]); err == nil && utf16.DecodeRune(r, low) != utf8.RuneError {
					r = utf16.DecodeRune(r, low)
					i += 6
				}
			}
			out.WriteRune(r)
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			out.WriteRune(r)
			i += size - 1
		}
	}
	return out.String(), nil
}

// unicodeEscape is the number that four hexadecimal digits at the beginning of a text are.
func unicodeEscape(text string) (rune, error) {
	if len(text) < 4 {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseUint(text[:4], 16, 16)
	return rune(v), err
}
