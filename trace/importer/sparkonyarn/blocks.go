package sparkonyarn

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/workload"
)

// block is a line of hdfs-blocks.jsonl.
type block struct {
	Path   string   `json:"path"` // a file or a folder of files, as applications name it; that of the file if it is not there
	File   string   `json:"file"`
	Offset int64    `json:"offset"`
	Length int64    `json:"length"`
	Hosts  []string `json:"hosts"`
}

// readBlocks makes the files of the trace.
func (s *scenario) readBlocks() error {
	s.blocks = map[string][]block{}
	var files []trace.File
	id := map[string]int{}
	err := eachLine(s, "hdfs-blocks.jsonl", false, func(b *block, _ []byte) error {
		of := cmp.Or(b.Path, b.File)
		if b.Length < 0 || b.Offset < 0 {
			return fmt.Errorf("offset is %d and length %d, want 0 or more", b.Offset, b.Length)
		}
		if s.blocks[of] == nil {
			id[of] = len(files)
			files = append(files, trace.File{Name: of, BlockBytes: s.setup.HDFS.BlockSize})
		}
		s.blocks[of] = append(s.blocks[of], *b)
		f := &files[id[of]]
		f.Bytes, f.Blocks, f.Replication = f.Bytes+b.Length, f.Blocks+1, max(f.Replication, int32(len(b.Hosts)))
		s.Counts.Read["hdfs_blocks"]++
		return nil
	})
	for _, f := range files {
		s.AddFile(f)
	}
	return err
}

// pathOf is the path in HDFS that a stage reads, by the name that an event log has for it: "PATH#PARTITIONS" or "hdfs://AUTHORITY/PATH#PARTITIONS".
func pathOf(name string) string {
	if k := strings.LastIndexByte(name, '#'); k >= 0 {
		name = name[:k]
	}
	if rest, ok := strings.CutPrefix(name, "hdfs://"); ok {
		_, name, _ = strings.Cut(rest, "/")
		name = "/" + name
	}
	return name
}

// inputFiles points the stages at the files of the cluster.
func (s *scenario) inputFiles(a *eventlog.Application) {
	read := a.Files
	a.Files = nil
	at := map[string]int32{}
	for i := range a.Job.Stages {
		st := &a.Job.Stages[i]
		if st.FileID == trace.Unset {
			continue
		}
		name := pathOf(read[st.FileID].Name)
		st.FileID = trace.Unset
		if s.blocks[name] == nil {
			continue
		}
		if _, ok := at[name]; !ok {
			at[name] = int32(len(a.Files))
			a.Files = append(a.Files, workload.File{File: trace.File{Name: name}, Shared: true})
		}
		st.FileID = at[name]
	}
}

// preferBlocks gives the tasks that read files of which blocks are known the hosts of what they read. The blocks were asked for after the application
// had ended: where a task ran at a level that contradicts them, its block has moved, and where it ran is all that is known.
func (s *scenario) preferBlocks(a *eventlog.Application) {
	for i := range a.Job.Stages {
		st := &a.Job.Stages[i]
		if st.FileID == trace.Unset {
			continue
		}
		name := a.Files[st.FileID].Name
		blocks := s.blocks[pathOf(name)]
		if blocks == nil {
			continue
		}
		partitions, _ := strconv.Atoi(name[strings.LastIndexByte(name, '#')+1:])
		hosts := hostsOfSplits(blocks, partitions)
		if hosts == nil {
			s.Counts.Dropped["tasks_that_match_no_splits_of_their_file"] += int64(st.Tasks.Len())
			continue
		}
		prefs := make([][]int32, st.Tasks.Len())
		for k, t := range a.Tasks[i] {
			if t.Partition < 0 || int(t.Partition) >= len(hosts) {
				continue
			}
			for _, h := range hosts[t.Partition] {
				prefs[k] = append(prefs[k], a.Host(h))
			}
			ran, level := st.Tasks.RecordedNode[k], st.Tasks.RecordedLocality[k]
			switch has := slices.Contains(prefs[k], ran); {
			case level == "NODE_LOCAL" && !has:
				prefs[k] = []int32{ran}
				s.Counts.Modelled["tasks_whose_block_has_moved"]++
			case (level == "RACK_LOCAL" || level == "ANY") && has:
				prefs[k] = slices.DeleteFunc(prefs[k], func(n int32) bool { return n == ran })
				s.Counts.Modelled["tasks_whose_block_has_moved"]++
			default:
				s.Counts.Read["tasks_with_hosts_of_their_block"]++
			}
		}
		st.Tasks.SetPrefs(prefs)
	}
}

// hostsOfSplits returns the hosts of each of n splits of the files that blocks are of, or nil if the files are not split into n by any of the numbers that
// callers ask for: Spark's default of 2, none at all (as the newer API), or n.
func hostsOfSplits(blocks []block, n int) [][]string {
	for _, wanted := range []int{2, 1, n} {
		if splits := splitsOf(blocks, wanted, n); len(splits) == n {
			return splits
		}
	}
	return nil
}

// wholeOnly are the endings of files that are unpacked from their begin. Source: Hadoop's codecs that are no SplittableCompressionCodec.
var wholeOnly = []string{".gz", ".deflate", ".snappy", ".lz4", ".zst"}

// splitsOf splits files as FileInputFormat does when it is asked for a number of splits, and returns the hosts of each; after more than most it ends. Files whose
// name says that they are packed as a whole are one split each.
//
// Source: getSplits of org.apache.hadoop.mapred.FileInputFormat, Hadoop 3.4.1. Of a split of several blocks the hosts are those with most of its bytes;
// it also weighs racks.
func splitsOf(blocks []block, wanted, most int) [][]string {
	total := int64(0)
	for _, b := range blocks {
		total += b.Length
	}
	goal := total / int64(max(wanted, 1))
	var out [][]string
	for len(blocks) > 0 && len(out) <= most {
		end := slices.IndexFunc(blocks, func(b block) bool { return b.File != blocks[0].File })
		if end < 0 {
			end = len(blocks)
		}
		file, size, blockSize := blocks[:end], int64(0), int64(0)
		for _, b := range file {
			size, blockSize = size+b.Length, max(blockSize, b.Length)
		}
		blocks = blocks[end:]
		split := max(1, min(goal, blockSize))
		if slices.Contains(wholeOnly, path.Ext(file[0].File)) {
			split = size
		}
		left := size
		for ; len(out) <= most && float64(left)/float64(split) > 1.1; left -= split { // its SPLIT_SLOP
			out = append(out, hostsOf(file, size-left, split))
		}
		if left > 0 {
			out = append(out, hostsOf(file, size-left, left))
		}
	}
	return out
}

// hostsOf returns the hosts of a part of a file: those of its block, or of several the ones with most of its bytes, as many as a block has.
func hostsOf(file []block, from, length int64) []string {
	bytes, replicas := map[string]int64{}, 0
	var names []string
	for _, b := range file {
		part := min(b.Offset+b.Length, from+length) - max(b.Offset, from)
		if part <= 0 {
			continue
		}
		if part == length {
			return b.Hosts
		}
		replicas = max(replicas, len(b.Hosts))
		for _, h := range b.Hosts {
			if bytes[h] == 0 {
				names = append(names, h)
			}
			bytes[h] += part
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(bytes[y], bytes[x]) })
	return names[:min(replicas, len(names))]
}
