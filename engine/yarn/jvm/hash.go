// Package jvm repeats what the Java runtime decides for YARN: hash codes, the iteration order of
// hash containers, the shape of a red-black tree under an inconsistent comparator, the order in
// which a binary heap gives up equal elements, and number conversions.
//
// Where YARN iterates a hash container, its order is fixed once the hash codes are known; these
// types keep keys in exactly that order. They are compared with the JDK's classes by the golden vectors.
package jvm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// StringHash returns String.hashCode of s: over UTF-16 code units.
func StringHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r < 0x10000 {
			h = 31*h + r
			continue
		}
		hi, lo := utf16.EncodeRune(r)
		h = 31*(31*h+hi) + lo
	}
	return h
}

// Units returns String.length of s: its UTF-16 code units.
func Units(s string) (n int) {
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// CompareStrings is String.compareTo as a sign: by UTF-16 code unit, then by length.
func CompareStrings(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] >= utf8.RuneSelf { // if that is b[i] alone, bytes tell
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		}
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// LongHash returns Long.hashCode of v.
func LongHash(v int64) int32 { return int32(v ^ int64(uint64(v)>>32)) }

// chain is the hash code of a record of two fields: prime*(prime*basis + a) + b.
func chain(prime, basis, a, b int32) int32 { return prime*(prime*basis+a) + b }

// AppHash returns ApplicationId.hashCode of application number id of the ResourceManager started at timestamp.
func AppHash(timestamp int64, id int32) int32 {
	return chain(371237, 6521, LongHash(timestamp), id)
}

// AttemptHash returns ApplicationAttemptId.hashCode of attempt number attempt of the application with hash app.
func AttemptHash(app, attempt int32) int32 {
	return chain(347671, 5501, app, attempt)
}

// ContainerHash returns ContainerId.hashCode of container number n of the attempt with hash attempt.
func ContainerHash(attempt int32, n int64) int32 { return 31*LongHash(n) + attempt }

// NodeHash returns NodeId.hashCode of host:port.
func NodeHash(host string, port int32) int32 {
	return chain(493217, 8501, StringHash(host), port)
}

// PriorityHash returns Priority.hashCode of p.
func PriorityHash(p int32) int32 {
	prime, basis := int32(517861), int32(9511)
	return prime*basis + p
}

// RequestKeyHash returns SchedulerRequestKey.hashCode; update is the hash of containerToUpdate or 0.
func RequestKeyHash(priority int32, requestID int64, update int32) int32 {
	h := PriorityHash(priority)
	h = 31*h + LongHash(requestID)
	return 31*h + update
}

// AppName returns ApplicationId.toString.
func AppName(timestamp int64, id int32) string {
	s := strconv.FormatInt(int64(id), 10)
	if len(s) < 4 {
		s = strings.Repeat("0", 4-len(s)) + s
	}
	return "application_" + strconv.FormatInt(timestamp, 10) + "_" + s
}

// AppRank returns a number that orders the applications of one ResourceManager as their names
// compare as strings: application_1_10000 comes before application_1_9999.
// id must not be negative.
func AppRank(id int32) uint64 {
	n, digits := uint64(id), uint64(4)
	for limit := uint64(10_000); digits < 10 && n >= limit; limit *= 10 {
		digits++
	}
	for d := digits; d < 10; d++ {
		n *= 10
	}
	return n<<4 | digits
}
