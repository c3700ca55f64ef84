package jhist

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"replay/trace/importer/codec"
	"replay/trace/importer/hadoopxml"
)

// confSuffix ends the name of the file with a job's configuration that lies beside its history.
//
// Source: JobHistoryUtils.CONF_FILE_NAME_SUFFIX.
const confSuffix = "_conf.xml"

// mostConf is what a configuration may have at most.
const mostConf = 64 << 20

// readConf reads the configuration of the job: the file of its id in the folder of the history, or of its id and its number of attempt, as it is called while the job runs.
func (h *history) readConf() error {
	path := ""
	for _, name := range []string{h.id, strings.TrimSuffix(h.nameHint(), ".jhist")} {
		key := filepath.Join(filepath.Dir(h.path), name)
		if at, ok := h.r.confs[key]; ok && path == "" && name != "" {
			path = at
			delete(h.r.confs, key)
		}
	}
	if path == "" {
		return nil
	}
	conf, err := h.settings(path)
	if err != nil {
		return h.r.Drop("configurations_that_cannot_be_read", "%s: %w", path, err)
	}
	h.conf = conf
	h.counts.Read["configurations"]++
	return nil
}

func (h *history) settings(path string) (map[string]string, error) {
	f, err := codec.OpenHashed(path, "", h.r.Options.MaxUnpacked)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), path+": "))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostConf))
	if err != nil {
		return nil, err
	}
	conf, err := hadoopxml.Unmarshal(text)
	if err != nil {
		return nil, err
	}
	return conf, h.addSource(path, f)
}
