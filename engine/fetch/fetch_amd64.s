#include "textflag.h"

// func lines(p unsafe.Pointer, bytes uintptr)
//
// Most ask for up to four.
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ bytes+8(FP), CX

more:
	CMPQ CX, $64
	JLE  one
	CMPQ CX, $128
	JLE  two
	CMPQ CX, $192
	JLE  three
	PREFETCHT0 192(AX)

three:
	PREFETCHT0 128(AX)

two:
	PREFETCHT0 64(AX)

one:
	PREFETCHT0 (AX)
	ADDQ $256, AX
	SUBQ $256, CX
	JG   more
	RET
