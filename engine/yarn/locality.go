package yarn

// LocalityLevel is how far from the wanted place an application accepts containers at present.
type LocalityLevel uint8

// Levels; NoLevel is that of a key that no node was offered to.
const (
	NoLevel LocalityLevel = iota
	NodeLevel
	RackLevel
	AnyLevel
)

func (l LocalityLevel) String() string {
	return [...]string{"none", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"}[l]
}
