package cmdline

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/report"
)

// With lets a flag refuse values.
func With(flag describedFlag, check check) cli.Flag {
	if list, ok := flag.(*cli.StringSliceFlag); ok {
		return &checkedList{list, check}
	}
	return &checked{describedFlag: flag, check: check}
}

// Among is [With] for a flag whose value is one of the names, which a shell offers.
func Among(flag describedFlag, names ...string) cli.Flag {
	return &checked{describedFlag: flag, check: OneOf(names...), values: names}
}

// Offering has a shell offer values of a flag, which takes others, too, or whose values are checked where they are used.
func Offering(flag cli.Flag, values ...string) cli.Flag {
	c, ok := flag.(*checked)
	if !ok {
		c = &checked{describedFlag: flag.(describedFlag)}
	}
	c.values = values
	return c
}

// Percent is [With] for a number of percent, which may say so: 3% is 3.
func Percent(flag *cli.Float64Flag, check check) cli.Flag {
	return &checked{describedFlag: flag, check: check, percent: true}
}

// MiB is [With] for an amount of memory in MiB, which may have another unit: 48g and 48GiB are 49152.
func MiB(flag *cli.Int64Flag, check check) cli.Flag {
	return &checked{describedFlag: flag, check: check, mib: true}
}

// mebibytes reads whole MiB, without a unit or with one as Spark and Hadoop write them, which count by 1024.
func mebibytes(text string) (int64, error) {
	if err := unsigned(text); err != nil {
		return 0, err
	}
	number := strings.TrimRight(text, "bBgGiImMtT")
	at, by := 0, int64(1)
	if unit := strings.ToLower(text[len(number):]); unit != "" {
		at = slices.IndexFunc([]string{"m", "g", "t"}, func(u string) bool { return unit == u || unit == u+"b" || unit == u+"i" || unit == u+"ib" })
		by <<= 10 * max(at, 0)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || at < 0 || n > math.MaxInt64/by || n < math.MinInt64/by {
		return 0, errors.New("want whole MiB, or a whole number with a unit such as 48g or 512m")
	}
	return n * by, nil
}

// MayBeFlags is a flag whose value may be one word that is a flag.
func MayBeFlags(flag *cli.StringFlag) cli.Flag { return &checked{describedFlag: flag, flags: true} }

// whole reads a whole number as people write it: 010 is ten.
func whole(text string) (int64, error) {
	if err := unsigned(text); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errors.New("want a whole number")
	}
	return n, nil
}

// real reads a number in base 10.
func real(text string) (float64, error) {
	if err := unsigned(text); err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX") {
		return 0, errors.New("want a number")
	}
	return x, nil
}

// unsigned refuses the sign of a change, as in +5%, where the number itself is wanted.
func unsigned(text string) error {
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		return fmt.Errorf("want the value itself, without a sign: %s", rest)
	}
	return nil
}

// ATime wants a time of a trace.
func ATime(value string) error {
	_, err := ParseTime(value)
	return err
}

// AStart wants a time of a trace, or 0.
func AStart(value string) error {
	_, err := ParseStart(value)
	return err
}

// Positive wants a number above 0.
func Positive(value string) error {
	if x, err := real(value); err != nil || !(x > 0) || math.IsInf(x, 0) {
		return errors.New("want a positive number")
	}
	return nil
}

// ALoad wants an offered load.
func ALoad(value string) error {
	share, percent := strings.CutSuffix(value, "%")
	if x, err := real(share); percent && err == nil && x > 0 {
		return fmt.Errorf("want a positive number, %g for %g %% of what all vcores can do", x/100, x)
	}
	if err := Positive(value); err != nil {
		return err
	}
	if x, err := real(value); err != nil || x > mostLoad {
		return fmt.Errorf("want at most %d times what all vcores can do", mostLoad)
	}
	return nil
}

// mostLoad bounds an offered load: with it all is submitted at once, and the load of no resource is beyond all numbers.
const mostLoad = 1_000_000

// NotNegative wants a number of 0 or more.
func NotNegative(value string) error {
	if x, err := real(value); err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return errors.New("want a number of 0 or more")
	}
	return nil
}

// FromTo wants a whole number from least to most.
func FromTo(least, most int64) func(string) error {
	return func(value string) error {
		if n, err := whole(value); err != nil || n < least || n > most {
			return fmt.Errorf("want %d to %d", least, most)
		}
		return nil
	}
}

// From1To wants a whole number from 1 to most.
func From1To(most int64) func(string) error {
	return func(value string) error {
		if n, err := whole(value); err != nil || n < 1 || n > most {
			if most >= math.MaxInt32 {
				return errors.New("want 1 or more")
			}
			return fmt.Errorf("want 1 to %d", most)
		}
		return nil
	}
}

// OneOf wants one of the names.
func OneOf(names ...string) func(string) error {
	return func(value string) error {
		if slices.Contains(names, value) {
			return nil
		}
		text := strings.Join(names, ", ")
		if n := len(names); n > 1 {
			text = strings.Join(names[:n-1], ", ") + " or " + names[n-1]
		}
		return fmt.Errorf("want %s%s", text, Meant("", value, names))
	}
}

// APair wants a name and a value, such as KEY=VALUE.
func APair(want string) func(string) error {
	return func(value string) error {
		if key, _, ok := strings.Cut(value, "="); !ok || strings.TrimSpace(key) == "" {
			return fmt.Errorf("want %s", want)
		}
		return nil
	}
}

// plots wants formats of plots.
func plots(value string) error {
	_, err := PlotFormats(value)
	return err
}

// FormatsFlag is the flag for the formats of plots.
func FormatsFlag(value string) cli.Flag {
	return Offering(With(&cli.StringFlag{Name: "formats", Value: value, Usage: "`FORMATS` of the plots: svg, png, pdf, separated by commas; none for no plots"}, plots), append(report.Formats(), "none")...)
}

// Formats reads --formats of a command that draws plots only where --out says where they go: without it nothing is drawn, and formats that are asked for are
// an error. Anyhow is that the command's words are not the user's.
func Formats(c *cli.Context, anyhow bool) ([]string, error) {
	formats, err := PlotFormats(c.String("formats"))
	if err == nil && len(formats) > 0 && c.IsSet("formats") && c.String("out") == "" && !anyhow {
		err = Usagef("--formats wants --out, the directory to write the plots to")
	}
	return formats, err
}

// PlotFormats reads a list of plot formats.
func PlotFormats(list string) ([]string, error) {
	if list == "none" || list == "" {
		return nil, nil
	}
	formats := strings.Split(list, ",")
	for _, f := range formats {
		if !slices.Contains(report.Formats(), f) {
			return nil, fmt.Errorf("want %s, separated by commas, or none", strings.Join(report.Formats(), ", "))
		}
	}
	return formats, nil
}

// ParseShare reads a share of 0 to 1, or of 0% to 100%; none is all.
func ParseShare(text string) (float64, error) {
	if text == "" {
		return 1, nil
	}
	digits, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		share /= 100
	}
	if err != nil || unsigned(text) != nil || !(share >= 0 && share <= 1) {
		return 0, fmt.Errorf("%q, want a share such as 99%% or 0.99", text)
	}
	return share, nil
}
