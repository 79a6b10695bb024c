import { type FolderSystem, isWithin, writtenFolder } from '../folders.ts';

/** What a folder has instead of a channel when nothing of it may leave. */
export const NO_CHANNEL = 'off';

export interface FolderWays {
  readonly home: string;
  readonly system: FolderSystem;
}

/** The channel of the longest folder that holds the project; `*` stands for all others. Undefined: it has none. */
export function channelFor(
  channels: Readonly<Record<string, string>>,
  project: string,
  { home, system }: FolderWays,
): string | undefined {
  let best: { readonly length: number; readonly channel: string } | undefined;
  for (const [written, channel] of Object.entries(channels)) {
    const folder = written === '*' ? '' : writtenFolder(written, home, system);
    if (folder === undefined || (folder !== '' && !isWithin(project, folder, system))) continue;
    if (best === undefined || folder.length > best.length) best = { length: folder.length, channel: channel.trim() };
  }
  return best === undefined || best.channel === '' || best.channel === NO_CHANNEL ? undefined : best.channel;
}
