package tablefile

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Decimal tells whether the values are decimals that can be read: whole numbers of units of ten to a power of 0 or less, in 4 or 8 bytes, or in as many as it takes.
func (l *Leaf) Decimal() bool {
	switch l.Kind {
	case parquet.Int32, parquet.Int64, parquet.ByteArray, parquet.FixedLenByteArray:
		return l.Logical == "decimal" && l.scale >= 0 && l.scale <= mostDigits
	}
	return false
}

// mostDigits bounds the digits of a decimal, of which Spark and Hive have 38.
const mostDigits = 76

// mostBytes have room for that many.
const mostBytes = 32

// Decimals decodes pages of decimals, as text.
func Decimals(l *Leaf) func(parquet.Page) []string {
	switch l.Kind {
	case parquet.Int32:
		return texts(Int32s, func(v int32) string { return l.point(fmt.Sprint(v)) })
	case parquet.Int64:
		return texts(Int64s, func(v int64) string { return l.point(fmt.Sprint(v)) })
	case parquet.ByteArray:
		return texts(Texts, l.unscaled)
	}
	return texts(fixed, l.unscaled)
}

func texts[T any](decode func(parquet.Page) []T, text func(T) string) func(parquet.Page) []string {
	return func(p parquet.Page) []string { return mapped(decode(p), text) }
}

// fixed decodes a page of values of one length.
func fixed(p parquet.Page) []string {
	d := p.Data()
	data, size := d.FixedLenByteArray()
	all := string(data)
	list := make([]string, 0, len(all)/size)
	for ; len(all) >= size; all = all[size:] {
		list = append(list, all[:size])
	}
	return list
}

// unscaled reads the bytes of a whole number with a sign, the largest first.
func (l *Leaf) unscaled(bytes string) string {
	if len(bytes) == 0 || len(bytes) > mostBytes {
		return fmt.Sprintf("a decimal of %d bytes", len(bytes))
	}
	n := new(big.Int).SetBytes([]byte(bytes))
	if bytes[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return l.point(n.String())
}

// point puts the point into the digits of a whole number; zeros behind it are left out.
func (l *Leaf) point(digits string) string {
	if l.scale == 0 {
		return digits
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if short := l.scale + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	at := len(digits) - l.scale
	return strings.TrimSuffix(sign+digits[:at]+"."+strings.TrimRight(digits[at:], "0"), ".")
}
