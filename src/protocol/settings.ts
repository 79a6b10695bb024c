import { z } from 'zod';
import { autoLaunchWords } from './discovery.ts';
import { DEFAULT_PORT } from './limits.ts';
import { relayQuietHours, relayTargetWords } from './relay.ts';
import { trackingModes } from './work.ts';

/** One entry that can't be used must not bring the projects of the others into sight. */
function textsSchema() {
  return z
    .array(z.unknown())
    .transform((entries) => entries.filter((entry) => typeof entry === 'string'))
    .default([]);
}

/** Every setting, by its name in the editor after `agentMascot.`. Defaults here and in package.json are held equal by a test. */
export const settingsSchema = z.object({
  'collector.port': z.int().min(1).max(65_535).default(DEFAULT_PORT),
  'collector.allowUnauthenticatedIngest': z.boolean().default(false),
  /** Minutes without a sign of life after which a session counts as idle. */
  idleMinutes: z.number().min(1).max(1_440).default(15),
  /** Sessions of its project that an agent is told of when it starts; 0: of none. */
  'memory.sessions': z.int().min(0).max(20).default(5),
  /** Of what an agent is told of earlier sessions, at four characters each. */
  'memory.tokens': z.int().min(100).max(2_000).default(1_000),
  'memory.excludedProjects': textsSchema(),
  /** CNV-4: whether what people and agents say, and what tools are given and answer, is kept. */
  'logging.enabled': z.boolean().default(true),
  'logging.excludedProjects': textsSchema(),
  /** A prompt that begins with it is not kept, nor what is answered to it. */
  'logging.privateMarker': z.string().max(40).default('[private]'),
  excludedProjects: textsSchema(),
  /** GRD-2: what becomes of an edit that belongs to no running work item. A project may have its own. */
  'tracking.mode': z.enum(trackingModes).default('off'),
  'tracking.autoCreate': z.boolean().default(false),
  /** EVT-1: tokens in a model's context that are too many, where its agent does not tell how many it can take; 0: none are. */
  contextBudget: z.int().min(0).max(10_000_000).default(160_000),
  autoLaunch: z.enum(autoLaunchWords).default('interactive'),
  /** Sessions that nothing came for since are taken out of the store. */
  'retention.days': z.int().min(1).max(3_650).default(90),
  /** Of the database; less than a day of hard work may need is no limit that could be held. */
  'retention.megabytes': z.int().min(20).max(10_000).default(200),
  /** SNK-1: certificates that the team database is trusted by, and the person's name in it; empty: the system's. */
  'postgres.caFile': z.string().max(4_096).default(''),
  'postgres.user': z.string().max(200).default(''),
  'panel.motion': z.enum(['auto', 'off']).default('auto'),
  /** UI-5: what the person is told in a notice when no terminal of it is in view. */
  'notices.permission': z.boolean().default(true),
  'notices.question': z.boolean().default(true),
  'notices.turnEnded': z.boolean().default(true),
  'notices.failed': z.boolean().default(true),
  'notices.sound': z.boolean().default(false),
  doNotDisturb: z.boolean().default(false),
  /** RLY-1: where a chat is told what the sessions come to. */
  'relay.target': z.enum(relayTargetWords).default('off'),
  /** Folder to channel; `*` for all others, `off` for none. */
  'relay.channels': z
    .record(z.string(), z.unknown())
    .transform((channels) =>
      Object.fromEntries(
        Object.entries(channels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      ),
    )
    .default({}),
  'relay.send.started': z.boolean().default(true),
  'relay.send.reply': z.boolean().default(true),
  'relay.send.permission': z.boolean().default(true),
  'relay.send.question': z.boolean().default(true),
  'relay.send.failed': z.boolean().default(true),
  'relay.send.phase': z.boolean().default(true),
  'relay.send.ended': z.boolean().default(true),
  'relay.send.escalation': z.boolean().default(true),
  'relay.send.decision': z.boolean().default(false),
  'relay.send.note': z.boolean().default(true),
  'relay.quietHours': z.string().regex(relayQuietHours, 'must be like 22:00-07:00, or empty').default(''),
  'relay.quietHoursLetWaitsThrough': z.boolean().default(false),
  'relay.webhookIgnoresRepeats': z.boolean().default(false),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type SettingName = keyof Settings;

export const settingNames = Object.keys(settingsSchema.shape) as readonly SettingName[];

/** One setting that can't be used falls back to its default; the others stay as the person set them. */
export function readSettings(raw: Readonly<Record<string, unknown>>): {
  readonly settings: Settings;
  /** Names of what could not be used, with the reason. */
  readonly rejected: readonly string[];
} {
  const rejected: string[] = [];
  const entries = settingNames.map((name) => {
    const parsed = settingsSchema.shape[name].safeParse(raw[name]);
    if (!parsed.success) rejected.push(`agentMascot.${name}: ${parsed.error.issues[0]?.message ?? 'not usable'}`);
    return [name, parsed.success ? parsed.data : settingsSchema.shape[name].parse(undefined)] as const;
  });
  return { settings: settingsSchema.parse(Object.fromEntries(entries)), rejected };
}
