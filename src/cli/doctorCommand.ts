import { type Finding, findingText } from '../domain/hooks/findings.ts';
import { type Command, noWords, printJson } from './command.ts';
import { exitCodes, needsPerson } from './failure.ts';
import { placeOptions, projectAround } from './places.ts';
import { printable, shellWord } from './text.ts';

const marks: Readonly<Record<Finding['level'], string>> = { good: 'ok', note: 'note', warning: 'warn', error: 'FAIL' };
const MARK_CELLS = 4;

export const doctorCommand: Command = {
  summary: 'look at everything that hooks need, and send a test event through an installed one',
  options: {
    project: placeOptions['project'] ?? { words: '' },
    fix: { words: 'copy anew what hooks call, where that helps; settings files are left as they are' },
  },
  words: noWords,
  async run(call) {
    if (call.agent && call.args.has('fix')) throw needsPerson('mascot hooks doctor --fix', call.agent);
    const kit = await call.world.kit();
    const project = projectAround(call);
    let findings = await kit.doctor.examine(project, call.agent !== undefined);
    if (call.args.has('fix') && findings.some(({ fix }) => fix?.kind === 'refresh')) {
      await kit.refresh();
      findings = await kit.doctor.examine(project, call.agent !== undefined);
    }
    if (call.json) printJson(call, { findings: findings.map((each) => ({ ...each, text: findingText(each) })) });
    else call.world.terminal.out(findings.flatMap(findingLines).join('\n'));
    return findings.some(({ level }) => level === 'error') ? exitCodes.failed : exitCodes.ok;
  },
};

export function findingLines(finding: Finding): readonly string[] {
  const fix = fixWords(finding);
  return [
    `${marks[finding.level].padEnd(MARK_CELLS)}  ${printable(findingText(finding))}`,
    ...(fix === undefined ? [] : [`${' '.repeat(MARK_CELLS)}  -> ${printable(fix)}`]),
  ];
}

const topics = {
  'codex-trust': 'start Codex: it shows the hooks and asks whether you trust them ("Trust all")',
  managed: 'ask whoever manages this machine to allow the hooks, or to install them',
  disk: 'make room on that disk, or make the folder writable; what waits is taken in then',
  node: 'install Node 18 or later, or open your editor once with Agent Mascot',
} as const;

function fixWords({ fix, level }: Finding): string | undefined {
  switch (fix?.kind) {
    case undefined:
      return undefined;
    case 'install': {
      const project = fix.project === undefined ? '' : ` --project ${shellWord(fix.project)}`;
      return `mascot hooks ${level === 'note' ? 'install' : 'repair'} --scope ${fix.scope}${project}`;
    }
    case 'open':
      return `look at ${[fix.file, fix.line, fix.column].filter((part) => part !== undefined).join(':')}`;
    case 'refresh':
      return 'mascot hooks doctor --fix, or open your editor once with Agent Mascot';
    case 'reload':
      return 'open your editor with Agent Mascot, or reload its window';
    case 'explain':
      return topics[fix.topic];
  }
}
