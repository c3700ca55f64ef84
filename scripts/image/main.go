// Command image builds the program without C and writes it as an OCI image of one layer, an archive that `docker load`, `podman load`, `skopeo copy oci-archive:FILE`
// and registries take. The image has /replay and nothing else. The same program has the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	_ "crypto/sha256" // of digests, which do not bring it themselves
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"

	"replay/outdir"
)

func main() {
	out := flag.String("out", "replay.tar", "write the image to `FILE`")
	name := flag.String("name", "replay:latest", "`NAME` of the image, as a cluster calls it")
	arch := flag.String("arch", runtime.GOARCH, "build for machines of `ARCH`")
	flag.Parse()
	if err := write(*out, *name, *arch); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(out, name, arch string) error {
	dir, err := os.MkdirTemp("", "replay-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "replay")
	build := exec.Command("go", "build", "-o", path, "./cmd/replay")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := image(program, name, arch)
	if err != nil {
		return err
	}
	return outdir.WriteFile(out, text)
}

// image is an archive of an image layout with one image.
func image(program []byte, name, arch string) ([]byte, error) {
	var b bytes.Buffer
	files := tar.NewWriter(&b)
	var layer, packed bytes.Buffer
	if err := single(&layer, "replay", 0o755, program); err != nil {
		return nil, err
	}
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(layer.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	blob := func(kind string, text []byte) (oci.Descriptor, error) {
		d := digest.FromBytes(text)
		return oci.Descriptor{MediaType: kind, Digest: d, Size: int64(len(text))}, add(files, "blobs/"+d.Algorithm().String()+"/"+d.Encoded(), 0o644, text)
	}
	object := func(kind string, v any) (oci.Descriptor, error) {
		text, err := json.Marshal(v)
		if err != nil {
			return oci.Descriptor{}, err
		}
		return blob(kind, text)
	}
	top, err := blob(oci.MediaTypeImageLayerGzip, packed.Bytes())
	if err != nil {
		return nil, err
	}
	platform := oci.Platform{OS: "linux", Architecture: arch}
	config, err := object(oci.MediaTypeImageConfig, oci.Image{
		Platform: platform, Config: oci.ImageConfig{Entrypoint: []string{"/replay"}},
		RootFS: oci.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(layer.Bytes())}},
	})
	if err != nil {
		return nil, err
	}
	version := specs.Versioned{SchemaVersion: 2}
	manifest, err := object(oci.MediaTypeImageManifest, oci.Manifest{Versioned: version, MediaType: oci.MediaTypeImageManifest, Config: config, Layers: []oci.Descriptor{top}})
	if err != nil {
		return nil, err
	}
	manifest.Platform = &platform
	manifest.Annotations = map[string]string{oci.AnnotationRefName: name, "io.containerd.image.name": name}
	for _, f := range []struct {
		name string
		v    any
	}{
		{oci.ImageIndexFile, oci.Index{Versioned: version, MediaType: oci.MediaTypeImageIndex, Manifests: []oci.Descriptor{manifest}}},
		{oci.ImageLayoutFile, oci.ImageLayout{Version: oci.ImageLayoutVersion}},
	} {
		text, err := json.Marshal(f.v)
		if err == nil {
			err = add(files, f.name, 0o644, text)
		}
		if err != nil {
			return nil, err
		}
	}
	err = files.Close()
	return b.Bytes(), err
}

// single writes an archive of one file.
func single(w io.Writer, name string, mode int64, text []byte) error {
	t := tar.NewWriter(w)
	if err := add(t, name, mode, text); err != nil {
		return err
	}
	return t.Close()
}

func add(t *tar.Writer, name string, mode int64, text []byte) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(text))}); err != nil {
		return err
	}
	_, err := t.Write(text)
	return err
}
