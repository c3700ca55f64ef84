package scenario

import "replay/engine/generic"

// Generic is what the applications of the scenario have in common that run each task in a container of its own.
func (sc *Scenario) Generic() generic.Setup {
	return generic.Setup{Model: &sc.Model, Types: sc.Site.Types, Dense: sc.Engine == Dense}
}
