package objects

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/valyala/fastjson"
)

// walk lists all members of all objects of a text; members called list by their elements.
func walk(in io.Reader) (out []string, err error) {
	r := NewReader(in)
	for {
		if err := r.Next(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return out, err
		}
		for {
			name, ok, err := r.Member()
			if err != nil {
				return out, err
			}
			if !ok {
				break
			}
			switch name {
			case "list":
				err = r.Elements(func(line int, text []byte) error {
					out = append(out, fmt.Sprintf("%d:%s", line, text))
					return nil
				})
			case "skip":
				err = r.Skip()
			default:
				var v []byte
				if v, err = r.Value(); err == nil {
					out = append(out, name+"="+string(v))
				}
			}
			if err != nil {
				return out, err
			}
		}
		out = append(out, fmt.Sprintf("end at %d", r.Line()))
	}
}

func TestReader(t *testing.T) {
	for _, tt := range []struct{ text, want, err string }{
		{"", "", ""},
		{" \n", "", ""},
		{`{}{"a":1}`, "end at 1 a=1 end at 1", ""},
		{"{\"a\": \"x\\\"}{\\\\\",\n\"b\":[1,{\"c\":2}],\"d\" : null }\n\n{\"e\":true}", "a=\"x\\\"}{\\\\\" b=[1,{\"c\":2}] d=null end at 2 e=true end at 4", ""},
		{"{\"list\":[\n1,\n{\"x\":\n[]}, \"q\" ],\"skip\":[{},[[]]],\"skip\":{\"y\":1}}", `2:1 3:{"x":` + "\n" + `[]} 4:"q" end at 4`, ""},
		{`{"list":null}{"list":[]}`, "end at 1 end at 1", ""},
		{`{"list":3}`, "", `line 1: want an array, found '3'`},
		{`{"a":1},{}`, "a=1 end at 1", "line 1: objects follow each other with a comma, want none"},
		{`[{}]`, "", `line 1: want an object, found an array: jq -c '.[]' FILE makes objects of it`},
		{"{\"a\":1\n", "a=1", "line 2: the text ends within an object"},
		{`{"a":`, "", "line 1: the text ends within an object"},
		{`{"a":"x`, "", "line 1: the text ends within an object"},
		{`{"a" 1}`, "", "line 1: want a colon, found '1'"},
		{`{a:1}`, "", "line 1: want the name of a member, found 'a'"},
		{`{"a":1 "b":2}`, "a=1", `line 1: want a comma or }, found '"'`},
		{`{"a":}`, "", `line 1: want a value, found '}'`},
		{`{"list":[1,]}`, "1:1", `line 1: want a value, found ']'`},
		{`{"a":1}// end`, "a=1 end at 1", "line 1: want JSON, found /: for comments there is --json-comments"},
	} {
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(tt.text), "by bytes": iotest.OneByteReader(strings.NewReader(tt.text))} {
			got, err := walk(in)
			if strings.Join(got, " ") != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("%s %q: %q, %v; want %q, %s", name, tt.text, strings.Join(got, " "), err, tt.want, tt.err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := walk(io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	r := NewReader(io.MultiReader(strings.NewReader(`{"a":"`), endless{}))
	r.most = 1 << 20
	err := r.Next()
	if err == nil {
		_, _, err = r.Member()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Value(); err == nil || !strings.Contains(err.Error(), "longer than 1048576 bytes") {
		t.Errorf("%v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestUncommented(t *testing.T) {
	const text = "{\"a//b\":\"/*\\\"*/\", // one\n\"c\":1 /* two\n * / ** */ , \"d\":2}//"
	for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		got, err := walk(Uncommented(in))
		if want := "a//b=\"/*\\\"*/\" c=1 d=2 end at 3"; strings.Join(got, " ") != want || err != nil {
			t.Errorf("%q, %v; want %q", strings.Join(got, " "), err, want)
		}
	}
	if all, err := io.ReadAll(Uncommented(strings.NewReader("a/b/"))); string(all) != "a/b/" || err != nil {
		t.Errorf("%q, %v", all, err)
	}
}

func TestValues(t *testing.T) {
	var p Parser
	v, err := p.Object([]byte(`{"n":5,"s":" 6 ","f":1.5,"t":"x","z":null,"big":99999999999999999999,"o":{},"whole":-8.0,"text":"9.0","e":1e3}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"n": "5", "s": "6", "whole": "-8", "text": "9", "e": "e is 1e3, want a whole number", "f": "f is 1.5, want a whole number", "t": `t is "x", want a whole number`, "z": "7", "none": "7",
		"big": "big is 99999999999999999999, want a whole number", "o": "o is {}, want a whole number",
	} {
		n, err := Int(v, name, 7)
		if got := fmt.Sprint(n); err == nil && got != want || err != nil && err.Error() != want {
			t.Errorf("%s: %d, %v; want %s", name, n, err, want)
		}
	}
	for name, want := range map[string]string{"n": "5", "t": "x", "z": "", "none": "", "o": "o is {}, want text"} {
		s, err := Text(v, name)
		if err == nil && s != want || err != nil && err.Error() != want {
			t.Errorf("%s: %q, %v; want %s", name, s, err, want)
		}
	}
	if s, ok := TextOf(fastjson.MustParse("\"\xff\"")); s != "\xff" || !ok {
		t.Errorf("%q", s)
	}
	for _, text := range []string{"[1", strings.Repeat("[", 1000), "5"} {
		if v, err := p.Object([]byte(text)); err == nil {
			t.Errorf("%.20s is %v", text, v)
		}
	}
}

// Whatever the text: nothing panics or hangs, and a text read by bytes is the same as one read whole.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x"]}{"list":[{},2]}`, "{\"a\":\"\\\"\"}\n//", "Չ", `{"skip":[[]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, errA := walk(strings.NewReader(text))
		b, errB := walk(iotest.OneByteReader(strings.NewReader(text)))
		if fmt.Sprint(a, errA) != fmt.Sprint(b, errB) {
			t.Errorf("%q, %v and %q, %v", a, errA, b, errB)
		}
	})
}
