package table

import "testing"

// A map of roles to columns of any text is refused, or names columns that there are, each role once.
func FuzzMap(f *testing.F) {
	for _, s := range []string{"submit=start_ts,duration=run_s:s", "submit=start_ts:ms", "job=Job ID", "job=job id , tasks=n", "submit=", "=a", "submit=start_ts,submit=n", "mem=a:b:MiB", "x=n", ","} {
		f.Add(s)
	}
	columns := []string{"start_ts", "run_s", "Job ID", "n", "a:b", "N"}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := parseMap(text, columns)
		if err != nil {
			return
		}
		some := false
		for r, b := range found {
			if b.at < 0 {
				continue
			}
			some = true
			if b.at >= len(columns) || b.name != columns[b.at] || b.how != "--map" {
				t.Errorf("%q gives %s the column %+v", text, role(r), b)
			}
		}
		if !some {
			t.Errorf("%q gives no role a column", text)
		}
	})
}
