import type { HookKit } from '../../app/hooks/hookKit.ts';
import type { Log } from '../../app/ports.ts';
import type { Tilde } from './hookPhrases.ts';

/** What the commands about hooks have in common. */
export interface HookParts {
  readonly kit: HookKit;
  readonly log: Log;
  readonly tilde: Tilde;
}
