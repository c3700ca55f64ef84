package jsontext

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// tree makes of a value what encoding/json makes of it. twice tells of an object with a key twice, of which that takes one.
func tree(v Value) (t any, twice bool) {
	switch v.Kind() {
	case True, False:
		return v.Kind() == True, false
	case Number:
		return json.Number(v.Written()), false
	case String:
		return marked(v.Bytes()), false
	case Array:
		list := []any{}
		for e := range v.Elements {
			x, two := tree(e)
			list, twice = append(list, x), twice || two
		}
		return list, twice
	case Object:
		m := map[string]any{}
		v.Members(func(key []byte, v Value) {
			x, two := tree(v)
			name := marked(key)
			if _, has := m[name]; has || two {
				twice = true
			}
			m[name] = x
		})
		return m, twice
	}
	return nil, false
}

// marked has a mark for each byte that is not of UTF-8, as encoding/json has.
func marked(b []byte) string { return string([]rune(string(b))) }

func FuzzParser(f *testing.F) {
	for _, s := range []string{
		``, ` `, `null`, `true`, `fals`, `nulL`, ` [ 1 , -2.5e+7 , "a" ] `, `{"a":{"b":[{}]},"c":"\u00e9\ud83d\ude00\ud800\n\"\\\/"}`, `{"a":1,"a":2}`,
		`01`, `-`, `-0`, `1.`, `.1`, `1e`, `1e+`, `+1`, `0x1`, `1 2`, `[1,]`, `[,1]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":}`, `[`, `{`, `{"a":[`, `"`, `"\`, `"\u12`, `"\u12g4"`, `"\x"`,
		"\"a\tb\"", "\"a\x00\"", "\"1234567\x1f\"", "\"\xff\xfe12345678é\"", `"12345678901234567890\"1234567"`, `]`, `}`, `[}`, `{]`, "\ufeff1", `9223372036854775807`, `[[[[1]]]]`,
	} {
		f.Add([]byte(s))
	}
	var p Parser
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := p.Parse(text)
		var want any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if (err == nil) != json.Valid(text) {
			if err == nil || !strings.Contains(err.Error(), "more than 300") {
				t.Fatalf("%q: error is %v, and that it is JSON is %t", text, err, err != nil)
			}
			return
		}
		if err != nil {
			return
		}
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got, twice := tree(v); !twice && !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %#v, want %#v", text, got, want)
		}
	})
}

func TestErrors(t *testing.T) {
	p := Parser{Unread: func(key []byte) bool { return string(key) == "junk" }}
	for text, want := range map[string]string{
		`{"a":tru}`:                  `"tru}" at byte 5, want true`,
		`{"a" 1}`:                    `"1}" at byte 5, want a colon`,
		`{"a":1 "b"`:                 `"\"b\"" at byte 7, want a comma or }`,
		`[1`:                         `ends at byte 2, want a comma or ]`,
		`{"a":01}`:                   `"1}" at byte 6, want a comma or }`,
		`1 x`:                        `"x" at byte 2, want the end`,
		`{"junk":[1`:                 `ends at byte 10, want the end of junk`,
		`{"junk":[1 2],"junk":{3}}`:  ``,
		`{"junk": [1 2]}`:            `"2]}" at byte 12, want a comma or ]`,
		strings.Repeat(`{"a":`, 301): "more than 300 objects and arrays within each other at byte 1500",
		strings.Repeat("[", 300) + strings.Repeat("]", 300): ``,
		"[" + strings.Repeat("0,", 1_000_001) + "0]":        "1000001 commas, want at most 1000000 in one line",
		"[" + strings.Repeat("0,", 1_000_000) + "0]":        "",
	} {
		_, err := p.Parse([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	var p Parser
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "12": 12, "-7": -7, "999999999999999999": 999999999999999999, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63,
		"9223372036854775808": 1, "1.0": 1, "1e3": 1, `"5"`: 1, "null": 1, "123456789012345678901234567890": 1,
	} {
		v, err := p.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := v.Int(); ok && n != want || !ok && want != 1 {
			t.Errorf("%s is %d, %t", text, n, ok)
		}
	}
	if v, _ := p.Parse([]byte("-2.5e1")); true {
		if f, ok := v.Float(); f != -25 || !ok {
			t.Errorf("-2.5e1 is %v, %t", f, ok)
		}
	}
}

// A parser that has read one text takes no memory for the next.
func TestAllocations(t *testing.T) {
	var p Parser
	text := []byte(`{"a":[1,2,{"b":"c"}],"d":"eeeeeeeeeeeeeee","f":null}`)
	if n := testing.AllocsPerRun(100, func() {
		v, err := p.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v.Members(func([]byte, Value) {})
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
