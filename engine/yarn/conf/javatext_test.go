package conf

import (
	"math"
	"slices"
	"testing"
)

// What Java's library makes of text: the value, or the message of its exception.
func TestJavaNumbers(t *testing.T) {
	input := func(s string) string { return `For input string: "` + s + `"` }
	for _, tt := range []struct {
		text string
		want int64
		err  string
	}{
		{"0", 0, ""}, {"-0", 0, ""}, {"+7", 7, ""}, {"007", 7, ""},
		{"2147483647", math.MaxInt32, ""}, {"-2147483648", math.MinInt32, ""},
		{"٣٤", 34, ""}, {"1٢", 12, ""}, {"۹", 9, ""}, {"०", 0, ""}, {"-٣", -3, ""},
		{"", 0, input("")}, {" 1", 0, input(" 1")}, {"0x10", 0, input("0x10")}, {"1_000", 0, input("1_000")}, {"1.0", 0, input("1.0")},
		{"é1", 0, input("é1")}, {"٣x", 0, input("٣x")}, {"𝟗", 0, input("𝟗")}, // two surrogates, no digit by itself
	} {
		for bits, parse := range map[int]func(string) (int64, *Error){
			32: func(s string) (int64, *Error) { v, err := javaInt(s); return int64(v), err },
			64: javaLong,
		} {
			v, err := parse(tt.text)
			if v != tt.want || (err == nil) != (tt.err == "") || err != nil && (err.Text != tt.err || err.Class != "NumberFormatException") {
				t.Errorf("%q with %d bits: %d, %v; want %d, %s", tt.text, bits, v, err, tt.want, tt.err)
			}
		}
	}
	for _, s := range []string{"2147483648", "-2147483649"} {
		if v, err := javaInt(s); err == nil || v != 0 {
			t.Errorf("%s is the int %d", s, v)
		}
	}
	if v, err := javaLong("2147483648"); err != nil || v != 1<<31 {
		t.Errorf("2147483648 is the long %d, %v", v, err)
	}
	if v, err := javaLong("9223372036854775808"); err == nil {
		t.Errorf("2^63 is the long %d", v)
	}
}

func TestJavaFloats(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		text   string
		double float64
		float  float64
		err    string
	}{
		{"1.5", 1.5, 1.5, ""}, {" 1.5\t", 1.5, 1.5, ""}, {".5", .5, .5, ""}, {"5.", 5, 5, ""}, {"-2e3", -2000, -2000, ""}, {"1E-1", .1, float64(float32(.1)), ""},
		{"0.1", .1, float64(float32(.1)), ""}, {"1f", 1, 1, ""}, {"1.5D", 1.5, 1.5, ""}, {"1F", 1, 1, ""}, {"3d", 3, 3, ""},
		{"0x1p3", 8, 8, ""}, {"0x1.8p1f", 3, 3, ""}, {"0X.8P1D", 1, 1, ""}, {"0xfp0", 15, 15, ""}, {"0xdp1", 26, 26, ""},
		{"Infinity", inf, inf, ""}, {"-Infinity", -inf, -inf, ""}, {"1e39", 1e39, inf, ""}, {"-1e400", -inf, -inf, ""},
		{"", 0, 0, "empty String"}, {" \n", 0, 0, "empty String"},
		{"x", 0, 0, `For input string: "x"`}, {" 1 2 ", 0, 0, `For input string: "1 2"`}, {"1e", 0, 0, `For input string: "1e"`},
		{"0x1", 0, 0, `For input string: "0x1"`}, {"inf", 0, 0, `For input string: "inf"`}, {"Infinityf", 0, 0, `For input string: "Infinityf"`},
		{"1ff", 0, 0, `For input string: "1ff"`}, {"1_0", 0, 0, `For input string: "1_0"`},
	} {
		for bits, want := range map[int]float64{32: tt.float, 64: tt.double} {
			v, err := javaFloat(tt.text, bits)
			if v != want || (err == nil) != (tt.err == "") || err != nil && (err.Text != tt.err || err.Class != "NumberFormatException") {
				t.Errorf("%q with %d bits: %v, %v; want %v, %s", tt.text, bits, v, err, want, tt.err)
			}
		}
	}
	for _, s := range []string{"NaN", "-NaN", " +NaN "} {
		if v, err := javaFloat(s, 32); err != nil || v == v {
			t.Errorf("%q is %v, %v", s, v, err)
		}
	}
}

func TestJavaSplitAndTrim(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a,b", []string{"a", "b"}}, {"a", []string{"a"}}, {"", []string{""}}, {",", nil}, {",,", nil},
		{"a,", []string{"a"}}, {"a,,", []string{"a"}}, {",a", []string{"", "a"}}, {"a,,b,", []string{"a", "", "b"}}, {" ,", []string{" "}},
	} {
		if got := javaSplit(tt.text, ","); !slices.Equal(got, tt.want) {
			t.Errorf("%q splits into %q, want %q", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]string{" a ": "a", "\x00\ta b\x1f\n": "a b", "\u00a0a\u00a0": "\u00a0a\u00a0", " ": "", "!": "!"} {
		if got := javaTrim(text); got != want {
			t.Errorf("%q is trimmed to %q, want %q", text, got, want)
		}
	}
	if got := javaLower("MiB É"); got != "mib é" {
		t.Errorf("lower case %q", got)
	}
}

func TestHashOrder(t *testing.T) {
	// String.hashCode of "root.b" is one more than of "root.a"; "Aa" and "BB" have one and stay in order.
	for _, tt := range []struct{ names, want []string }{
		{[]string{"root.b", "root.a", "root.b", "root.c"}, []string{"root.a", "root.b", "root.c"}},
		{[]string{"BB", "Aa"}, []string{"BB", "Aa"}},
		{[]string{"Aa", "BB"}, []string{"Aa", "BB"}},
		{nil, []string{}},
	} {
		if got := hashOrder(tt.names); !slices.Equal(got, tt.want) {
			t.Errorf("%q in the order %q, want %q", tt.names, got, tt.want)
		}
	}
}
