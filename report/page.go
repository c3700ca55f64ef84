package report

import "bytes"

func (r *Result) page(ps []picture) ([]byte, error) {
	var b bytes.Buffer
	r.WriteText(&b)
	return b.Bytes(), nil
}
