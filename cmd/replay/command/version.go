package command

// version is the program's version; results record it.
const version = "0.1.0"
