package golden

import (
	"bytes"
	"io"
	"testing"
)

func FuzzInput(f *testing.F) {
	for _, s := range []string{"", "{}\n", "{\"a\":1}\n\n  \n[2]", "\r\n{}\r\n", "\x00"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Add([]byte("\x1f\x8b\x08\x00"), true)
	f.Fuzz(func(t *testing.T, data []byte, packed bool) {
		name := "x.jsonl"
		if packed {
			name += ".gz"
		}
		in, err := Read(name, io.NopCloser(bytes.NewReader(data)), int64(len(data)))
		if err != nil {
			return
		}
		defer in.Close()
		var got, want [][]byte
		for {
			line, err := in.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			got = append(got, bytes.Clone(line))
		}
		if packed {
			return
		}
		for _, line := range bytes.Split(data, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				want = append(want, line)
			}
		}
		if !bytes.Equal(bytes.Join(got, []byte("\n")), bytes.Join(want, []byte("\n"))) {
			t.Errorf("lines are %q, want %q", got, want)
		}
	})
}
