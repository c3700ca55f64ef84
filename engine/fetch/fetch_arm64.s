#include "textflag.h"

// func lines(p unsafe.Pointer, bytes uintptr)
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD bytes+8(FP), R1

next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0
	SUBS $64, R1
	BGT  next
	RET
