package importer

import (
	"cmp"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace"
)

// attach adds the settings of the cluster and the recorded containers.
func (s *scenario) attach(w *trace.Writer, jobs []int64, origin int64) error {
	data, err := os.ReadFile(filepath.Join(s.dir, "fair-scheduler.xml"))
	if err == nil {
		err = w.Attach("fair-scheduler.xml", data)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	site, err := hadoopXML(s.setup.YarnSite)
	if err != nil {
		return err
	}
	if err := w.Attach("yarn-site.xml", site); err != nil {
		return err
	}
	recorded, err := s.containers(jobs, origin)
	if err != nil {
		return err
	}
	return attachJSON(w, "recorded_containers.json", recorded)
}

// containers is what was recorded of applications and containers, with times from the trace's origin, the
// jobs of the trace, and the executors that ran in the containers.
func (s *scenario) containers(jobs []int64, origin int64) (any, error) {
	job := map[string]int64{}
	for i, id := range s.added {
		job[id] = jobs[i]
	}
	out := struct {
		Origin       int64            `json:"origin_unix_ms"`
		Applications []map[string]any `json:"applications"`
		Containers   []map[string]any `json:"containers"`
	}{Origin: origin}
	for _, id := range s.appOrder {
		if n, ok := job[id]; ok {
			raw := s.apps[id].raw
			rebase(raw, origin)
			raw["job"] = n
			out.Applications = append(out.Applications, raw)
		}
	}
	err := eachLine(s, "containers.jsonl", false, func(c *map[string]any, _ []byte) error {
		raw := *c
		app, _ := raw["app"].(string)
		n, ok := job[app]
		if !ok {
			s.counts.Dropped["containers_of_no_job"]++
			return nil
		}
		rebase(raw, origin)
		raw["job"] = n
		name, _ := raw["container"].(string)
		if e, ok := s.executor[name]; ok {
			raw["executor"] = e
		}
		out.Containers = append(out.Containers, raw)
		return nil
	})
	return out, err
}

// rebase turns the times of a recorded object, its fields t_* and its transitions, into those of the trace.
func rebase(o map[string]any, origin int64) {
	for k, v := range o {
		if f, ok := v.(float64); ok && strings.HasPrefix(k, "t_") {
			o[k] = int64(f) - origin
		}
	}
	list, _ := o["transitions"].([]any)
	for _, t := range list {
		if t, ok := t.([]any); ok && len(t) > 0 {
			if f, ok := t[0].(float64); ok {
				t[0] = int64(f) - origin
			}
		}
	}
}

// hadoopXML writes settings as a Hadoop configuration file, by key.
func hadoopXML(settings map[string]string) ([]byte, error) {
	type property struct {
		Name  string `xml:"name"`
		Value string `xml:"value"`
	}
	conf := struct {
		XMLName    xml.Name   `xml:"configuration"`
		Properties []property `xml:"property"`
	}{}
	for k, v := range settings {
		conf.Properties = append(conf.Properties, property{k, v})
	}
	slices.SortFunc(conf.Properties, func(a, b property) int { return cmp.Compare(a.Name, b.Name) })
	data, err := xml.MarshalIndent(conf, "", "  ")
	return append([]byte(xml.Header), append(data, '\n')...), err
}
