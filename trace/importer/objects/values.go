package objects

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"replay/trace/importer/lines"
)

// Parser parses the texts of values, into memory that is used again.
type Parser struct{ p fastjson.Parser }

// Parse returns the value of a text, valid until the next call.
func (p *Parser) Parse(text []byte) (*fastjson.Value, error) {
	if err := lines.CheckJSON(text); err != nil {
		return nil, err
	}
	v, err := p.p.ParseBytes(text)
	if err != nil {
		return nil, fmt.Errorf("no JSON: %s", shorten(err.Error(), 200))
	}
	return v, nil
}

// Object is Parse of a value that must be an object.
func (p *Parser) Object(text []byte) (*fastjson.Value, error) {
	v, err := p.Parse(text)
	if err == nil && v.Type() != fastjson.TypeObject {
		err = fmt.Errorf("want an object, found %s", Shown(v))
	}
	return v, err
}

// Shown is a value for a message.
func Shown(v *fastjson.Value) string { return shorten(v.String(), 80) }

func shorten(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "?")
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Int is the whole number of the member called name: a number, or digits as a string. Without the member, or if it is null, it is otherwise.
func Int(v *fastjson.Value, name string, otherwise int64) (int64, error) {
	x := v.Get(name)
	if x == nil || x.Type() == fastjson.TypeNull {
		return otherwise, nil
	}
	n, err := IntOf(x)
	if err != nil {
		err = fmt.Errorf("%s is %s, want a whole number", name, Shown(x))
	}
	return n, err
}

// IntOf is the whole number of a value, behind which a point and a nought may stand, as programs write that know fractions alone.
func IntOf(v *fastjson.Value) (int64, error) {
	text := ""
	switch v.Type() {
	case fastjson.TypeNumber:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		text = v.String()
	case fastjson.TypeString:
		text = strings.TrimSpace(string(v.GetStringBytes()))
	}
	return WholeOf(text)
}

// WholeOf is [IntOf] of the text of a number.
func WholeOf(text string) (int64, error) {
	return strconv.ParseInt(strings.TrimSuffix(text, ".0"), 10, 64)
}

// Text is the text of the member called name: a string, which may be no UTF-8, or a number as it stands. Without the member, or if it is null, it is "".
func Text(v *fastjson.Value, name string) (string, error) {
	x := v.Get(name)
	if x == nil {
		return "", nil
	}
	s, ok := TextOf(x)
	if !ok {
		return "", fmt.Errorf("%s is %s, want text", name, Shown(x))
	}
	return s, nil
}

// List is the list of the member called name. Without the member, or if it is null, it is empty.
func List(v *fastjson.Value, name string) ([]*fastjson.Value, error) {
	x := v.Get(name)
	if x == nil || x.Type() == fastjson.TypeNull {
		return nil, nil
	}
	list, err := x.Array()
	if err != nil {
		err = fmt.Errorf("%s is %s, want a list", name, Shown(x))
	}
	return list, err
}

// TextOf is the text of a value that is a string, number or null.
func TextOf(v *fastjson.Value) (string, bool) {
	switch v.Type() {
	case fastjson.TypeString:
		return string(v.GetStringBytes()), true
	case fastjson.TypeNumber:
		return v.String(), true
	}
	return "", v.Type() == fastjson.TypeNull
}
