package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// MaxLineBytes bounds one line of a stdio session. A longer one is answered
// with an error and skipped.
const MaxLineBytes = 16 << 20

// line is one line of input without its end, or the news that it was too
// long.
type line struct {
	text    []byte
	tooLong bool
}

// lineReader reads lines of bounded length; the last one needs no newline.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next returns the next line that is not blank. Its error is io.EOF at the
// end of the input.
func (l *lineReader) next() (line, error) {
	for {
		read, err := l.one()
		if read.tooLong || len(read.text) > 0 {
			return read, nil
		}
		if err != nil {
			return line{}, err
		}
	}
}

func (l *lineReader) one() (line, error) {
	var got line
	for {
		part, err := l.r.ReadSlice('\n')
		if got.tooLong = got.tooLong || len(got.text)+len(part) > l.max; got.tooLong {
			got.text = nil
		} else {
			got.text = append(got.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			got.text = bytes.TrimSpace(bytes.TrimPrefix(got.text, []byte("\ufeff")))
			return got, err
		}
	}
}

// pump sends the lines of r until its end or the end of ctx, and closes the
// channel. The error of the input, nil at its end, is in err by then.
func (l *lineReader) pump(ctx context.Context) (lines <-chan line, err func() error) {
	ch := make(chan line)
	var failed error
	go func() {
		defer close(ch)
		for {
			got, err := l.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					failed = err
				}
				return
			}
			select {
			case ch <- got:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, func() error { return failed }
}
