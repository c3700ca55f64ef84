package conf

import (
	"strings"
	"testing"
)

// Keys of any value give settings with containers that can be asked for, or errors.
func FuzzNew(f *testing.F) {
	for _, s := range []string{
		"mapreduce.map.memory.mb=2048", "mapreduce.map.java.opts=-Xmx1g\nmapreduce.job.heap.memory-mb.ratio=0", "mapreduce.reduce.resource.vcores=3\nmapreduce.reduce.resource.memory=1Gi",
		"mapreduce.job.reduce.slowstart.completedmaps=NaN", "mapreduce.map.cpu.vcores=-1", "yarn.app.mapreduce.am.resource.mb=9223372036854775807", "mapreduce.map.resource.memory-mb=1e3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values := map[string]string{}
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			values[key] = value
		}
		c, err := read(values)
		if err != nil {
			return
		}
		for _, size := range [][2]int64{{c.Map.Size[0], c.Map.Size[1]}, {c.Reduce.Size[0], c.Reduce.Size[1]}, {c.AMSize[0], c.AMSize[1]}} {
			if size[0] < 0 || size[1] < 0 {
				t.Errorf("%q: a container of %d MiB and %d vcores", text, size[0], size[1])
			}
		}
	})
}
