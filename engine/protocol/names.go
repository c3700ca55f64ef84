package protocol

// Name is an interned resource name. [Any] is "*"; other values are given by [Names.Intern].
type Name uint32

// Any is the name "*": anywhere in the cluster.
const Any Name = 0

// Names interns resource names for one simulation. The zero value is not usable; see [NewNames].
type Names struct {
	text []string
	id   map[string]Name

	rank []int32  // order by text, see Rank
	seen []uint32 // scratch of the passes over lists of names
	pass uint32
}

// NewNames returns a table that holds only [Any].
func NewNames() *Names {
	return &Names{text: []string{"*"}, id: map[string]Name{"*": Any}}
}

// Intern returns the name of s, the same for the same text.
func (n *Names) Intern(s string) Name {
	if id, ok := n.id[s]; ok {
		return id
	}
	id := Name(len(n.text))
	n.text = append(n.text, s)
	n.id[s] = id
	return id
}

// Text returns the text that was interned as id.
func (n *Names) Text(id Name) string { return n.text[id] }

// Len returns how many names there are, [Any] included.
func (n *Names) Len() int { return len(n.text) }
