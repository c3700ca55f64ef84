package model

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Band is how far a metric was off where its true values are known. A file that [Model.SetLines] reads may say it, in lines
// error.METRIC=MEDIAN,P90,N: absolute errors as parts of the recorded value, over N applications.
type Band struct {
	Metric      string // the beginning of the names of the metrics that it is about, as far as "_mean_ms"
	Median, P90 float64
	N           int64
}

const bandPrefix = "error."

// Bands reads the bands of a model file; errors call it by its name.
func Bands(name string, text []byte) (list []Band, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		rest, ok := strings.CutPrefix(line, bandPrefix)
		if !ok {
			continue
		}
		metric, value, _ := strings.Cut(rest, "=")
		b := Band{Metric: strings.TrimSpace(metric)}
		parts := strings.Split(value, ",")
		wrong := fmt.Errorf("%s:%d: %q, want error.METRIC=MEDIAN,P90,N with errors of 0 or more and N of 1 or more", name, n, line)
		if len(parts) != 3 || b.Metric == "" {
			return nil, wrong
		}
		for i, to := range []*float64{&b.Median, &b.P90} {
			if *to, err = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64); err != nil || !(*to >= 0) || math.IsInf(*to, 0) {
				return nil, wrong
			}
		}
		if b.N, err = strconv.ParseInt(strings.TrimSpace(parts[2]), 10, 64); err != nil || b.N < 1 {
			return nil, wrong
		}
		list = append(list, b)
	}
	return list, lines.Err()
}
