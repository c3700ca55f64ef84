package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"testing"

	"github.com/opencontainers/go-digest"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
		if h.Name == "replay" && h.Mode != 0o755 {
			t.Errorf("the program has mode %o", h.Mode)
		}
	}
}

// From the index on, everything is found by its digest, of the size that is said, down to the program.
func TestImage(t *testing.T) {
	program := bytes.Repeat([]byte("program "), 1000)
	text, err := image(program, "registry/replay:1", "arm64")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := image(program, "registry/replay:1", "arm64"); err != nil || !bytes.Equal(again, text) {
		t.Errorf("the same program has other bytes (%v)", err)
	}
	files := untar(t, bytes.NewReader(text))
	read := func(d oci.Descriptor, kind string, v any) []byte {
		b := files["blobs/sha256/"+d.Digest.Encoded()]
		if d.MediaType != kind || digest.FromBytes(b) != d.Digest || int64(len(b)) != d.Size {
			t.Fatalf("%s has %d bytes that are not %+v", kind, len(b), d)
		}
		if v != nil {
			if err := json.Unmarshal(b, v); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	var layout oci.ImageLayout
	var index oci.Index
	if err := json.Unmarshal(files[oci.ImageLayoutFile], &layout); err != nil || layout.Version != "1.0.0" {
		t.Errorf("layout %q (%v)", layout.Version, err)
	}
	if err := json.Unmarshal(files[oci.ImageIndexFile], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("index %+v (%v)", index, err)
	}
	var manifest oci.Manifest
	read(index.Manifests[0], oci.MediaTypeImageManifest, &manifest)
	var config oci.Image
	read(manifest.Config, oci.MediaTypeImageConfig, &config)
	layer, err := gzip.NewReader(bytes.NewReader(read(manifest.Layers[0], oci.MediaTypeImageLayerGzip, nil)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(layer)
	if err != nil || len(config.RootFS.DiffIDs) != 1 || digest.FromBytes(plain) != config.RootFS.DiffIDs[0] {
		t.Errorf("the layer is not that of %v (%v)", config.RootFS.DiffIDs, err)
	}
	if config.Architecture != "arm64" || index.Manifests[0].Annotations[oci.AnnotationRefName] != "registry/replay:1" {
		t.Errorf("config %+v, annotations %v", config, index.Manifests[0].Annotations)
	}
	if got := untar(t, bytes.NewReader(plain)); len(got) != 1 || !bytes.Equal(got["replay"], program) {
		t.Errorf("the layer has %d files, the program %d bytes", len(got), len(got["replay"]))
	}
}
