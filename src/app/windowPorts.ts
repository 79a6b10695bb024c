import type {
  Erased,
  Interaction,
  SearchHit,
  SearchQuery,
  SessionsQuery,
  SessionWithAgents,
  Statistics,
  Stored,
  ToolObservation,
} from '../protocol/reading.ts';
import type { Delivery } from '../protocol/relay.ts';
import type { Report } from '../protocol/report.ts';
import type { SessionEvent } from '../protocol/sessionEvent.ts';
import type { Session } from '../protocol/state.ts';
import type { LookChange } from '../protocol/cast.ts';
import type { Story } from '../protocol/story.ts';
import type { Tracking, TrackingRule, WorkCreation, WorkItem, WorkRefusal } from '../protocol/work.ts';
import type { Disposable, Page } from './ports.ts';

/** What only the owner has, asked for by any window: the one that owns asks itself. Undefined: nobody can be asked now. */
export interface Collector {
  story(sessionId: string): Promise<Story | undefined>;
  changeLook(agentId: string, change: LookChange): Promise<LookChanged>;
  /** A page of all sessions, newest first. */
  sessions(query: SessionsQuery): Promise<Page<Session> | undefined>;
  session(sessionId: string): Promise<SessionWithAgents | undefined>;
  statistics(sessionId: string): Promise<Statistics | undefined>;
  /** EVT-1. `unknown`: there is no such session, or it was erased. */
  report(sessionId: string): Promise<Report | 'unknown' | undefined>;
  /** RLY-1: what a chat was told of a session, the oldest first. */
  deliveries(sessionId: string): Promise<readonly Delivery[] | undefined>;
  /** A page of one of a session's lists, oldest first. `unknown`: there is no such session, or it was erased. */
  list<Name extends ListName>(
    sessionId: string,
    name: Name,
    page: PageAfter,
  ): Promise<Page<SessionLists[Name]> | 'unknown' | undefined>;
  /** A page of what was said anywhere, newest first. */
  search(query: SearchQuery & PageAfter): Promise<Page<SearchHit> | undefined>;
  /** CNV-4: takes a session away wherever it is kept; without an id all that there is. */
  erase(sessionId?: string): Promise<Erased | 'unknown' | 'refused' | 'silent'>;
  stored(): Promise<Stored | undefined>;
  /** GRD-1. Where an item is: its project, or a folder of it. */
  createWork(creation: WorkCreation): Promise<WorkAnswer>;
  startWork(item: WorkPlace): Promise<WorkAnswer>;
  /** GRD-5: reports by key which work items the person has seen. Resolves to whether that was stored. */
  sawWork(keys: readonly string[]): Promise<boolean>;
  endWork(item: WorkPlace & { readonly cancel: boolean }): Promise<WorkAnswer>;
  /** GRD-2: what edits in this folder are held to, and whose project it is of. */
  tracking(folder: string): Promise<FolderTracking | undefined>;
}

export type WorkPlace = Pick<WorkItem, 'id' | 'project'>;

/**
 * `unknown`: there is no such item, or not one of those that it waits for; `ambiguous`: several projects have it; `secret`: its
 * id looks like one; `too-many`: as many are open as can be; `refused`: it could not be kept; `silent`: nobody can be asked now.
 */
export type WorkAnswer =
  | { readonly kind: 'done'; readonly item: WorkItem; readonly changed: boolean }
  /** By their ids. */
  | { readonly kind: 'needs-open'; readonly needs: readonly string[] }
  | { readonly kind: Exclude<WorkRefusal, 'needs-open'> | 'refused' | 'silent' };

export type FolderTracking = Tracking & { readonly project: string };

/** GRD-2: what the folders of this window have of their own in their settings, told to all that share its home. */
export interface TrackingNotes {
  /** Undefined: this folder has nothing of its own. */
  note(folder: string, rule: Partial<TrackingRule> | undefined): Promise<void>;
}

export interface PageAfter {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What a session is made of. */
export interface SessionLists {
  /** What was said. */
  readonly interactions: Interaction;
  /** Its tool calls. */
  readonly observations: ToolObservation;
  /** EVT-1. */
  readonly 'session-events': SessionEvent;
}
export type ListName = keyof SessionLists;

/** `unknown`: there is no such agent; `refused`: it could not be kept; `silent`: nobody can be asked now. */
export type LookChanged = 'changed' | 'unknown' | 'refused' | 'silent';

/** One window of an editor on this machine, as it tells of itself. */
export interface WindowInfo {
  readonly id: string;
  readonly app: string;
  /** What the person calls it: its workspace's name. */
  readonly name: string;
  /** What brings it to the front when the editor is told to open it. */
  readonly opens?: string | undefined;
  /** Its folders' real paths. */
  readonly folders: readonly string[];
  /** Pids of the shells in its terminals. */
  readonly terminals: readonly number[];
  readonly focused: boolean;
}

/** One window to another. */
export type WindowRequest = { readonly what: 'showTerminal'; readonly terminal: number };

/** The windows of this machine that share a home, whether they own or follow. They speak through files there. */
export interface Windows extends Disposable {
  readonly id: string;
  /** What others may know of this one. */
  tell(info: Omit<WindowInfo, 'id' | 'app'>): void;
  /** Those that live, this one among them once it has told of itself. */
  all(): Promise<readonly WindowInfo[]>;
  /** False: that window did not take it within a second. */
  ask(windowId: string, request: WindowRequest): Promise<boolean>;
  onAsked(listener: (request: WindowRequest) => void): Disposable;
  /** True for one window only, whichever comes first; true too where it can't be told. */
  claim(key: string): Promise<boolean>;
}

/**
 * Who started a process: its parent, that one's parent and so on. Itself first; empty where nothing can be told, and where the
 * process began at another time than it is said to have: then its pid has gone to another one.
 */
export interface Ancestry {
  of(pid: number, startedAt?: string): Promise<readonly number[]>;
}

/** What a session's process says of where it is, beside its session. */
export interface Machine {
  readonly ancestry: Ancestry;
  /** The same folder without links; as given where it can't be told. */
  realFolder(folder: string): Promise<string>;
  /** The name of this machine, and the number space of its processes, as hooks tell them. */
  readonly host: string;
  readonly pidNamespace: string | undefined;
  readonly folders: 'linux' | 'windows' | 'mac';
}
