package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is a configuration folder of Hadoop and Spark as administrators have it. Its files are those of the
// user wherever no file is given by itself. The zero Folder is none.
type Folder struct {
	Name   string
	Files  Files    // by kind, the first of each kind in the order of the places
	Others []string // files in it that are of no kind or not the first of theirs, by path below Name
}

// folderKinds are the files that are looked for in a folder.
func folderKinds() []string {
	kinds := []string{YarnSite, ResourceTypes}
	for i := range Schedulers {
		if file := Schedulers[i].File; file != "" {
			kinds = append(kinds, file)
		}
	}
	return append(kinds, MapredSite, SparkDefaults, SparkPools)
}

// folderPlaces are where files lie below a folder: in it, and in the folders in which distributions of Hadoop and
// Spark, packages, cluster managers and images keep them.
var folderPlaces = []string{".", "conf", "etc/hadoop", "etc/hadoop/conf", "hadoop", "hadoop/conf", "hadoop/etc/hadoop", "hadoop-conf", "yarn-conf", "yarn/conf",
	"spark", "spark/conf", "etc/spark", "etc/spark/conf", "spark-conf"}

// ReadFolder reads the files of a configuration folder. A folder without any of them is an error.
func ReadFolder(dir string) (Folder, error) {
	f := Folder{Name: dir, Files: Files{}}
	if _, err := os.ReadDir(dir); err != nil {
		return f, fmt.Errorf("want a folder of configuration files: %w", err)
	}
	kinds := folderKinds()
	for _, place := range folderPlaces {
		entries, err := os.ReadDir(filepath.Join(dir, place))
		if err != nil {
			continue // most folders have few of the places
		}
		for _, e := range entries {
			path := filepath.Join(place, e.Name())
			info, err := os.Stat(filepath.Join(dir, path)) // files are often links
			if err != nil || info.IsDir() {
				continue
			}
			if _, taken := f.Files[e.Name()]; taken || !slices.Contains(kinds, e.Name()) {
				f.Others = append(f.Others, path)
				continue
			}
			if f.Files[e.Name()], err = ReadFile(filepath.Join(dir, path)); err != nil {
				return f, err
			}
		}
	}
	if len(f.Files) == 0 {
		return f, fmt.Errorf("%s: none of %s is there, nor below it in %s", dir, strings.Join(kinds, ", "), strings.Join(folderPlaces[1:], ", "))
	}
	return f, nil
}

// has reports whether the folder has a file of the kind.
func (f *Folder) has(kind string) bool { _, ok := f.Files[kind]; return ok }

// inFolder reports whether the file lies in the folder.
func (f *Folder) inFolder(file File) bool {
	rel, err := filepath.Rel(f.Name, file.Name)
	return f.Name != "" && err == nil && filepath.IsLocal(rel)
}

// use notes that a file is in force.
func (sc *Scenario) use(f File) { sc.used = append(sc.used, filepath.Clean(f.Name)) }

// checkFolder refuses a folder of which nothing is in force as its queues are those of another scheduler than the one that a yarn-site.xml
// elsewhere names: a replay of it would be one without it. Who names a scheduler by flag knows of both.
func (sc *Scenario) checkFolder(chosen string) error {
	if chosen != "" || slices.ContainsFunc(sc.used, func(path string) bool { return sc.Folder.inFolder(File{Name: path}) }) {
		return nil
	}
	for i := range Schedulers {
		if s := &Schedulers[i]; s != sc.scheduler && sc.Folder.has(s.File) {
			return fmt.Errorf("--config-dir %s: nothing of it is read: its %s is for the %s, and the yarn-site.xml in force names the %s; --scheduler %s makes it decide",
				sc.Folder.Name, s.File, s.SimpleClass(), sc.scheduler.SimpleClass(), s.Name)
		}
	}
	return nil
}

// folderRemark says in one line what of the folder is in force and what is not.
func (sc *Scenario) folderRemark() {
	if sc.Folder.Name == "" {
		return
	}
	var took, passed []string
	name := func(path string) string {
		if rel, err := filepath.Rel(sc.Folder.Name, path); err == nil {
			return rel
		}
		return path
	}
	for _, kind := range folderKinds() {
		f, ok := sc.Folder.Files[kind]
		if ok && !slices.Contains(sc.used, filepath.Clean(f.Name)) {
			passed = append(passed, strings.TrimSpace(name(f.Name)+" "+sc.whyPassed(kind)))
		}
	}
	for _, path := range sc.used {
		if text := name(path); sc.Folder.inFolder(File{Name: path}) && !slices.Contains(took, text) {
			took = append(took, text)
		}
	}
	for _, path := range sc.Folder.Others {
		if !slices.Contains(took, path) {
			passed = append(passed, path)
		}
	}
	text := "nothing is read"
	if len(took) > 0 {
		text = "read " + strings.Join(took, ", ")
	}
	const most = 5
	if n := len(passed) - most; n > 1 && !sc.Verbose {
		passed = append(passed[:most], fmt.Sprintf("%d more (--verbose lists them)", n))
	}
	if len(passed) > 0 {
		text += "; not read: " + strings.Join(passed, ", ")
	}
	sc.warn("config-dir", "--config-dir %s: %s", sc.Folder.Name, text)
}

// whyPassed says in brackets why a file of the folder is not in force.
func (sc *Scenario) whyPassed(kind string) string {
	if f, ok := sc.Files[kind]; ok {
		return fmt.Sprintf("(--%s %s is used)", flagOf(kind), f.Name)
	}
	for i := range Schedulers {
		switch s := &Schedulers[i]; {
		case s.File != kind:
		case s != sc.scheduler:
			return fmt.Sprintf("(for the %s)", s.SimpleClass())
		case s.Reloads:
			return fmt.Sprintf("(%s names another)", keyAllocationFile)
		}
	}
	return ""
}

// flagOf is the flag that gives a file of the kind, without dashes.
func flagOf(kind string) string {
	return strings.TrimSuffix(strings.TrimSuffix(kind, ".xml"), ".conf")
}
