package resource

import (
	"math"
	"strings"
	"testing"
)

func TestParseAmount(t *testing.T) {
	tests := []struct {
		name, text, unit string
		want             int64
		ok               bool
	}{
		{"without a unit it has that of the resource", "2048", "Mi", 2048, true},
		{"binary units", "3Gi", "Mi", 3072, true},
		{"decimal units are rounded down", "2G", "Mi", 1907, true},
		{"one space before the unit", "2 G", "Mi", 1907, true},
		{"two spaces", "2  G", "Mi", 0, false},
		{"thousands of vcores", "2k", "", 2000, true},
		{"thousandths of vcores are rounded down", "2999m", "", 2, true},
		{"units have a case", "1g", "Mi", 0, false},
		{"no fraction", "1.5Gi", "Mi", 0, false},
		{"no sign", "-1", "Mi", 0, false},
		{"nothing", "", "Mi", 0, false},
		{"a unit alone", "Mi", "Mi", 0, false},
		{"more than 64 bits hold", "99999999999999999999", "Mi", math.MaxInt64, true},
		{"more than 64 bits hold once it is converted", "9223372036854775807Pi", "Mi", math.MaxInt64, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := ParseAmount(tt.text, tt.unit); got != tt.want || ok != tt.ok {
				t.Errorf("ParseAmount(%q, %q) is %d, %v, want %d, %v", tt.text, tt.unit, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// The names in the message are those of the table, and each is a unit to and from which one can be converted.
func TestUnitNames(t *testing.T) {
	names := strings.Split(strings.Trim(unitNames, "[]"), ", ")
	if len(names) != len(Units) {
		t.Errorf("%d names, want those of %d units", len(names), len(Units))
	}
	for _, name := range names {
		if v, err := ConvertUnit(name, name, 7); v != 7 || err != nil {
			t.Errorf("7%s is %d of the same, %v", name, v, err)
		}
		if _, ok := Units[name]; !ok {
			t.Errorf("%q is no unit", name)
		}
	}
	if _, err := ConvertUnit("x", "Mi", 1); err == nil || !strings.Contains(err.Error(), unitNames) {
		t.Errorf("error %v, want the units that there are", err)
	}
}

func TestConvertUnit(t *testing.T) {
	const most = math.MaxInt64
	tests := []struct {
		name, from, to string
		v, want        int64
		err            string // in the error; empty for none
	}{
		{"of itself", "Mi", "Mi", most, most, ""},
		{"to a larger unit, rounded down", "Mi", "Gi", 2049, 2, ""},
		{"to a smaller one", "Gi", "Mi", 3, 3072, ""},
		{"all that fits", "Gi", "Mi", most / 1024, most / 1024 * 1024, ""},
		{"one more", "Gi", "Mi", most/1024 + 1, 0, "Converting 9007199254740992 from 'Gi' to 'Mi' will result in an overflow of Long"},
		{"all that fits on the way", "k", "Mi", most / 1000, most / 1000 * 1000 >> 20, ""},
		{"one more on the way, though the result would fit", "k", "Mi", most/1000 + 1, 0, "overflow of Long"},
		{"units whose ratio does not fit and is negative in Java", "Ti", "n", 1, 0, "overflow of Long"},
		{"and as the divisor", "n", "Ti", 1, 0, "overflow of Long"},
		{"units whose ratio does not fit, which Java does not see", "Pi", "n", 1, 2882303761517117440, ""},
		{"an unknown unit", "mb", "Mi", 1, 0, "Unknown unit 'mb'"},
		{"into an unknown unit", "Mi", "mb", 1, 0, "Unknown unit 'mb'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ConvertUnit(tt.from, tt.to, tt.v)
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%d%s is %d%s, %v, want %d, %q", tt.v, tt.from, got, tt.to, err, tt.want, tt.err)
			}
		})
	}
}
