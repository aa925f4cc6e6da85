package load

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"
)

// identity makes the ids of a file's documents: of the file's name, the row's place in it and its content. The same row
// has the same id whenever it is sent, so that the server can tell that it has it; and another row that comes to stand
// at the same place, in a new file of the old name, has another one.
type identity struct {
	file [sha256.Size]byte // the sum of the file's name
	buf  []byte
}

func newIdentity(name string) *identity { return &identity{file: sha256.Sum256([]byte(name))} }

const idBytes = 15 // 20 characters; two of a billion rows share an id with a probability of 1 in 10^18

// append appends a row's id.
func (d *identity) append(b []byte, r *row) []byte {
	d.buf = append(d.buf[:0], d.file[:idBytes]...)
	d.buf = binary.BigEndian.AppendUint64(d.buf, uint64(r.start))
	d.buf = append(d.buf, r.line...)
	for _, f := range r.fields {
		d.buf = append(append(strconv.AppendInt(d.buf, int64(len(f)), 10), ':'), f...)
	}
	sum := sha256.Sum256(d.buf)
	return base64.RawURLEncoding.AppendEncode(b, sum[:idBytes])
}
