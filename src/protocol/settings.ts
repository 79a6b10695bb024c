import * as z from 'zod/mini';
import './zodWords.ts';
import { autoLaunchWords } from './discovery.ts';
import { DEFAULT_PORT } from './limits.ts';
import { relayQuietHours, relayTargetWords } from './relay.ts';
import { trackingModes } from './work.ts';

/** One entry that can't be used must not bring the projects of the others into sight. */
function textsSchema() {
  return z._default(
    z.pipe(
      z.array(z.unknown()),
      z.transform((entries) => entries.filter((entry) => typeof entry === 'string')),
    ),
    [],
  );
}

export const RETENTION_DAYS_MAX = 3_650;
/** Of history on disk: a terabyte, which no history reaches. */
export const RETENTION_MEGABYTES_MAX = 1_000_000;

/** Every setting, by its name in the editor after `agentMascot.`. Defaults here and in package.json are held equal by a test. */
export const settingsSchema = z.object({
  'collector.port': z._default(z.int().check(z.gte(1), z.lte(65_535)), DEFAULT_PORT),
  'collector.allowUnauthenticatedIngest': z._default(z.boolean(), false),
  /** Minutes without a sign of life after which a session counts as idle. */
  idleMinutes: z._default(z.number().check(z.gte(1), z.lte(1_440)), 15),
  /** Sessions of its project that an agent is told of when it starts; 0: of none. */
  'memory.sessions': z._default(z.int().check(z.gte(0), z.lte(20)), 5),
  /** Of what an agent is told of earlier sessions, at four characters each. */
  'memory.tokens': z._default(z.int().check(z.gte(100), z.lte(2_000)), 1_000),
  'memory.excludedProjects': textsSchema(),
  /** MEM-5: whether agents are told, quoted, what other agents wrote: replies, tasks, titles of work items. */
  'memory.agentWords': z._default(z.boolean(), true),
  /** CNV-4: whether what people and agents say, and what tools are given and answer, is kept. */
  'logging.enabled': z._default(z.boolean(), true),
  'logging.excludedProjects': textsSchema(),
  /** A prompt that begins with it is not kept, nor what is answered to it. */
  'logging.privateMarker': z._default(z.string().check(z.maxLength(40)), '[private]'),
  excludedProjects: textsSchema(),
  /** GRD-2: what becomes of an edit that belongs to no running work item. A project may have its own. */
  'tracking.mode': z._default(z.enum(trackingModes), 'off'),
  'tracking.autoCreate': z._default(z.boolean(), false),
  /** EVT-1: tokens in a model's context that are too many, where its agent does not tell how many it can take; 0: none are. */
  contextBudget: z._default(z.int().check(z.gte(0), z.lte(10_000_000)), 160_000),
  autoLaunch: z._default(z.enum(autoLaunchWords), 'interactive'),
  /** Sessions that nothing came for since are taken out of the store. */
  'retention.days': z._default(z.int().check(z.gte(1), z.lte(RETENTION_DAYS_MAX)), 90),
  /** Of history on disk; less than a day of hard work may need is no limit that could be held. */
  'retention.megabytes': z._default(z.int().check(z.gte(20), z.lte(RETENTION_MEGABYTES_MAX)), 2_000),
  /** SNK-1: certificates that the team database is trusted by, and the person's name in it; empty: the system's. */
  'postgres.caFile': z._default(z.string().check(z.maxLength(4_096)), ''),
  'postgres.user': z._default(z.string().check(z.maxLength(200)), ''),
  'panel.motion': z._default(z.enum(['auto', 'off']), 'auto'),
  /** UI-5: what the person is told in a notice when no terminal of it is in view. */
  'notices.permission': z._default(z.boolean(), true),
  'notices.question': z._default(z.boolean(), true),
  'notices.turnEnded': z._default(z.boolean(), true),
  'notices.failed': z._default(z.boolean(), true),
  'notices.sound': z._default(z.boolean(), false),
  doNotDisturb: z._default(z.boolean(), false),
  /** RLY-1: where a chat is told what the sessions come to. */
  'relay.target': z._default(z.enum(relayTargetWords), 'off'),
  /** Folder to channel; `*` for all others, `off` for none. */
  'relay.channels': z._default(
    z.pipe(
      z.record(z.string(), z.unknown()),
      z.transform((channels) =>
        Object.fromEntries(
          Object.entries(channels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        ),
      ),
    ),
    {},
  ),
  'relay.send.started': z._default(z.boolean(), true),
  'relay.send.reply': z._default(z.boolean(), true),
  'relay.send.permission': z._default(z.boolean(), true),
  'relay.send.question': z._default(z.boolean(), true),
  'relay.send.failed': z._default(z.boolean(), true),
  'relay.send.phase': z._default(z.boolean(), true),
  'relay.send.ended': z._default(z.boolean(), true),
  'relay.send.escalation': z._default(z.boolean(), true),
  'relay.send.decision': z._default(z.boolean(), false),
  'relay.send.note': z._default(z.boolean(), true),
  'relay.quietHours': z._default(z.string().check(z.regex(relayQuietHours, 'must be like 22:00-07:00, or empty')), ''),
  'relay.quietHoursLetWaitsThrough': z._default(z.boolean(), false),
  'relay.webhookIgnoresRepeats': z._default(z.boolean(), false),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(settingsSchema.shape) as readonly SettingName[];

/** Not rejected: the default would delete history that the person means to keep. */
const megabytesCapped = `agentMascot.retention.megabytes: the value is too large, so the maximum of ${RETENTION_MEGABYTES_MAX} is used.`;

/** One setting that can't be used falls back to its default; the others stay as the person set them. */
export function readSettings(raw: Readonly<Record<string, unknown>>): {
  readonly settings: Settings;
  /** Names of what could not be used, with the reason. */
  readonly rejected: readonly string[];
  /** Sentences about settings above their limit; the limit is used instead. */
  readonly capped: readonly string[];
} {
  const rejected: string[] = [];
  const capped: string[] = [];
  const entries = settingNames.map((name) => {
    const isCapped = name === 'retention.megabytes' && Number(raw[name]) > RETENTION_MEGABYTES_MAX;
    if (isCapped) capped.push(megabytesCapped);
    const parsed = settingsSchema.shape[name].safeParse(isCapped ? RETENTION_MEGABYTES_MAX : raw[name]);
    if (!parsed.success) rejected.push(`agentMascot.${name}: ${parsed.error.issues[0]?.message ?? 'not usable'}`);
    return [name, parsed.success ? parsed.data : settingsSchema.shape[name].parse(undefined)] as const;
  });
  return { settings: settingsSchema.parse(Object.fromEntries(entries)), rejected, capped };
}

/** Texts that a person chooses among; every other text may name a folder, a person or a chat. */
const choices: readonly string[] = ['tracking.mode', 'autoLaunch', 'panel.motion', 'relay.target', 'relay.quietHours'];

/** A setting for a report that tells nothing of the person's work. */
export function settingText(name: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || choices.includes(name)) return String(value);
  if (typeof value === 'string') return value === '' ? 'empty' : 'set';
  return `${Object.keys(value ?? {}).length} entries`;
}
