// Package cli holds the commands that people use from a shell. Each is a
// function of a context and an options struct that writes to the given writers
// and returns an exit code; flags and the terminal are package main's.
package cli
