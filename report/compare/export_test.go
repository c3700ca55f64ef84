package compare

// What the tests from outside share with those from inside.
var (
	MadeUp   = variant
	Compared = of
)
