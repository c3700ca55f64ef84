#include "textflag.h"

// func lines(p unsafe.Pointer, n int)
//
// Most ask for up to four.
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ n+8(FP), CX

more:
	CMPQ CX, $2
	JLT  one
	JEQ  two
	CMPQ CX, $4
	JLT  three
	PREFETCHT0 192(AX)

three:
	PREFETCHT0 128(AX)

two:
	PREFETCHT0 64(AX)

one:
	PREFETCHT0 (AX)
	ADDQ $256, AX
	SUBQ $4, CX
	JG   more
	RET
