package sandbox

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// idKind says how the node ids of one type are spelt.
type idKind struct {
	prefix, typeName string
	global           bool // the new id holds no repository
}

var (
	kindDiscussion   = idKind{prefix: "D", typeName: "Discussion"}
	kindComment      = idKind{prefix: "DC", typeName: "DiscussionComment"}
	kindCategory     = idKind{prefix: "DIC", typeName: "DiscussionCategory"}
	kindLabel        = idKind{prefix: "LA", typeName: "Label"}
	kindReaction     = idKind{prefix: "REA", typeName: "Reaction"}
	kindIssue        = idKind{prefix: "I", typeName: "Issue"}
	kindIssueComment = idKind{prefix: "IC", typeName: "IssueComment"}
	kindPull         = idKind{prefix: "PR", typeName: "PullRequest"}
	kindReview       = idKind{prefix: "PRR", typeName: "PullRequestReview"}
	kindRemark       = idKind{prefix: "PRRC", typeName: "PullRequestReviewComment"}
	kindReviewThread = idKind{prefix: "PRRT", typeName: "PullRequestReviewThread"}
	kindRequest      = idKind{prefix: "RRQ", typeName: "ReviewRequest"}
	kindMilestone    = idKind{prefix: "MI", typeName: "Milestone"}
	kindIssueType    = idKind{prefix: "IT", typeName: "IssueType"}
	kindTeam         = idKind{prefix: "T", typeName: "Team"}
	kindCommit       = idKind{prefix: "C", typeName: "Commit"}
	kindPullCommit   = idKind{prefix: "PURC", typeName: "PullRequestCommit"}
	kindRef          = idKind{prefix: "REF", typeName: "Ref"}
	kindRollup       = idKind{prefix: "SC", typeName: "StatusCheckRollup"}
	kindCheckRun     = idKind{prefix: "CR", typeName: "CheckRun"}
	kindStatus       = idKind{prefix: "SX", typeName: "StatusContext"}
	kindProject      = idKind{prefix: "PVT", typeName: "ProjectV2"}
	kindItem         = idKind{prefix: "PVTI", typeName: "ProjectV2Item"}
	kindField        = idKind{prefix: "PVTF", typeName: "ProjectV2Field"}
	kindSelect       = idKind{prefix: "PVTSSF", typeName: "ProjectV2SingleSelectField"}
	kindIteration    = idKind{prefix: "PVTIF", typeName: "ProjectV2IterationField"}
	kindRepository   = idKind{prefix: "R", typeName: "Repository", global: true}
	kindUser         = idKind{prefix: "U", typeName: "User", global: true}
	kindBot          = idKind{prefix: "BOT", typeName: "Bot", global: true}
	kindOrganization = idKind{prefix: "O", typeName: "Organization", global: true}
	kindMannequin    = idKind{prefix: "M", typeName: "Mannequin", global: true}
)

var idKinds = []idKind{
	kindDiscussion, kindComment, kindCategory, kindLabel, kindReaction,
	kindIssue, kindIssueComment, kindPull, kindReview, kindRemark, kindReviewThread, kindRequest,
	kindMilestone, kindIssueType, kindTeam, kindCommit, kindPullCommit, kindRef, kindRollup, kindCheckRun, kindStatus,
	kindProject, kindItem, kindField, kindSelect, kindIteration,
	kindRepository, kindUser, kindBot, kindOrganization, kindMannequin,
}

// legacyUntil is the day from which on new things have new ids for every
// client; older things have them only for clients that ask.
var legacyUntil = time.Date(2021, 10, 1, 0, 0, 0, 0, time.UTC)

// nodeID spells the id of a thing for a client that does or does not ask for
// new ids.
func nodeID(kind idKind, repository, id int64, created time.Time, next bool) string {
	if !next && created.Before(legacyUntil) {
		return legacyNodeID(kind, id)
	}
	return newNodeID(kind, repository, id)
}

func newNodeID(kind idKind, repository, id int64) string {
	packed := []byte{0x92, 0x00}
	if !kind.global {
		packed = appendInteger([]byte{0x93, 0x00}, repository)
	}
	return kind.prefix + "_" + base64.RawURLEncoding.EncodeToString(appendInteger(packed, id))
}

func legacyNodeID(kind idKind, id int64) string {
	plain := fmt.Sprintf("0%d:%s%d", len(kind.typeName), kind.typeName, id)
	return base64.StdEncoding.EncodeToString([]byte(plain))
}

// parseNodeID reads either spelling; repository is 0 where the id has none.
func parseNodeID(id string) (kind idKind, repository, number int64, ok bool) {
	prefix, encoded, isNew := strings.Cut(id, "_")
	for _, kind := range idKinds {
		if isNew && kind.prefix == prefix {
			repository, number, ok = unpackNodeID(kind, encoded)
			return kind, repository, number, ok
		}
	}
	return parseLegacyNodeID(id)
}

func unpackNodeID(kind idKind, encoded string) (repository, number int64, ok bool) {
	packed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	lead := byte(0x93)
	if kind.global {
		lead = 0x92
	}
	if err != nil || len(packed) < 3 || packed[0] != lead || packed[1] != 0 {
		return 0, 0, false
	}
	rest := packed[2:]
	if !kind.global {
		if repository, rest, ok = readInteger(rest); !ok {
			return 0, 0, false
		}
	}
	number, rest, ok = readInteger(rest)
	return repository, number, ok && len(rest) == 0
}

func parseLegacyNodeID(id string) (kind idKind, repository, number int64, ok bool) {
	plain, err := base64.StdEncoding.Strict().DecodeString(id)
	if err != nil {
		return kind, 0, 0, false
	}
	for _, kind := range idKinds {
		head := fmt.Sprintf("0%d:%s", len(kind.typeName), kind.typeName)
		digits, found := strings.CutPrefix(string(plain), head)
		if !found {
			continue
		}
		if number, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return kind, 0, number, true
		}
	}
	return kind, 0, 0, false
}

// appendInteger writes a non-negative integer as the shortest msgpack form.
func appendInteger(packed []byte, n int64) []byte {
	switch {
	case n < 1<<7:
		return append(packed, byte(n))
	case n < 1<<8:
		return append(packed, 0xcc, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(packed, 0xcd), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(packed, 0xce), uint32(n))
	default:
		return binary.BigEndian.AppendUint64(append(packed, 0xcf), uint64(n))
	}
}

func readInteger(packed []byte) (n int64, rest []byte, ok bool) {
	if len(packed) == 0 {
		return 0, nil, false
	}
	if packed[0] < 1<<7 {
		return int64(packed[0]), packed[1:], true
	}
	widths := map[byte]int{0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8}
	width := widths[packed[0]]
	if width == 0 || len(packed) < 1+width {
		return 0, nil, false
	}
	for _, octet := range packed[1 : 1+width] {
		n = n<<8 | int64(octet)
	}
	return n, packed[1+width:], n >= 0
}
