package workload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"replay/input"
	"replay/outdir"
	"replay/trace"
	"replay/trace/importer/codec"
	"replay/trace/importer/lines"
	"replay/trace/tablefile"
)

// Source is an input of an import while it is read, unpacked. Its errors name it.
type Source struct {
	Name string // in messages: the path, or "standard input"
	Once bool   // nothing in it counts twice where another source has the same bytes
	b    *Builder
	at   int // in the sources of the trace
	file *codec.File
	in   io.Reader // of it
	read int64     // bytes
}

// Open opens a file, or [Stdin], and unpacks it after its first bytes. The trace names it as one of its sources, by its hash
// if it is read to its end; an import that [Options.Limit] ends does not read the rest.
func (b *Builder) Open(path string) (*Source, error) {
	s := &Source{Name: path, b: b, at: len(b.source.Files)}
	base := filepath.Base(path)
	var in io.ReadCloser
	if path == Stdin {
		s.Name, base = Shown(path), Shown(path)
		in = io.NopCloser(b.Options.stdin())
	} else {
		f, err := input.Open(path)
		if err != nil {
			return nil, err
		}
		in = f
	}
	file, err := codec.Reader(in, b.Options.MaxUnpacked)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	s.file = file
	if s.in, err = noArchive(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	b.source.Files = append(b.source.Files, trace.SourceFile{Name: base})
	return s, nil
}

// archives are what files of data are kept in that are none of the data themselves, by what they have at some place, with what is wanted.
var archives = []struct {
	at          int
	magic, want string
}{
	{257, "ustar", "is a tar archive, want the files in it: unpack it first (tar xf)"},
	{0, "PAR1", "is a Parquet file: import it with the format parquet"},
	{0, "version https://git-lfs.github.com/spec/", "is a pointer of Git LFS, want the file that it stands for: git lfs pull fetches it"},
	{0, zipMagic, "is a zip archive, want the files in it: unpack it first (unzip)"},
	{0, "\x1f\x8b", "is packed twice, the second time with gzip: unpack it once"},
	{0, "\x28\xb5\x2f\xfd", "is packed twice, the second time with zstd: unpack it once"},
}

const zipMagic = "PK\x03\x04"

// spreadsheets are zip archives whose first file has a name that begins with one of these.
var spreadsheets = []string{"[Content_Types].xml", "xl/", "docProps/", "mimetypeapplication/vnd.oasis.opendocument.spreadsheet"}

// isArchive is the error of a file with this beginning, if it is an archive: read as a text it would have a first row that is none.
func isArchive(head []byte) error {
	at := func(i int, magic string) bool { return len(head) >= i && bytes.HasPrefix(head[i:], []byte(magic)) }
	if at(0, zipMagic) && slices.ContainsFunc(spreadsheets, func(name string) bool { return at(30, name) }) {
		return errors.New("is a spreadsheet, want its table as text: save it as CSV")
	}
	for _, a := range archives {
		if at(a.at, a.magic) {
			return errors.New(a.want)
		}
	}
	return nil
}

// failed is the rest of a stream that broke off.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// noArchive is what r has; the error is that of an archive.
func noArchive(r io.Reader) (io.Reader, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	rest := r
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		rest = failed{err}
	}
	return io.MultiReader(bytes.NewReader(head[:n]), rest), isArchive(head[:n])
}

func (o *Options) stdin() io.Reader {
	if o.Stdin != nil {
		return o.Stdin
	}
	return os.Stdin
}

func (s *Source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.read += int64(n)
	s.b.Read(s.Name, s.read-int64(n), s.read)
	if err != nil && err != io.EOF {
		return n, s.wrap(err)
	}
	return n, err
}

// Unnamed is s for who names it in errors: those of reading it do not.
func (s *Source) Unnamed() io.Reader { return unnamed{s} }

type unnamed struct{ s *Source }

func (u unnamed) Read(p []byte) (int, error) {
	n, err := u.s.Read(p)
	if e := new(sourceError); errors.As(err, &e) {
		err = e.err
	}
	return n, err
}

func (s *Source) wrap(err error) error {
	if large := new(input.TooLarge); errors.As(err, &large) {
		return &sourceError{s.Name, "", fmt.Errorf("%w; --max-unpacked allows more", err)}
	}
	return &sourceError{s.Name, "", err}
}

// sourceError is what is wrong with a source.
type sourceError struct {
	name  string
	after string // of the last that could be read, or ""
	err   error
}

func (e *sourceError) Error() string { return e.name + ": " + e.after + e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// After says behind which line an error of reading s came.
func (s *Source) After(line int, err error) error {
	after := fmt.Sprintf("after line %d: ", line)
	if e := new(sourceError); errors.As(err, &e) {
		return &sourceError{e.name, after, e.err}
	}
	return &sourceError{s.Name, after, err}
}

// Close ends the reading, and tells the trace the hash of the source.
func (s *Source) Close() error {
	if s.b.full() {
		return s.file.Close()
	}
	sum, err := s.file.SHA256()
	s.b.source.Files[s.at].SHA256 = sum
	if !s.Once {
		s.b.sayCopy(s.Name, sum, s.read)
	}
	return errors.Join(err, s.file.Close())
}

// EachLine opens an input and gives its lines to f, without their ends and with their numbers from 1. A line is valid until f returns, whose error ends
// the reading. Input that breaks off is an error, see [Builder.Damaged].
func (b *Builder) EachLine(ctx context.Context, path string, f func(s *Source, n int, line []byte) error) error {
	s, err := b.Open(path)
	if err != nil {
		return err
	}
	in := lines.NewReader(s)
	for {
		line, _, err := in.Next()
		if err == io.EOF {
			return s.Close()
		}
		if err != nil {
			err = b.Damaged(s.After(in.Line(), err))
			s.Close() // says the same again
			return err
		}
		if in.Line()%1024 == 0 && ctx.Err() != nil {
			s.file.Close()
			return ctx.Err()
		}
		if err := f(s, in.Line(), line); err != nil {
			s.file.Close()
			return err
		}
	}
}

// headBytes is how much of the beginning of a file [Format.Detect] sees.
const headBytes = 64 << 10

// Head returns the beginning of a file, unpacked, for [Format.Detect]: of a Parquet file "PAR1" and the names of its columns, one a line.
// An archive of files is an error; of a zip its own beginning stands beside that, as a format may take some.
func Head(path string) ([]byte, error) {
	f, err := codec.Open(path, "", 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := headOf(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !bytes.HasPrefix(head, []byte("PAR1")) {
		if err := isArchive(head); err != nil {
			if !bytes.HasPrefix(head, []byte(zipMagic)) {
				head = nil
			}
			return head, fmt.Errorf("%s: %w", path, err)
		}
		return head, nil
	}
	t, err := tablefile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer t.Close()
	head = []byte("PAR1\n")
	for i := range t.Leaves() {
		head = append(append(head, t.Leaf(i).Name()...), '\n')
	}
	return head, nil
}

// headOf reads a head; what breaks off is none beyond that.
func headOf(r io.Reader) ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(r, head)
	if n > 0 {
		err = nil
	}
	if err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// Head returns what [Head] does of an input, or of standard input, which is still read from its beginning.
func (b *Builder) Head(path string) ([]byte, error) {
	if path == Stdin {
		return PeekStdin(b.Options)
	}
	return Head(path)
}

// PeekStdin makes opt read standard input from a buffer, and returns its head.
func PeekStdin(opt *Options) ([]byte, error) {
	in := opt.stdin()
	packed := make([]byte, headBytes)
	n, err := io.ReadFull(in, packed)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	opt.Stdin = io.MultiReader(bytes.NewReader(packed[:n]), in)
	f, err := codec.Reader(io.NopCloser(bytes.NewReader(packed[:n])), 0)
	if err != nil {
		return nil, err
	}
	return headOf(f)
}

// StdinAsFile is the inputs with a temporary file in place of [Stdin], for a format that looks at its files before it reads them. remove takes the file away.
func (b *Builder) StdinAsFile(inputs []string) (files []string, remove func(), err error) {
	if !slices.Contains(inputs, Stdin) {
		return inputs, func() {}, nil
	}
	scratch, err := outdir.Scratch("replay-input")
	if err != nil {
		return nil, nil, err
	}
	path := scratch.Path("standard input")
	f, err := os.Create(path)
	if err == nil {
		_, err = io.Copy(f, b.Options.stdin())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		scratch.Abort()
		return nil, nil, fmt.Errorf("standard input: %w", err)
	}
	files = slices.Clone(inputs)
	for i, in := range files {
		if in == Stdin {
			files[i] = path
		}
	}
	return files, scratch.Abort, nil
}
