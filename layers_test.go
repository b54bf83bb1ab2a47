// Package main_test holds the house to its own rules: which package may
// import which, one doc comment each, short functions, no secrets and no
// private addresses in the files, documents that name only what exists.
//
// Every check is a function from a file system to a list of complaints, so
// that the same code that judges the tree is shown small trees that are wrong.
package main_test

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/github-workflow-mcp/github-workflow-mcp"

// floors is the house, bottom to top; an import points to a strictly lower
// floor. "." is package main.
var floors = map[string]int{
	"fault": 0,

	"transport": 1, "ref": 1, "page": 1, "post": 1, "recent": 1,

	"contract": 2, "graphql": 2, "rest": 2, "thread": 2,

	"listing": 3, "resolve": 3, "handbook": 3, "awareness": 3, "trust": 3,

	"discussion": 4, "conversation": 4, "issue": 4, "pullrequest": 4, "repository": 4,

	"mirror": 5,
	"server": 6,
	"cli":    7,
	".":      8,
}

// apart are the packages beside the house.
var apart = map[string]annex{
	"sandbox":  {imports: []string{"fixtures"}, importedBy: []string{".", "cli"}},
	"fixtures": {importedBy: []string{"sandbox"}},
	"peers":    {testsOnly: true},
}

// annex says what a package apart may import, and which packages may import
// it. Tests may import every annex that is not testsOnly, and a testsOnly
// annex may import everything.
type annex struct {
	imports, importedBy []string
	testsOnly           bool
}

// longFunctions are the functions that may have more than maxLines lines, as
// "file: name", each with the reason.
var longFunctions = map[string]string{}

const maxLines = 60

func TestImportsPointDown(t *testing.T) {
	report(t, wrongArrows(os.DirFS(".")))
}

func TestOnePackageComment(t *testing.T) {
	report(t, wrongPackageComments(os.DirFS(".")))
}

func TestFunctionsAreShort(t *testing.T) {
	report(t, tooLong(os.DirFS("."), longFunctions))
}

func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, complaint := range complaints {
		t.Error(complaint)
	}
}

// goFile is one parsed Go file of the tree; name is slash-separated from the
// root, dir is its package's directory.
type goFile struct {
	name, dir string
	test      bool
	syntax    *ast.File
	set       *token.FileSet
}

// constrained reports whether the file is only in some builds.
func (f goFile) constrained() bool {
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if comment.Pos() < f.syntax.Package && constraint.IsGoBuild(comment.Text) {
				return true
			}
		}
	}
	return false
}

// goFiles parses every Go file except those below testdata and node_modules.
// It reads the files itself: a child process would hide the reads from the
// test cache, and a cached pass would outlive a new wrong import.
func goFiles(tree fs.FS) ([]goFile, error) {
	var files []goFile
	err := walkFiles(tree, func(name string) error {
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, goFile{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), syntax, set})
		return nil
	})
	return files, err
}

// walkFiles visits every file that belongs to the project.
func walkFiles(tree fs.FS, visit func(name string) error) error {
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "dist"}, entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular() || entry.Name() == ".git": // a worktree's is a file
			return nil
		}
		return visit(name)
	})
}

// wrongArrows lists the imports that the house does not allow, and the
// packages that have no place in it.
func wrongArrows(tree fs.FS) []string {
	files, err := goFiles(tree)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for _, file := range files {
		if !placed(file.dir) {
			wrong = append(wrong, fmt.Sprintf("%s: package %q has no floor", file.name, file.dir))
			continue
		}
		for _, to := range houseImports(file.syntax) {
			if why := forbidden(file.dir, to, file.test); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s imports %s: %s", file.name, to, why))
			}
		}
	}
	return wrong
}

func placed(dir string) bool {
	_, onFloor := floors[dir]
	_, beside := apart[dir]
	return onFloor || beside
}

// houseImports are the packages of this module that a file imports, as
// directories.
func houseImports(file *ast.File) []string {
	var dirs []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
			continue // the parser has already refused the file
		case imported == module:
			dirs = append(dirs, ".")
		case strings.HasPrefix(imported, module+"/"):
			dirs = append(dirs, strings.TrimPrefix(imported, module+"/"))
		}
	}
	return dirs
}

// forbidden says why the import is not allowed; "" when it is.
func forbidden(from, to string, test bool) string {
	target, beside := apart[to]
	source, fromBeside := apart[from]
	switch {
	case !placed(to):
		return "it has no floor"
	case from == to && test:
		return "" // an external test package and its package
	case target.testsOnly:
		return "it holds tests only"
	case source.testsOnly && !test:
		return "its importer holds tests only"
	case beside && test, source.testsOnly:
		return ""
	case beside && !slices.Contains(target.importedBy, from):
		return "it stands apart; only " + strings.Join(target.importedBy, ", ") + " and tests import it"
	case fromBeside && !slices.Contains(source.imports, to):
		return "its importer stands apart and may not"
	case fromBeside || beside:
		return ""
	case floors[to] >= floors[from]:
		return fmt.Sprintf("from floor %d to floor %d is not down", floors[from], floors[to])
	}
	return ""
}

// wrongPackageComments lists the packages that do not have exactly one doc
// comment, or whose comment does not begin as godoc expects.
func wrongPackageComments(tree fs.FS) []string {
	files, err := goFiles(tree)
	if err != nil {
		return []string{err.Error()}
	}
	byDir := map[string][]goFile{}
	for _, file := range files {
		byDir[file.dir] = append(byDir[file.dir], file)
	}
	var wrong []string
	for dir, files := range byDir {
		if complaint := wrongPackageComment(files); complaint != "" {
			wrong = append(wrong, dir+": "+complaint)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// wrongPackageComment judges one package by the files that every build has, or
// by its tests when it has nothing else.
func wrongPackageComment(files []goFile) string {
	shipped := slices.DeleteFunc(slices.Clone(files), func(f goFile) bool { return f.test || f.constrained() })
	if len(shipped) > 0 {
		files = shipped
	}
	documented := slices.DeleteFunc(slices.Clone(files), func(f goFile) bool { return f.syntax.Doc == nil })
	if len(documented) != 1 {
		return fmt.Sprintf("%d package comments, want 1", len(documented))
	}
	name, doc := documented[0].syntax.Name.Name, documented[0].syntax.Doc.Text()
	if strings.HasPrefix(doc, "Package "+name+" ") || name == "main" && strings.HasPrefix(doc, "Command ") {
		return ""
	}
	return fmt.Sprintf("the package comment does not begin with \"Package %s \"", name)
}

// tooLong lists the functions outside of tests that have more than maxLines
// lines and no excuse, and the excuses that nothing needs any more.
func tooLong(tree fs.FS, excused map[string]string) []string {
	files, err := goFiles(tree)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	unused := map[string]bool{}
	for name := range excused {
		unused[name] = true
	}
	for _, file := range files {
		if file.test {
			continue
		}
		for name, lines := range functionLines(file) {
			if lines <= maxLines {
				continue
			}
			delete(unused, name)
			if excused[name] == "" {
				wrong = append(wrong, fmt.Sprintf("%s has %d lines, more than %d", name, lines, maxLines))
			}
		}
	}
	for name := range unused {
		wrong = append(wrong, name+" is excused for its length and need not be")
	}
	slices.Sort(wrong)
	return wrong
}

// functionLines counts the lines of each function, by "file: name".
func functionLines(file goFile) map[string]int {
	lines := map[string]int{}
	for _, decl := range file.syntax.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok {
			first, last := file.set.Position(function.Pos()), file.set.Position(function.End())
			lines[file.name+": "+function.Name.Name] = last.Line - first.Line + 1
		}
	}
	return lines
}

func TestWrongArrowsAreFound(t *testing.T) {
	tests := []struct {
		name, file string
		imports    string // of the house
		want       string // "" for a right arrow
	}{
		{"down", "server/a.go", "contract", ""},
		{"up", "fault/a.go", "ref", "from floor 0 to floor 1 is not down"},
		{"sideways", "discussion/a.go", "issue", "from floor 4 to floor 4 is not down"},
		{"to main", "cli/a.go", ".", "from floor 7 to floor 8 is not down"},
		{"from an unknown package", "utils/a.go", "fault", `package "utils" has no floor`},
		{"from a nested package", "server/http/a.go", "fault", `package "server/http" has no floor`},
		{"to an unknown package", "server/a.go", "utils", "it has no floor"},
		{"to the sandbox", "server/a.go", "sandbox", "only ., cli and tests import it"},
		{"to the sandbox from the cli", "cli/a.go", "sandbox", ""},
		{"to the sandbox from main", "a.go", "sandbox", ""},
		{"to the fixtures", "cli/a.go", "fixtures", "only sandbox and tests import it"},
		{"from the sandbox to its fixtures", "sandbox/a.go", "fixtures", ""},
		{"from the sandbox to the house", "sandbox/a.go", "fault", "its importer stands apart"},
		{"from the fixtures to the house", "fixtures/a.go", "fault", "its importer stands apart"},
		{"test up", "thread/a_test.go", "discussion", "from floor 2 to floor 4 is not down"},
		{"test sideways", "listing/a_test.go", "handbook", "from floor 3 to floor 3 is not down"},
		{"external test of its own package", "thread/a_test.go", "thread", ""},
		{"test to the sandbox", "graphql/a_test.go", "sandbox", ""},
		{"test to the fixtures", "graphql/a_test.go", "fixtures", ""},
		{"sandbox test to the house", "sandbox/a_test.go", "graphql", "its importer stands apart"},
		{"peers test to the house", "peers/a_test.go", "server", ""},
		{"peers outside of a test", "peers/a.go", "server", "its importer holds tests only"},
		{"to the peers", "cli/a_test.go", "peers", "it holds tests only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			imported := module + "/" + tt.imports
			if tt.imports == "." {
				imported = module
			}
			tree := fstest.MapFS{
				tt.file:                     source("package a\nimport _ %q\n", imported),
				"fault/testdata/x/x.go":     source("package x\nimport _ %q\n", module+"/nowhere"),
				"peers/node_modules/x/x.go": source("not Go"),
				"fault/fault.go":            source("package fault\nimport _ \"fmt\"\n"),
			}
			got := wrongArrows(tree)
			if tt.want == "" && len(got) > 0 {
				t.Errorf("complaints about a right arrow: %q", got)
			}
			if tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("complaints = %q, want one that says %q", got, tt.want)
			}
		})
	}
}

func TestWrongPackageCommentsAreFound(t *testing.T) {
	got := wrongPackageComments(fstest.MapFS{
		"main.go":         source("// Command x does.\npackage main"),
		"two/a.go":        source("// Package two is.\npackage two"),
		"two/b.go":        source("// Package two was.\npackage two"),
		"none/a.go":       source("package none"),
		"none/a_test.go":  source("// Package none has it in a test.\npackage none"),
		"some/a.go":       source("//go:build linux\n\n// Package some has it in some builds.\npackage some"),
		"some/b.go":       source("package some"),
		"other/a.go":      source("// Something else.\npackage other"),
		"tests/a_test.go": source("// Package tests_test holds tests.\npackage tests_test"),
	})
	want := []string{
		"none: 0 package comments, want 1",
		`other: the package comment does not begin with "Package other "`,
		"some: 0 package comments, want 1",
		"two: 2 package comments, want 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}

func TestLongFunctionsAreFound(t *testing.T) {
	body := func(lines int) string { return "{\n" + strings.Repeat("\n", lines-2) + "}\n" }
	tree := fstest.MapFS{
		"a.go":      source("package a\nfunc fits() %sfunc long() %sfunc excused() %s", body(60), body(61), body(99)),
		"a_test.go": source("package a\nfunc table() %s", body(300)),
	}
	got := tooLong(tree, map[string]string{"a.go: excused": "a table", "a.go: fits": "was long once"})
	want := []string{
		"a.go: fits is excused for its length and need not be",
		"a.go: long has 61 lines, more than 60",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}

func source(format string, args ...any) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, format, args...)}
}
