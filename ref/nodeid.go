package ref

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The prefixes of GitHub's current node ids that this product meets.
const (
	PrefixDiscussion               = "D_"
	PrefixDiscussionComment        = "DC_"
	PrefixDiscussionCategory       = "DIC_"
	PrefixIssue                    = "I_"
	PrefixIssueComment             = "IC_"
	PrefixPullRequest              = "PR_"
	PrefixPullRequestReview        = "PRR_"
	PrefixPullRequestReviewComment = "PRRC_"
	PrefixPullRequestReviewThread  = "PRRT_"
	PrefixLabel                    = "LA_"
	PrefixMilestone                = "MI_"
	PrefixOrganization             = "O_"
	PrefixProject                  = "PVT_"
	PrefixProjectItem              = "PVTI_"
	PrefixRepository               = "R_"
	PrefixUser                     = "U_"
)

// typeNames gives the GraphQL type behind a prefix.
var typeNames = map[string]string{
	PrefixDiscussion:               "Discussion",
	PrefixDiscussionComment:        string(DiscussionComment),
	PrefixDiscussionCategory:       "DiscussionCategory",
	PrefixIssue:                    "Issue",
	PrefixIssueComment:             string(IssueComment),
	PrefixPullRequest:              "PullRequest",
	PrefixPullRequestReview:        string(PullRequestReview),
	PrefixPullRequestReviewComment: string(PullRequestReviewComment),
	PrefixPullRequestReviewThread:  "PullRequestReviewThread",
	PrefixLabel:                    "Label",
	PrefixMilestone:                "Milestone",
	PrefixOrganization:             "Organization",
	PrefixProject:                  "ProjectV2",
	PrefixProjectItem:              "ProjectV2Item",
	PrefixRepository:               "Repository",
	PrefixUser:                     "User",
}

// NodeID is what a node id says about its object. GitHub does not document the
// encoding, so treat it as a good guess that an answer has to confirm.
type NodeID struct {
	Type       string // the prefix, as in "DC_"; of a legacy id the type's name
	OwnerID    int64  // only in ids of four parts, as those of project items; else 0
	RepoID     int64  // 0 in legacy ids and in those of users, organizations and repositories
	DatabaseID int64  // positive
	Legacy     bool
}

// TypeName is the object's GraphQL type, "" when the prefix is not known here.
func (n NodeID) TypeName() string {
	if n.Legacy {
		return n.Type
	}
	return typeNames[n.Type]
}

// String spells the id as GitHub does.
func (n NodeID) String() string {
	if n.Legacy {
		plain := fmt.Sprintf("0%d:%s%d", len(n.Type), n.Type, n.DatabaseID)
		return base64.StdEncoding.EncodeToString([]byte(plain))
	}
	return n.Type + base64.RawURLEncoding.EncodeToString(n.pack())
}

// DecodeNodeID reads a node id of either generation. It is strict: an id that
// GitHub would have spelled differently is not one.
func DecodeNodeID(id string) (NodeID, bool) {
	if prefix, payload, ok := splitNodeID(id); ok {
		return decodePayload(prefix, payload)
	}
	return decodeLegacy(id)
}

// EncodeNodeID spells a current node id; prefix includes its underscore, and a
// repoID of 0 leaves the repository out. It returns "" when an id is negative
// or databaseID is 0.
func EncodeNodeID(prefix string, repoID, databaseID int64) string {
	if repoID < 0 || databaseID <= 0 {
		return ""
	}
	return NodeID{Type: prefix, RepoID: repoID, DatabaseID: databaseID}.String()
}

// splitNodeID recognises the outside of a current node id: one to ten capitals,
// an underscore, and at least three characters of base64url.
func splitNodeID(id string) (prefix, payload string, ok bool) {
	capitals, payload, found := strings.Cut(id, "_")
	isPayload := func(c byte) bool { return isAlphanumeric(c) || c == '-' || c == '_' }
	if !found || len(capitals) > 10 || !consistsOf(capitals, isUpper) ||
		len(payload) < 3 || !consistsOf(payload, isPayload) {
		return "", "", false
	}
	return capitals + "_", payload, true
}

func decodePayload(prefix, payload string) (NodeID, bool) {
	packed, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return NodeID{}, false
	}
	parts, ok := unpack(packed)
	if !ok {
		return NodeID{}, false
	}
	id := NodeID{Type: prefix, DatabaseID: parts[len(parts)-1]}
	if len(parts) > 1 {
		id.RepoID = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		id.OwnerID = parts[0]
	}
	return id, id.String() == prefix+payload
}

// MessagePack's markers, as far as node ids need them: a short array of one
// zero and one to three unsigned integers.
const (
	packArray  = 0x90
	packUint8  = 0xcc
	packUint16 = 0xcd
	packUint32 = 0xce
	packUint64 = 0xcf
)

func (n NodeID) pack() []byte {
	parts := []int64{n.DatabaseID}
	if n.RepoID != 0 {
		parts = []int64{n.RepoID, n.DatabaseID}
	}
	if n.OwnerID != 0 {
		parts = []int64{n.OwnerID, n.RepoID, n.DatabaseID}
	}
	packed := []byte{packArray | byte(1+len(parts)), 0}
	for _, part := range parts {
		packed = appendUint(packed, uint64(part))
	}
	return packed
}

// appendUint packs n in the shortest form, as GitHub does.
func appendUint(packed []byte, n uint64) []byte {
	switch {
	case n < 0x80:
		return append(packed, byte(n))
	case n <= math.MaxUint8:
		return append(packed, packUint8, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(packed, packUint16), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(packed, packUint32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(packed, packUint64), n)
}

// unpack reads [0, a], [0, a, b] or [0, a, b, c] of positive integers and
// returns what follows the zero.
func unpack(packed []byte) (parts []int64, ok bool) {
	if len(packed) < 3 || packed[1] != 0 {
		return nil, false
	}
	count := int(packed[0]) - packArray
	if count < 2 || count > 4 {
		return nil, false
	}
	rest := packed[2:]
	for range count - 1 {
		var n uint64
		if n, rest, ok = takeUint(rest); !ok || n == 0 || n > math.MaxInt64 {
			return nil, false
		}
		parts = append(parts, int64(n))
	}
	return parts, len(rest) == 0
}

// takeUint reads one unsigned integer of any width off the front.
func takeUint(packed []byte) (n uint64, rest []byte, ok bool) {
	if len(packed) == 0 {
		return 0, nil, false
	}
	marker, rest := packed[0], packed[1:]
	if marker < 0x80 {
		return uint64(marker), rest, true
	}
	if marker < packUint8 || marker > packUint64 {
		return 0, nil, false
	}
	width := 1 << (marker - packUint8)
	if len(rest) < width {
		return 0, nil, false
	}
	for _, b := range rest[:width] {
		n = n<<8 | uint64(b)
	}
	return n, rest[width:], true
}

// decodeLegacy reads the first generation: base64 of "012:IssueComment557007126",
// where the digits after the zero are the length of the type's name.
func decodeLegacy(id string) (NodeID, bool) {
	decoded, err := base64.StdEncoding.Strict().DecodeString(id)
	if err != nil {
		return NodeID{}, false
	}
	length, object, _ := strings.Cut(string(decoded), ":")
	typeName := strings.TrimRight(object, "0123456789")
	databaseID, ok := number(object[len(typeName):], 64)
	isLetter := func(c byte) bool { return isAlphanumeric(c) && !isDigit(c) }
	if !ok || !consistsOf(typeName, isLetter) || length != "0"+strconv.Itoa(len(typeName)) {
		return NodeID{}, false
	}
	// base64 lets line breaks through; GitHub never writes them.
	found := NodeID{Type: typeName, DatabaseID: databaseID, Legacy: true}
	return found, found.String() == id
}

// NumberOf is an object's number: databaseID where GitHub told it, else what
// the node id shows. GitHub's databaseId is null above 2^31. It is 0 when
// neither tells.
func NumberOf(databaseID int64, nodeID string) int64 {
	if databaseID != 0 {
		return databaseID
	}
	id, _ := DecodeNodeID(nodeID)
	return id.DatabaseID
}
