/**
 * Every agent program that we understand, and what the code outside of `src/domain/providers/<id>` must know of it. Names, scopes, watched
 * folders, lookups and schemas are made from the two tables of this file. `test/unit/providers.test.ts` proves that for a program that is
 * added to them.
 */

/** What a provider is, and what it keeps on this machine. */
export interface ProviderDescriptor {
  /** As people read it, in every language. */
  readonly name: string;
  readonly home?: AgentHome;
  /** Undefined: it runs the hooks that stand in another program's settings. */
  readonly hooks?: HookFiles;
  /** SEC-7: how a command sees that this agent runs it. */
  readonly signs?: AgentSigns;
}

/** The folder in which a program keeps a person's settings and transcripts. */
export interface AgentHome {
  /** Below the person's own folder. */
  readonly folder: string;
  /** The environment variable that names another one. */
  readonly variable?: string;
  /** Where new transcripts are looked for, to find sessions without our hooks. */
  readonly transcripts?: { readonly folder: string; readonly layout: TranscriptLayout };
}

/** `projects`: `<folder>/<project>/<name>.jsonl`; `dated`: `<folder>/YYYY/MM/DD/rollout-<name>.jsonl`. */
export type TranscriptLayout = 'projects' | 'dated';

/** The settings that our hooks are written into, and how the program runs what stands there. */
export interface HookFiles {
  /** By the ids that `--scope` takes; no two providers share one. */
  readonly scopes: Readonly<Record<string, HookScope>>;
  /** It runs a hook in the person's own shell, which may be fish, and not in `sh`. */
  readonly inPersonsShell?: true;
  /** HKI-8: it trusts a hook by its text, so the text must stay the same in every release. */
  readonly trustsByText?: true;
}

export interface HookScope {
  /** Below the program's home, or below the project. */
  readonly file: string;
  /** In the list of scopes, if it is not the program's name; translated in media/l10n. */
  readonly name?: string;
  /** A codicon. */
  readonly icon: string;
  readonly inProject?: true;
  /** The file is committed: colleagues get it too. */
  readonly isShared?: true;
}

export interface AgentSigns {
  /** Names of its process; the names of its helpers begin with one and a hyphen. */
  readonly programs: readonly string[];
  /** Environment variables that it sets for what it runs, and that people do not set to configure it. */
  readonly variables: readonly string[];
}

const table = {
  claude: {
    name: 'Claude Code',
    home: {
      folder: '.claude',
      variable: 'CLAUDE_CONFIG_DIR',
      transcripts: { folder: 'projects', layout: 'projects' },
    },
    hooks: {
      scopes: {
        user: { file: 'settings.json', name: 'This user', icon: 'account' },
        local: {
          file: '.claude/settings.local.json',
          name: 'This project, only here',
          icon: 'folder',
          inProject: true,
        },
        project: {
          file: '.claude/settings.json',
          name: 'This project, shared',
          icon: 'organization',
          inProject: true,
          isShared: true,
        },
      },
    },
    signs: {
      programs: ['claude'],
      variables: [
        'CLAUDECODE',
        'CLAUDE_CODE_SESSION_ID',
        'CLAUDE_CODE_CHILD_SESSION',
        'CLAUDE_PID',
        'CLAUDE_PROJECT_DIR',
        'AI_AGENT',
      ],
    },
  },
  codex: {
    name: 'Codex',
    home: { folder: '.codex', variable: 'CODEX_HOME', transcripts: { folder: 'sessions', layout: 'dated' } },
    hooks: {
      scopes: { codex: { file: 'hooks.json', icon: 'terminal' } },
      inPersonsShell: true,
      trustsByText: true,
    },
    signs: {
      programs: ['codex'],
      variables: [
        'CODEX_THREAD_ID',
        'CODEX_CI',
        'CODEX_SANDBOX',
        'CODEX_SANDBOX_NETWORK_DISABLED',
        'CODEX_MANAGED_BY_NPM',
      ],
    },
  },
  gemini: {
    name: 'Gemini CLI',
    home: { folder: '.gemini' },
    hooks: { scopes: { gemini: { file: 'settings.json', icon: 'terminal' } } },
    signs: { programs: ['gemini'], variables: ['GEMINI_CLI', 'GEMINI_SESSION_ID'] },
  },
  copilot: {
    name: 'Copilot CLI',
    home: { folder: '.copilot' },
    hooks: { scopes: { copilot: { file: 'hooks/agent-mascot.json', icon: 'terminal' } } },
    signs: { programs: ['copilot'], variables: ['COPILOT_CLI', 'COPILOT_LOADER_PID'] },
  },
  cursor: {
    name: 'Cursor',
    signs: { programs: ['cursor-agent'], variables: ['CURSOR_AGENT'] },
  },
  vscode: { name: 'VS Code Chat' },
} as const satisfies Readonly<Record<string, ProviderDescriptor>>;

export type ProviderId = keyof typeof table;
/** Programs that our hooks are installed for. */
export type HookedId = {
  [Id in ProviderId]: (typeof table)[Id] extends { hooks: HookFiles } ? Id : never;
}[ProviderId];
/** Where hooks can be installed. */
export type ScopeId = { [Id in HookedId]: keyof (typeof table)[Id]['hooks']['scopes'] }[HookedId];

/** FWD-2: whose hook it is where nothing says so. */
export const DEFAULT_PROVIDER: ProviderId = 'claude';

type HookedDescriptor = ProviderDescriptor & Required<Pick<ProviderDescriptor, 'home' | 'hooks'>>;
export const descriptors: {
  readonly [Id in ProviderId]: Id extends HookedId ? HookedDescriptor : ProviderDescriptor;
} = table;

/** Does the payload have a text under this key, and not an empty one? */
type HasText = (key: string) => boolean;

/** How the forwarder sees in a hook's payload which program sent it, where neither the installed command nor the person says so. */
export interface ProviderMarks {
  /** In the path of its transcripts, with slashes. */
  readonly transcript?: RegExp;
  /** Names of hooks that no other program has. */
  readonly event?: RegExp;
  /** Does the payload have its fields? Less sure than the two above; where several programs say so, the last in the table is taken. */
  readonly fits?: (payload: Readonly<Record<string, unknown>>, event: string, has: HasText) => boolean;
  /** FWD-7: arguments with which it runs without a person. */
  readonly headless?: readonly string[];
}

/** All that the forwarder's bundle, whose size is limited, holds of this file. */
export const providerMarks: Readonly<Record<ProviderId, ProviderMarks>> = {
  claude: { transcript: /\/\.claude\//, headless: ['-p', '--print'] },
  codex: {
    transcript: /\/\.codex\/sessions\/|\/rollout-[^/]*\.jsonl$/,
    // Claude Code's MessageDisplay has a turn_id too. A null transcript is what `codex --ephemeral` sends; no other agent does.
    fits: ({ transcript_path: transcript }, event, has) =>
      event !== 'MessageDisplay' && (transcript === null || has('turn_id')),
    // Its `-p` is a profile.
    headless: ['exec', 'e', 'mcp-server', 'app-server'],
  },
  gemini: {
    transcript: /\/\.gemini\//,
    event: /^((Before|After)(Agent|Model|Tool)|BeforeToolSelection|PreCompress)$/,
    headless: ['-p', '--prompt'],
  },
  copilot: {
    transcript: /\/\.copilot\//,
    // It writes camelCase or, for hooks named in Pascal case, snake case with a timestamp and no transcript.
    fits: (payload, event, has) =>
      (has('sessionId') && !has('session_id')) ||
      (has('timestamp') && !('transcript_path' in payload) && (has('initial_prompt') || /^[A-Z]/.test(event))),
    headless: ['-p', '--prompt'],
  },
  // These run the hooks that are installed for Claude Code; the collector tells them apart.
  cursor: {},
  vscode: {},
};

export const providerIds = /* @__PURE__ */ keysOf(descriptors);

export const hookedIds = /* @__PURE__ */ providerIds.filter(isHookedId);

/** Each with its provider, in the order in which people see them. */
export const hookScopes = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ hookedIds.flatMap((provider) => {
    const { name, hooks } = descriptors[provider];
    return Object.entries(hooks.scopes).map(([id, scope]) => [id, { name, ...scope, provider }]);
  }),
) as Readonly<Record<ScopeId, HookScope & { readonly name: string; readonly provider: HookedId }>>;

export const scopeIds = /* @__PURE__ */ keysOf(hookScopes);

export const projectScopeIds = /* @__PURE__ */ scopeIds.filter((id) => hookScopes[id].inProject);

export function isProviderId(id: unknown): id is ProviderId {
  return typeof id === 'string' && Object.hasOwn(descriptors, id);
}

export function isHookedId(id: unknown): id is HookedId {
  return isProviderId(id) && descriptors[id].hooks !== undefined;
}

/** The provider's name for people; undefined for a program that we do not know. */
export function nameOfProvider(id: string): string | undefined {
  return isProviderId(id) ? descriptors[id].name : undefined;
}

function keysOf<Key extends string>(of: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(of) as Key[];
}
