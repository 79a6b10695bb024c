import type { Session } from '../../protocol/state.ts';
import type { Processes } from '../sourcePorts.ts';

/** SES-4: what runs on another host or in another container has files and processes that ours are not. */
export function isHere(session: Session, here: Pick<Processes, 'host' | 'pidNamespace'>): boolean {
  if (session.host !== undefined && session.host !== here.host) return false;
  const { pidNamespace } = session;
  return pidNamespace === undefined || here.pidNamespace === undefined || pidNamespace === here.pidNamespace;
}
