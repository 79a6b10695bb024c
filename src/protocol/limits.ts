/** Numbers that two sides must agree on. Each says why it is what it is. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Unassigned by IANA; the first guess of both sides, never a promise: the port file tells the real one. */
export const DEFAULT_PORT = 4820;

/** A `Write` of a large file sends its content once before and twice after the call; 4 MiB holds a cut payload of both. */
export const BODY_MAX_BYTES = 4 * MiB;

/** Strings above this are cut in the forwarder: nobody reads more of a tool's output, and the whole must fit BODY_MAX_BYTES. */
export const STRING_MAX_BYTES = 256 * KiB;

/** A body that trickles in keeps a socket and a promise alive; an honest forwarder on loopback needs milliseconds. */
export const BODY_DEADLINE_MS = 10_000;

/** More waiting requests than this means that the disk is stuck: say so at once and let the forwarder keep the event. */
export const WAITING_REQUESTS_MAX = 1_000;

/** Loopback connects in well under a millisecond; 300 ms covers a machine under load and still goes unnoticed. */
export const CONNECT_DEADLINE_MS = 300;

/** A disk that is busy for seconds still answers; an agent's hook must not wait longer, its own timeout is 10 s. */
export const DELIVERY_DEADLINE_MS = 5_000;

/** The agent's own start waits for this one: a person sees it. */
export const SESSION_START_DEADLINE_MS = 1_000;

/** A guarded edit waits for leave this long at most; without an answer it goes on. */
export const GUARD_DEADLINE_MS = 2_000;

/** Bytes waiting on one stream before its reader counts as stuck and is dropped. */
export const STREAM_BACKLOG_MAX_BYTES = 8 * MiB;

/** A screenful; and the most that one answer may carry before a client should page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 500;

/** A page ends with the item that fills it; nobody reads more at once. */
export const PAGE_MAX_BYTES = 2 * MiB;

/** Of what is looked for, in what was said or in a title: nobody types more, and it goes into an address. */
export const QUERY_MAX = 200;

/** Who reads a page must take it whole: beside what fills it, the last item may be as large as an event and its escapes. */
export const ANSWER_MAX_BYTES = 8 * PAGE_MAX_BYTES;

/** Sessions that ended or fell silent longer ago than this are read from the store, not kept in the live state. */
export const LIVE_STATE_HOURS = 24;

/** Work items that have ended and are shown all the same, the last of them. */
export const LIVE_WORK_ENDED = 50;

/** FWD-6. Weeks of work without an editor; more would be a surprise on somebody's disk. */
export const SPOOL_MAX_BYTES = 64 * MiB;

/** Small files fill a disk by their number: at 4 KiB a block these take six times the bytes above. Listing them takes under a second. */
export const SPOOL_MAX_FILES = 100_000;
/** FWD-6: an event in the spool that no collector has taken is dropped after this many days on which hooks ran. */
export const SPOOL_MAX_DAYS = 30;
