//go:build !unix

package cli

import "os/exec"

// Without process groups only the process itself can be ended.
func ownGroup(*exec.Cmd)      {}
func askGroup(cmd *exec.Cmd)  { _ = cmd.Process.Kill() }
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func isBrokenPipe(error) bool { return false }
