package wfcommons

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"replay/input"
)

// document is what is taken of an instance. Of its text no more is in memory than one task or machine.
type document struct {
	file                  string
	name, schema          string
	executedAt, createdAt string
	specified             map[string]bool  // ids; nil before schema 1.5
	tasks                 map[string]*task // by id, or name
	order                 []*task
	machines              []machine
	in                    *json.Decoder
}

// badPart is a value of a document that is not what was wanted.
type badPart struct {
	file  string
	at    int64 // byte
	where string
	err   error
}

func (e *badPart) Error() string {
	return fmt.Sprintf("%s: byte %d: %s: %v", e.file, e.at, e.where, e.err)
}

// read reads a document. An error that is no badPart is one of its text.
func (d *document) read(r io.Reader) error {
	d.in = json.NewDecoder(r)
	err := d.object("", map[string]func() error{
		"name":          func() error { return d.value("name", &d.name) },
		"schemaVersion": func() error { return d.value("schemaVersion", &d.schema) },
		"createdAt":     func() error { return d.value("createdAt", &d.createdAt) },
		"workflow": func() error {
			return d.object("workflow", map[string]func() error{
				"executedAt": func() error { return d.value("workflow.executedAt", &d.executedAt) },
				"jobs":       func() error { return d.each("workflow.jobs", d.task) },
				"tasks":      func() error { return d.each("workflow.tasks", d.task) },
				"machines":   func() error { return d.each("workflow.machines", d.machine) },
				"specification": func() error {
					d.newer()
					return d.object("workflow.specification", map[string]func() error{"tasks": func() error { return d.each("workflow.specification.tasks", d.specification) }})
				},
				"execution": func() error {
					d.newer()
					return d.object("workflow.execution", map[string]func() error{
						"executedAt": func() error { return d.value("workflow.execution.executedAt", &d.executedAt) },
						"tasks":      func() error { return d.each("workflow.execution.tasks", d.part) },
						"machines":   func() error { return d.each("workflow.execution.machines", d.machine) },
					})
				},
			})
		},
	})
	if err == nil && len(d.order) == 0 {
		err = &badPart{d.file, d.in.InputOffset(), "workflow", errors.New("has no jobs, tasks or specification, want one of them")}
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: byte %d: %w, want a JSON document", d.file, d.in.InputOffset(), err)
	}
	return err
}

// end is the error of text after the document, which is also where a packed file that was damaged shows it.
func (d *document) end() error {
	at := d.in.InputOffset()
	switch _, err := d.in.Token(); {
	case err == io.EOF:
		return nil
	case err == nil || errors.As(err, new(*json.SyntaxError)):
		return fmt.Errorf("%s: byte %d: there is more after the document, want one a file", d.file, at)
	default:
		return fmt.Errorf("%s: byte %d: after the document: %w", d.file, at, err)
	}
}

func (d *document) bad(where string, err error) error {
	return &badPart{d.file, d.in.InputOffset(), where, err}
}

// object reads an object whose known keys have readers; other values are passed over.
func (d *document) object(where string, keys map[string]func() error) error {
	t, err := d.in.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return d.bad(where, fmt.Errorf("is %v, want an object", t))
	}
	for d.in.More() {
		key, err := d.in.Token()
		if err != nil {
			return err
		}
		take := keys[key.(string)]
		if take == nil {
			take = d.skip
		}
		if err := take(); err != nil {
			return err
		}
	}
	_, err = d.in.Token()
	return err
}

// skip passes over a value.
func (d *document) skip() error {
	for depth := 0; ; {
		t, err := d.in.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// value reads a text, or another value as it is printed; null is none.
func (d *document) value(where string, to *string) error {
	var v any
	if err := d.decode(where, &v); err != nil {
		return err
	}
	if v != nil {
		*to = fmt.Sprint(v)
	}
	return nil
}

func (d *document) decode(where string, to any) error {
	err := d.in.Decode(to)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return d.bad(where, input.WrongJSON(err))
	}
	return err
}

// each reads the elements of a list one by one.
func (d *document) each(where string, take func(where string) error) error {
	t, err := d.in.Token()
	if err != nil {
		return err
	}
	if t == nil {
		return nil
	}
	if t != json.Delim('[') {
		return d.bad(where, fmt.Errorf("is %v, want a list", t))
	}
	for i := 0; d.in.More(); i++ {
		if err := take(fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return err
		}
	}
	_, err = d.in.Token()
	return err
}

// task reads a task that has everything about it.
func (d *document) task(where string) error {
	t := new(task)
	if err := d.decode(where, t); err != nil {
		return err
	}
	if t.id() == "" {
		return d.bad(where, errors.New("has no name and no id, want one"))
	}
	d.order = append(d.order, t)
	return nil
}

// machine reads a machine.
func (d *document) machine(where string) error {
	var m machine
	if err := d.decode(where, &m); err != nil {
		return err
	}
	d.machines = append(d.machines, m)
	return nil
}

// byID makes the tasks be known by their ids, if each has one of its own and a name is that of several, as steps of Nextflow have. ok is false if they stay known by their names.
func (d *document) byID() (ok bool) {
	byName, ids := map[string]string{}, map[string]bool{}
	shared := false
	for _, t := range d.order {
		if t.ID == "" || ids[t.ID] {
			return false
		}
		ids[t.ID] = true
		_, taken := byName[t.Name]
		shared = shared || taken && t.Name != ""
		byName[t.Name] = t.ID
		if taken {
			byName[t.Name] = "" // says nothing
		}
	}
	if !shared {
		return false
	}
	for _, t := range d.order {
		t.Category, t.Name = t.kind(), ""
		for _, list := range [][]string{t.Parents, t.Children} {
			for i, name := range list {
				if !ids[name] && byName[name] != "" {
					list[i] = byName[name]
				}
			}
		}
	}
	return true
}

// byName makes ids of tasks among parents and children names, as documents before schema 1.5 may have either.
func (d *document) byName() {
	name := map[string]string{}
	for _, t := range d.order {
		if t.Name != "" && t.ID != "" {
			name[t.ID] = t.Name
		}
	}
	for _, t := range d.order {
		delete(name, t.Name) // is a name
	}
	for _, t := range d.order {
		for _, list := range [][]string{t.Parents, t.Children} {
			for i, id := range list {
				if n, ok := name[id]; ok {
					list[i] = n
				}
			}
		}
	}
}

// part reads a task of an execution.
func (d *document) part(where string) error {
	_, err := d.half(where)
	return err
}

// half reads a task of a specification or an execution, and joins it with the other one by its id.
func (d *document) half(where string) (*task, error) {
	t := new(task)
	if err := d.decode(where, t); err != nil {
		return nil, err
	}
	if t.ID == "" {
		return nil, d.bad(where, errors.New("has no id, want one"))
	}
	name := t.Name
	t.Name = "" // parents are ids
	have := d.tasks[t.ID]
	if have == nil {
		d.tasks[t.ID] = t
		d.order = append(d.order, t)
		have = t
	} else {
		have.join(t)
	}
	if have.Category == "" && name != "" {
		have.Category = (&task{Name: name}).kind()
	}
	return have, nil
}

// newer says that the document has specifications of its tasks.
func (d *document) newer() {
	if d.specified == nil {
		d.specified = map[string]bool{}
	}
}

// specification reads a task of a specification.
func (d *document) specification(where string) error {
	t, err := d.half(where)
	if err == nil {
		d.specified[t.ID] = true
	}
	return err
}

// join takes from the other half of a task what it has.
func (t *task) join(o *task) {
	t.Parents, t.Children, t.Machines = append(t.Parents, o.Parents...), append(t.Children, o.Children...), append(t.Machines, o.Machines...)
	for _, v := range []struct{ to, from **float64 }{
		{&t.Runtime, &o.Runtime}, {&t.RuntimeInSeconds, &o.RuntimeInSeconds}, {&t.Cores, &o.Cores}, {&t.CoreCount, &o.CoreCount}, {&t.Memory, &o.Memory}, {&t.MemoryInBytes, &o.MemoryInBytes},
	} {
		if *v.from != nil {
			*v.to = *v.from
		}
	}
	if t.Command == nil {
		t.Command = o.Command
	}
	if t.Program == "" {
		t.Program = o.Program
	}
}
