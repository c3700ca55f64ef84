package jhist

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/mapreduce"
	"replay/trace/importer/workload"
)

// application makes the application of a history.
func (h *history) application() (*workload.Application, error) {
	if h.submit == trace.Unset { // the name of the file has it, too: id-submission-…
		if parts := strings.Split(h.nameHint(), "-"); len(parts) > 1 {
			if n, err := strconv.ParseInt(parts[1], 10, 64); err == nil && n > 0 && n < 2*trace.LatestMS {
				h.submit = n
				h.counts.Defaulted["submit_times_from_the_names_of_files"]++
			}
		}
	}
	if h.id == "" || h.submit == trace.Unset {
		return nil, h.leave(workload.Damaged, "no JOB_SUBMITTED with jobid and submitTime: the history begins in the middle")
	}
	h.hosts()
	if n := len(h.masters) - 1; n > 0 {
		h.counts.Dropped["application_masters_before_the_last"] += int64(n)
	}
	a := &workload.Application{Job: *trace.NewJob(trace.KindMapReduce), User: h.user, Queue: h.queue, Manager: trace.YARN}
	j, value := &a.Job, func(key string) string { return h.conf[key] }
	j.ExternalID, j.Name, j.SubmitMS, j.Priority = h.id, h.name, h.submit, mapreduce.Priority(cmp.Or(h.priority, value("mapreduce.job.priority")), h.counts)
	master := mapreduce.Master(value)
	if master.MemMiB == 0 || master.VCores == 0 {
		h.counts.Defaulted["sizes_of_application_masters"]++
	}
	j.AMMemMiB, j.AMVCores = cmp.Or(master.MemMiB, mapreduce.MasterMiB), cmp.Or(master.VCores, 1)
	if err := h.fits("the application master", "yarn.app.mapreduce.am.resource.mb and .cpu-vcores", mapreduce.Size{MemMiB: j.AMMemMiB, VCores: j.AMVCores}); err != nil {
		return nil, err
	}
	j.RecordedOutcome = mapreduce.Outcome(h.state)
	j.RecordedStartMS = h.submit
	if h.launch >= h.submit {
		j.RecordedStartMS = h.launch
	}
	if h.finish >= j.RecordedStartMS {
		j.RecordedFinishMS = h.finish
	}
	var lists [2][]mapreduce.Task
	lastMap, bytes, reads := int64(0), int64(0), false
	for _, id := range h.order {
		t := h.tasks[id]
		m, err := h.asTask(id, t)
		if err != nil {
			return nil, err
		}
		if t.kind == mapreduce.Map {
			reads = reads || t.input > 0
			bytes += m.InputBytes
			if m.Done != nil {
				lastMap = max(lastMap, m.Done.Finish)
			}
		}
		lists[t.kind] = append(lists[t.kind], m)
		h.counts.Read[[...]string{"maps", "reduces"}[t.kind]]++
	}
	for kind, list := range lists {
		if len(list) == 0 {
			continue
		}
		name := [...]string{"map", "reduce"}[kind]
		size := mapreduce.OfTask(value, name)
		if size.MemMiB = cmp.Or(h.size[kind], size.MemMiB); size.MemMiB == 0 {
			size.MemMiB = 1024
			h.counts.Defaulted["memory_of_tasks"] += int64(len(list))
		}
		if size.VCores == 0 {
			size.VCores = 1
			h.counts.Defaulted["vcores_of_tasks"] += int64(len(list))
		}
		if err := h.fits("a "+name, "mapreduce."+name+".memory.mb and .cpu.vcores", size); err != nil {
			return nil, err
		}
		if h.uber && (size.MemMiB > j.AMMemMiB || size.VCores > j.AMVCores) { // otherwise they had not run there
			size = mapreduce.Size{MemMiB: min(size.MemMiB, j.AMMemMiB), VCores: min(size.VCores, j.AMVCores)}
			h.counts.Modelled["sizes_of_tasks_in_application_masters"] += int64(len(list))
		}
		st, _ := mapreduce.Stage(h.counts, a, kind, size, list, lastMap)
		if kind == mapreduce.Map && reads {
			a.ReadFile(&st, "input", false)
		}
		j.Stages = append(j.Stages, st)
	}
	if len(j.Stages) == 1 {
		j.Stages[0].Kind, j.Stages[0].Parents = trace.StageInput, nil
	}
	mapreduce.Conf(j, h.decided(value, len(lists[mapreduce.Map]), len(lists[mapreduce.Reduce]), bytes))
	return a, nil
}

// fits tells whether a container is as large as one can be; keys say its size.
func (h *history) fits(of, keys string, size mapreduce.Size) error {
	if size.MemMiB > trace.MostMemMiB || size.VCores > trace.MostVCores {
		return h.leave(workload.Unusable, "the container of %s has %d MiB and %d vcores (%s), want at most %d MiB and %d vcores", of, size.MemMiB, size.VCores, keys, trace.MostMemMiB, trace.MostVCores)
	}
	return nil
}

// hosts takes note of those on which attempts and masters ran, by the names of their nodes, and of those that tasks prefer. What a file system without hosts has in their place is no
// host: such a task prefers none.
func (h *history) hosts() {
	see := func(host, rack string) {
		if host != "" && h.racks[host] == "" {
			h.racks[host] = rack
		}
	}
	for _, id := range h.order {
		for _, name := range h.tasks[id].order {
			a := h.tasks[id].attempts[name]
			see(a.host, a.rack)
		}
	}
	for _, host := range h.masters {
		see(host, "")
	}
	ran := maps.Clone(h.racks)
	for _, id := range h.order {
		t := h.tasks[id]
		t.splits = slices.DeleteFunc(t.splits, func(host string) bool {
			_, known := ran[host]
			if !known && slices.Contains([]string{"*", "localhost", "127.0.0.1"}, host) {
				h.counts.Dropped["preferred_hosts_that_are_none"]++
				return true
			}
			see(host, "")
			return false
		})
	}
}

// decided is the configuration with what the history says of where the tasks ran: in the application master, or not.
func (h *history) decided(value func(key string) string, maps, reduces int, bytes int64) func(key string) string {
	if h.uber {
		h.counts.Read["jobs_in_their_application_masters"]++
		return mapreduce.Uber(value, maps, reduces, bytes)
	}
	return func(key string) string {
		if strings.HasPrefix(key, "mapreduce.job.ubertask.") {
			return ""
		}
		return value(key)
	}
}

// asTask is a task as the stages are made of it. The attempt that succeeded is the one that the task's end names, else the last that ended well. An attempt begins when the NodeManager
// has started its container, so that the start of its process is part of its time and nothing is to be added for it.
//
// Source: TaskAttemptImpl.LaunchedContainerTransition.
func (h *history) asTask(id string, t *task) (mapreduce.Task, error) {
	m := mapreduce.Task{Preferred: t.splits, WaitMS: trace.Unset, FetchMS: trace.Unset, InputBytes: t.input}
	if t.kind == mapreduce.Reduce {
		m.InputBytes = 0 // what it shuffles is no input of HDFS
	}
	for _, name := range t.order {
		a := t.attempts[name]
		ran := &mapreduce.Attempt{Begin: a.start, Finish: a.finish, Shuffled: max(a.shuffled, 0), Host: a.host}
		known := a.start >= 0 && a.finish >= a.start && a.finish-a.start <= trace.LongestMS
		switch {
		case a.state == "FINISHED" && (t.done == "" || t.done == name):
			if !known && h.r.Options.Lenient {
				m.Lost = true
				continue
			}
			if !known {
				return m, h.leave(workload.Damaged, "task %s: attempt %s began at %s and ended at %s, want an end after the begin, within a year; --lenient takes the median of the job's other tasks of its kind", id, name, told(a.start), told(a.finish))
			}
			ran.Locality = map[string]string{"NODE_LOCAL": "NODE_LOCAL", "RACK_LOCAL": "RACK_LOCAL", "OFF_SWITCH": "ANY"}[a.locality]
			if ran.Locality == "" {
				ran.Locality = mapreduce.Locality(a.host, t.splits, h.rackOf)
			}
			m.Done = ran
			if t.start >= 0 && a.start >= t.start && a.start-t.start <= trace.LongestMS {
				m.WaitMS = a.start - t.start
			}
			continue
		case a.state == "FAILED":
			m.Failed++
			h.counts.Read["failed_attempts"]++
		case a.state == "KILLED":
			h.counts.Dropped["killed_attempts"]++
		case a.state == "":
			h.counts.Dropped["attempts_without_an_end"]++
		}
		if known && (m.Tried == nil || m.Tried.Finish-m.Tried.Begin < a.finish-a.start) {
			m.Tried = ran
		}
	}
	return m, nil
}

// rackOf is the rack of a host, "" if neither this nor a history before it says it.
func (h *history) rackOf(host string) string { return cmp.Or(h.racks[host], h.r.racks[host]) }

// told is a time of the history in words.
func told(ms int64) string {
	if ms == trace.Unset {
		return "no known time"
	}
	return strconv.FormatInt(ms, 10)
}
