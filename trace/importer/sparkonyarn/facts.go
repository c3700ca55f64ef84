package sparkonyarn

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"replay/input"
	"replay/trace"
	"replay/trace/importer/hadoopxml"
	"replay/trace/importer/workload"
)

// attach adds the settings of the cluster and the recorded containers to the trace.
func (s *scenario) attach() error {
	if err := s.schedulerFiles(); err != nil {
		return err
	}
	site, err := hadoopxml.Marshal(s.setup.YarnSite)
	if err != nil {
		return err
	}
	s.Attach("yarn-site.xml", site)
	containers, err := s.containers()
	if err != nil {
		return err
	}
	s.AttachPlaced(trace.ContainersFile, func(origin int64, job map[string]int64) ([]byte, error) {
		out := struct {
			Origin       int64            `json:"origin_unix_ms"`
			Applications []map[string]any `json:"applications"`
			Containers   []map[string]any `json:"containers"`
		}{Origin: origin}
		for _, id := range s.appOrder {
			if s.added[id] {
				out.Applications = append(out.Applications, rebase(s.apps[id].raw, origin, job[id]))
			}
		}
		for _, c := range containers {
			id, _ := c["app"].(string)
			out.Containers = append(out.Containers, rebase(c, origin, job[id]))
		}
		return workload.JSON(out)
	})
	return nil
}

// schedulerFiles are the files of YARN's schedulers. Which of them counts is yarn-site.xml's to say.
var (
	schedulerFiles = []string{"fair-scheduler.xml", "capacity-scheduler.xml"}
	schedulerOf    = map[string]string{"fair-scheduler.xml": "FairScheduler", "capacity-scheduler.xml": "CapacityScheduler"}
)

const keyAllocationFile = "yarn.scheduler.fair.allocation.file"

// schedulerFiles attaches the files of schedulers that lie in the folder. An allocation file of another name, as
// yarn-site.xml may have it, is attached under the usual one.
func (s *scenario) schedulerFiles() error {
	for _, name := range schedulerFiles {
		path := filepath.Join(s.dir, name)
		if named := s.setup.YarnSite[keyAllocationFile]; name == schedulerFiles[0] && named != "" {
			path = filepath.Join(s.dir, filepath.Base(named))
			delete(s.setup.YarnSite, keyAllocationFile) // it is attached, and the trace goes elsewhere
		}
		data, err := input.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			if class := s.setup.YarnSite["yarn.resourcemanager.scheduler.class"]; strings.HasSuffix(class, schedulerOf[name]) {
				s.Warn("%s is not there, although yarn_site of cluster.json names the %s: a replay makes queues of those that applications named", path, schedulerOf[name])
			}
			continue
		}
		if err != nil {
			return err
		}
		s.Attach(name, data)
		if err := s.AddSource(path); err != nil {
			return err
		}
	}
	return nil
}

// containers is what was recorded of the containers of the applications in the trace, with the executors that ran in them.
func (s *scenario) containers() (all []map[string]any, err error) {
	seen, line := map[string]bool{}, 0
	err = eachLine(s, containersFile, false, func(c *map[string]any, _ []byte) error {
		line++
		raw := *c
		app, _ := raw["app"].(string)
		if !s.added[app] {
			s.Counts.Dropped["containers_of_no_job"]++
			return nil
		}
		name, _ := raw["container"].(string)
		if seen[name] {
			return s.Drop("containers_that_are_there_again", "%s: container %d, %s, is there again, want each once", filepath.Join(s.dir, containersFile), line, name)
		}
		seen[name] = true
		if err := s.apps[app].times(raw); err != nil {
			return s.Drop("containers_with_times_that_can_not_be", "%s: container %d, %s: %w", filepath.Join(s.dir, containersFile), line, name, err)
		}
		if e, ok := s.executor[name]; ok {
			raw["executor"] = e
		}
		all = append(all, raw)
		return nil
	})
	return all, err
}

const containersFile = "containers.jsonl"

// How far the clocks of a cluster may differ, and how long after its application a container may end: its node may be lost.
const (
	clockStepMS = 60_000
	lateMS      = 24 * 3_600_000
)

// dropTimes leaves out the times of an application that can not be its own; the client may have begun long before the submission.
func (s *scenario) dropTimes(a *recordedApp) error {
	for _, name := range slices.Sorted(maps.Keys(a.raw)) {
		if name == "t_client_start" {
			continue
		}
		wrong := a.time(name, a.raw[name])
		if wrong == nil {
			continue
		}
		delete(a.raw, name)
		if name == "t_registered" {
			a.Registered = 0
		}
		if err := s.Drop("times_of_applications_that_can_not_be", "%s: %s: %w", filepath.Join(s.dir, "apps.jsonl"), a.App, wrong); err != nil {
			return err
		}
	}
	return nil
}

// times checks the times of a container of the application.
func (a *recordedApp) times(container map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(container)) {
		if err := a.time(name, container[name]); err != nil {
			return err
		}
	}
	return nil
}

// time refuses a value that is called a time and can not be one of the application or its containers: one from before its submission or after its end.
func (a *recordedApp) time(name string, v any) error {
	if !strings.HasPrefix(name, "t_") || v == nil {
		return nil
	}
	least, most := float64(a.Submitted-clockStepMS), float64(a.Submitted)+trace.LongestMS
	if a.Finished > 0 {
		most = float64(a.Finished + lateMS)
	}
	if at, ok := v.(float64); !ok || at < least || at > most {
		return fmt.Errorf("%s is %v, want ms since 1970 from the submission of %s, %d, on", name, shownTime(v), a.App, a.Submitted)
	}
	return nil
}

// shownTime is a number of JSON without an exponent.
func shownTime(v any) any {
	if at, ok := v.(float64); ok {
		return strconv.FormatFloat(at, 'f', -1, 64)
	}
	return v
}

// rebase turns the times of a recorded object, its fields t_* and its transitions, into those of the trace, and
// names its job.
func rebase(o map[string]any, origin, job int64) map[string]any {
	o["job"] = job
	rebaseTimes(o, origin)
	list, _ := o["transitions"].([]any)
	for _, t := range list {
		if t, ok := t.([]any); ok && len(t) > 0 {
			if f, ok := t[0].(float64); ok {
				t[0] = int64(f) - origin
			}
		}
	}
	return o
}

// rebaseTimes turns the times of an object, and of those within it, into those of the trace.
func rebaseTimes(o map[string]any, origin int64) {
	for k, v := range o {
		switch v := v.(type) {
		case float64:
			if strings.HasPrefix(k, "t_") {
				o[k] = int64(v) - origin
			}
		case map[string]any:
			rebaseTimes(v, origin)
		}
	}
}
