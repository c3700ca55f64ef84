package mapreduce

import "testing"

// Resource requests come before the older keys, with units as YARN reads them; what is no size says nothing.
func TestSizes(t *testing.T) {
	const am = "yarn.app.mapreduce.am.resource."
	for _, tt := range []struct {
		conf map[string]string
		want Size
	}{
		{nil, Size{}},
		{map[string]string{am + "mb": "2048", am + "cpu-vcores": "3"}, Size{2048, 3}},
		{map[string]string{am + "mb": "2048", am + "cpu-vcores": "3", am + "memory-mb": "4096", am + "vcores": "5"}, Size{4096, 5}},
		{map[string]string{am + "mb": "2048", am + "memory": "3Gi"}, Size{3072, 0}},
		{map[string]string{am + "memory-mb": "2 G"}, Size{1907, 0}},
		{map[string]string{am + "mb": "2048", am + "memory": "3Xi", am + "vcores": "-1"}, Size{2048, 0}},
		{map[string]string{am + "memory": "2000000000T"}, Size{}},
		{map[string]string{am + "memory": "1Pi", am + "vcores": "2k"}, Size{1 << 30, 2000}},
		{map[string]string{am + "memory": "2 G B"}, Size{}},
	} {
		if got := Master(func(key string) string { return tt.conf[key] }); got != tt.want {
			t.Errorf("%v: the application master has %v, want %v", tt.conf, got, tt.want)
		}
	}
	conf := map[string]string{"mapreduce.map.memory.mb": "1000", "mapreduce.map.cpu.vcores": "2", "mapreduce.map.resource.memory-mb": "1500", "mapreduce.reduce.resource.vcores": "4"}
	value := func(key string) string { return conf[key] }
	if got := [2]Size{OfTask(value, "map"), OfTask(value, "reduce")}; got != [2]Size{{1500, 2}, {0, 4}} {
		t.Errorf("tasks have %v", got)
	}
}
