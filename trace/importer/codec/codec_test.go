package codec

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
)

const sampleLog = "../testdata/spark-eventlog/eventlogs/app-20261121064901-0000"

// unpack reads a whole log.
func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	r, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

func TestCodecs(t *testing.T) {
	want := unpacked(t, sampleLog+".zstd")
	if n := bytes.Count(want, []byte("\n")); n != 169 {
		t.Fatalf("the log has %d lines, want 169", n)
	}
	for _, suffix := range []string{".lz4", ".snappy", ".lzf"} {
		if got := unpacked(t, sampleLog+suffix); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes that differ from the %d of the zstd log", suffix, len(got), len(want))
		}
	}
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		data []byte
	}{
		{"plain", want}, {"app.gz", packGzip(t, want)}, {"app.zstd.inprogress.gz", packGzip(t, want)}, {"app.inprogress", want},
		{"no-suffix", mustRead(t, sampleLog+".zstd")}, {"no-suffix-either", mustRead(t, sampleLog+".lzf")},
		{"two-streams.lz4", append(mustRead(t, sampleLog+".lz4"), mustRead(t, sampleLog+".lz4")...)},
		{"two-streams.snappy", append(mustRead(t, sampleLog+".snappy"), mustRead(t, sampleLog+".snappy")...)},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, tt.data, 0o644); err != nil {
			t.Fatal(err)
		}
		want := want
		if strings.HasPrefix(tt.name, "two") {
			want = append(bytes.Clone(want), want...)
		}
		if got := unpacked(t, path); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d", tt.name, len(got), len(want))
		}
	}
}

// The hash is that of all bytes of the file, however much of it was unpacked, and what one file was read through serves the next.
func TestHash(t *testing.T) {
	for _, suffix := range []string{"", ".zstd", ".lz4", ".snappy", ".lzf", ".gz", ".zstd.gz", ".xz"} {
		path := sampleLog + suffix
		whole := unpacked(t, sampleLog+".zstd")
		switch suffix {
		case "":
			path = filepath.Join(t.TempDir(), "plain")
			mustWrite(t, path, whole)
		case ".gz":
			path = filepath.Join(t.TempDir(), "packed.gz")
			mustWrite(t, path, append(packGzip(t, whole), "what is no stream"...))
		case ".zstd.gz":
			path = filepath.Join(t.TempDir(), "packed.zstd.gz")
			mustWrite(t, path, packGzip(t, mustRead(t, sampleLog+".zstd")))
		case ".xz":
			path = filepath.Join(t.TempDir(), "too short")
			mustWrite(t, path, []byte("x"))
		}
		want := fmt.Sprintf("%x", sha256.Sum256(mustRead(t, path)))
		for _, most := range []int64{0, 1000, 1 << 40} {
			f, err := OpenHashed(path, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.LimitReader(f, most))
			if err != nil && !strings.HasSuffix(suffix, ".gz") || suffix != ".xz" && !bytes.HasPrefix(whole, got) {
				t.Errorf("%q: %d bytes, %v", suffix, len(got), err)
			}
			if sum, err := f.SHA256(); err != nil || sum != want {
				t.Errorf("%q of which %d bytes were unpacked: %s, %v; want %s", suffix, most, sum, err, want)
			}
			for range 2 { // the second does nothing
				if err := f.Close(); err != nil {
					t.Errorf("%q: %v", suffix, err)
				}
			}
		}
	}
	one, err := Open(sampleLog+".zstd", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := Open(sampleLog+".zstd", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if one.buffer == two.buffer {
		t.Error("two open files have one buffer")
	}
}

func mustWrite(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func packGzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Two streams of xz, of which the first one begins with a byte order mark.
func TestXZ(t *testing.T) {
	packed, err := base64.StdEncoding.DecodeString("/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAR77u/c3VibWl0LGVuZAoxLDIKAAAApcF/5wZbt4UAASoSSwhUvB+2830BAAAAAARZWv03elhaAAAE5ta0RgIAIQEWAAAAdC/lowEAAzMsNAoAPlzDS1dpPAoAARwEbyycwR+2830BAAAAAARZWg==")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rows.csv.xz")
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := unpacked(t, path); string(got) != "submit,end\n1,2\n3,4\n" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(path, packed[:len(packed)-30], 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err == nil {
		t.Errorf("cut off, it reads as %q", got)
	}
}

// A text is read without the mark before it, whatever it is packed with and however short it is; what looks like a part of a mark is text.
func TestByteOrderMark(t *testing.T) {
	for text, want := range map[string]string{"\xef\xbb\xbfa": "a", "\xef\xbb\xbf": "", "\xef\xbb": "\xef\xbb", "ab": "ab", "": "", "a\xef\xbb\xbf": "a\xef\xbb\xbf"} {
		for name, data := range map[string][]byte{"plain": []byte(text), "gz": packGzip(t, []byte(text))} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if got := unpacked(t, path); string(got) != want {
				t.Errorf("%s of %q is read as %q, want %q", name, text, got, want)
			}
		}
	}
}

// decoders are those of our own.
var decoders = map[string]func(io.Reader) io.Reader{
	"lz4":    func(r io.Reader) io.Reader { return newLZ4BlockReader(r) },
	"snappy": func(r io.Reader) io.Reader { return newSnappyReader(r) },
	"lzf":    func(r io.Reader) io.Reader { return newLZFReader(r) },
}

func TestCutCodecs(t *testing.T) {
	want := unpacked(t, sampleLog+".zstd")
	for name, open := range decoders {
		packed := mustRead(t, sampleLog+"."+name)
		for n := 0; n < len(packed); n += 97 {
			got, err := io.ReadAll(open(bytes.NewReader(packed[:n])))
			if !bytes.HasPrefix(want, got) {
				t.Fatalf("%s cut at %d: %d bytes that are not the begin of the log", name, n, len(got))
			}
			if err == nil && len(got) == len(want) && n < len(packed)-30 {
				t.Errorf("%s cut at %d gives the whole log", name, n)
			}
		}
	}
}

func TestDamagedLZ4(t *testing.T) {
	packed := mustRead(t, sampleLog+".lz4")
	for _, tt := range []struct {
		name string
		at   int
		want string
	}{
		{"magic", 0, "want \"LZ4Block\""},
		{"method", 8, "want 0x10 (stored) or 0x20 (LZ4)"},
		{"checksum", 17, "checksum"},
		{"data", 400, "block at byte 0"},
		{"length", 15, "want at most the block size"},
	} {
		bad := bytes.Clone(packed)
		bad[tt.at] ^= 0x55
		_, err := io.ReadAll(newLZ4BlockReader(bytes.NewReader(bad)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// The values are those of lz4-java for the sample log.
func TestXXH32(t *testing.T) {
	data := unpacked(t, sampleLog+".zstd")
	for n, want := range map[int]uint32{
		0: 0x8d3b42d8, 1: 0x1e300124, 3: 0xe0dfc767, 4: 0x9c39ded3, 15: 0x627f4aac, 16: 0x6b9c7653,
		17: 0xa3049f05, 31: 0xb07c02f4, 32: 0x47dc665a, 100: 0x50affc58, len(data): 0x3514987a,
	} {
		if got := xxh32(data[:n], lz4Seed); got != want {
			t.Errorf("xxh32 of %d bytes is %08x, want %08x", n, got, want)
		}
	}
}

// packLZ4 makes one block and the end of the stream.
func packLZ4(data []byte) []byte {
	block := make([]byte, lz4.CompressBlockBound(len(data)))
	n, err := lz4.CompressBlock(data, block, nil)
	method, body := byte(lz4Packed), block[:n]
	if err != nil || n == 0 {
		method, body = lz4Stored, data
	}
	out := append([]byte(lz4Magic), method|6) // blocks of 64 KiB
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint32(out, xxh32(data, lz4Seed)&0x0fffffff)
	return append(out, body...)
}

func FuzzDecoders(f *testing.F) {
	for name := range decoders {
		packed := mustRead(f, sampleLog+"."+name)
		f.Add(packed[:min(len(packed), 3000)])
	}
	f.Add(packLZ4([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")))
	f.Add([]byte("ZV\x01\x00\x05\x00\x08\x00a\xe0\x00\x00"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		for name, open := range decoders {
			got, err := io.ReadAll(io.LimitReader(open(bytes.NewReader(packed)), 64<<20))
			if err == nil && name != "snappy" && len(got) > 300*(len(packed)+1) {
				t.Errorf("%s: %d bytes unpack to %d", name, len(packed), len(got))
			}
		}
		if len(packed) < 1<<16 && len(packed) > 0 {
			got, err := io.ReadAll(newLZ4BlockReader(bytes.NewReader(packLZ4(packed))))
			if err != nil || !bytes.Equal(got, packed) {
				t.Errorf("lz4 round trip of %d bytes: %d bytes, %v", len(packed), len(got), err)
			}
		}
	})
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ name, data, want string }{
		{"app.zstd", `{"Event":"x"}`, "the name says zstd, but the file begins with 7b 22 45 76 65 6e 74 22, which is plain: rename it"},
		{"app.lz4", "\x28\xb5\x2f\xfd0000", "which is zstd: rename it"},
		{"table.csv.gz", "ZV,a,b\n", "which is plain"},
		{"cut", "\x1f\x8b\x08", "gz: unexpected EOF"},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, OfName(path), 0); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with the path and %q", tt.name, err, tt.want)
		}
	}
}

// BenchmarkCodec unpacks the sample log.
func BenchmarkCodec(b *testing.B) {
	for _, suffix := range []string{"zstd", "lz4", "snappy", "lzf"} {
		b.Run("codec="+suffix, func(b *testing.B) {
			b.SetBytes(int64(len(unpacked(b, sampleLog+"."+suffix))))
			for b.Loop() {
				unpacked(b, sampleLog+"."+suffix)
			}
		})
	}
}

// Gzip with other bytes after it is read up to them, and says so once: not again when it is closed. So it is with one that breaks off. Zeros after it are no other bytes.
func TestDamagedGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	packed.WriteString(packed.String()) // a place is one in the file, not in its last member
	for name, tt := range map[string]struct{ data, want string }{
		"zeros":          {packed.String() + strings.Repeat("\x00", 5120), ""},
		"a zero":         {packed.String() + "\x00" + packed.String(), ""},
		"zeros and text": {packed.String() + strings.Repeat("\x00", 512) + "more and more", fmt.Sprintf("bytes that are not packed, 6d 6f, are at byte %d, after all gzip data", packed.Len()+512)},
		"one byte":       {packed.String() + "m", fmt.Sprintf("bytes that are not packed, 6d, are at byte %d, after all gzip data", packed.Len())},
		"text":           {packed.String() + "more and more", fmt.Sprintf("bytes that are not packed, 6d 6f, are at byte %d, after all gzip data", packed.Len())},
		"members":        {packed.String() + packed.String(), ""},
		"cut":            {packed.String()[:packed.Len()-4], fmt.Sprintf("gzip data at byte %d: unexpected EOF", packed.Len()-4)},
		"begun":          {packed.String() + gzipMagic, fmt.Sprintf("gzip data at byte %d: unexpected EOF", packed.Len())},
		"half":           {packed.String() + gzipMagic[:1], fmt.Sprintf("gzip data at byte %d: unexpected EOF", packed.Len())},
		"sum":            {packed.String()[:packed.Len()-5] + "\x01" + packed.String()[packed.Len()-4:], fmt.Sprintf("gzip data at byte %d: gzip: invalid checksum", packed.Len())},
	} {
		r, err := Reader(io.NopCloser(strings.NewReader(tt.data)), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if !strings.HasPrefix(string(got), "text") || tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %q, %v, want text and %q", name, got, err, tt.want)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: closing says %v", name, err)
		}
	}
}
