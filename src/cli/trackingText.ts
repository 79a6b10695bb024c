import { type Answer, objectsIn, textIn } from './answers.ts';
import { printable } from './text.ts';
import { inOrder, readWorkItem, titleOf } from './workItems.ts';

const modeWords: Readonly<Record<string, string>> = {
  off: 'off: edits need no work item',
  warn: 'warn: edits without a running work item are noted',
  strict: 'strict: edits without a running work item are denied',
};

const RUNNING_SHOWN = 10;

/** GRD-2: what edits are held to in a project, and what runs there, as rows of `mascot status`. */
export function trackingRows(tracking: Answer, state: Answer): readonly (readonly string[])[] {
  const [mode, project] = [textIn(tracking, 'mode'), textIn(tracking, 'project')];
  const gaps = Number(tracking['gaps']);
  const items = objectsIn(state, 'workItems').map(readWorkItem);
  const running = inOrder(items).filter((item) => item.status === 'running' && item.project === project);
  const shown = running.slice(0, RUNNING_SHOWN).map((item) => `${printable(item.id)}  ${titleOf(item)}`);
  if (running.length > shown.length) shown.push(`and ${running.length - shown.length} more: mascot work list`);
  if (shown.length === 0 && mode !== 'off')
    shown.push('none runs: mascot work list, or mascot work create <id> --start');
  return [
    ['Project', printable(project) || '-'],
    ['Guard', Object.hasOwn(modeWords, mode) ? (modeWords[mode] ?? '') : printable(mode)],
    ...(gaps > 0
      ? [['', `${gaps} ${gaps === 1 ? 'edit was' : 'edits were'} judged by nobody: it could not be asked`]]
      : []),
    ...shown.map((text, index) => [index === 0 ? 'Work' : '', text]),
  ];
}
