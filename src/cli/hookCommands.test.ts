import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { recorded, scopeAt } from '../app/hooks/hooks.testkit.ts';
import type { Finding } from '../domain/hooks/findings.ts';
import { createScene } from './cli.testkit.ts';

const user = scopeAt('user');
const project = scopeAt('project');
const codex = scopeAt('codex');
const all = [user, scopeAt('local'), project, codex];
const own = '{"model":"opus"}\n';
const question = `Write these changes to ${user.file}? [y/N] `;

describe('HKI-9 installing from a terminal', () => {
  test('HKI-9 without --yes and a terminal the difference is printed, nothing is written, and it ends with 1', async () => {
    const scene = createScene(all, { [user.file]: own });
    const ran = await scene.run('hooks', 'install');
    expect([ran.code, ran.questions, scene.files.texts.get(user.file), scene.installed, scene.done]).toEqual([
      1,
      [],
      own,
      [],
      [],
    ]);
    expect(ran.out).toMatch(/^-\{"model":"opus"\}$/m);
    expect(ran.out).toMatch(/^\+\{"model":"opus",\s?"hooks":/m);
    expect(ran.complaints).toBe('Nothing was written: give --yes to write these changes.');
  });

  test.each([['y'], ['yes'], [' Y ']])(
    'HKI-9 at a terminal "%s" writes, and says where the backup is',
    async (answer) => {
      const scene = createScene(all, { [user.file]: own });
      scene.answers = [answer];
      const ran = await scene.run('hooks', 'install');
      expect([ran.code, ran.questions, ran.complaints]).toEqual([0, [question], '']);
      expect(ran.out).toContain(`Written: ${user.file}\nBackup:  ${user.file}.backup`);
      expect(scene.installed).toMatchObject([{ scope: 'user', file: user.file }]);
    },
  );

  test.each([[['n']], [['']], [['yikes']], [[]]])('HKI-9 at a terminal %j leaves all as it is', async (answers) => {
    const scene = createScene(all, { [user.file]: own });
    scene.answers = [...answers];
    const ran = await scene.run('hooks', 'install');
    expect([ran.code, ran.questions, scene.files.texts.get(user.file), scene.done]).toEqual([1, [question], own, []]);
    expect(ran.complaints).toBe('Nothing was written.');
  });

  test('HKI-9 --yes writes without asking, readies what hooks call first, and a second time there is nothing to do', async () => {
    const scene = createScene(all, { [user.file]: own });
    scene.answers = [];
    const first = await scene.run('hooks', 'install', '--yes');
    expect([first.code, first.questions, scene.done]).toEqual([0, [], ['refresh']]);
    const second = await scene.run('hooks', 'install', '--yes');
    expect([second.code, second.out]).toEqual([0, `Nothing to do: ${user.file} has all our hooks.`]);
    const away = await scene.run('hooks', 'uninstall', '--yes');
    expect([away.code, scene.files.texts.get(user.file), scene.installed]).toEqual([0, own, []]);
    expect((await scene.run('hooks', 'uninstall', '--yes')).out).toBe(
      `Nothing to do: ${user.file} has none of our hooks.`,
    );
  });

  test('HKI-9 --json says what came of each file, and never asks', async () => {
    const scene = createScene(all, { [user.file]: own, [codex.file]: '{"hooks":' });
    scene.answers = ['y'];
    const shown = await scene.run('hooks', 'install', '--json');
    expect([shown.code, shown.questions, shown.complaints]).toEqual([1, [], '']);
    expect(JSON.parse(shown.out)).toEqual({
      results: [
        {
          scope: 'user',
          file: user.file,
          action: 'install',
          outcome: 'not-confirmed',
          notes: [],
          diff: expect.stringContaining('+{"model":"opus"') as string,
        },
      ],
    });
    const written = await scene.run('hooks', 'install', '--json', '--yes', '--scope', 'all');
    expect(written.code).toBe(1);
    const { results } = JSON.parse(written.out) as { results: { scope: string; outcome: string }[] };
    expect(results.map(({ scope, outcome }) => `${scope} ${outcome}`)).toEqual([
      'user written',
      'local written',
      'project written',
      'codex refused',
    ]);
    expect(results[0]).toMatchObject({ backup: `${user.file}.backup` });
    expect(results[3]).toMatchObject({ reason: 'syntax', line: 1 });
  });

  test('HKI-2 a broken file is told with its place, and what the agent does with it', async () => {
    const scene = createScene(all, { [codex.file]: '{\n\t// \u001b[31mmine\n}' });
    const ran = await scene.run('hooks', 'install', '--yes', '--scope', 'codex');
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.complaints.split('\n')).toEqual([
      `${codex.file}:2:2: a comment, which JSON does not have`,
      'Codex ignores the whole file as it is. Nothing was written: put this right and try again.',
    ]);
  });

  test.each([
    [{ kind: 'changed' }, /was changed by another program meanwhile. Nothing was written/],
    [{ kind: 'overwritten' }, /another program overwrote it at once/],
    [{ kind: 'failed', code: 'EACCES' }, /could not be written \(EACCES\)\. It is read-only/],
    [{ kind: 'failed', code: 'EROFS', linkTarget: '/nix/s.json' }, /It is a link to \/nix\/s\.json/],
    [{ kind: 'failed', code: 'EWHAT' }, /\(EWHAT\)\. Put this right/],
  ] as const)('HKI-9 %j is told, with what to do, and ends with 1', async (answer, words) => {
    const scene = createScene(all, { [user.file]: own });
    scene.files.answer = answer;
    const ran = await scene.run('hooks', 'install', '--yes');
    expect(ran.code).toBe(1);
    expect(ran.complaints).toMatch(words);
  });

  test('HKI-1 what the person should know is told before they are asked', async () => {
    const scene = createScene(all, { [codex.file]: '{}', [project.file]: '{"disableAllHooks":true}' });
    const ran = await scene.run('hooks', 'install', '--scope', 'codex', '--scope', 'project');
    expect(ran.out.match(/^Note: .*$/gm)).toEqual([
      expect.stringMatching(/shared with whoever clones/),
      expect.stringMatching(/"disableAllHooks"/),
      expect.stringMatching(/Codex asks whether you trust/),
    ]);
  });
});

describe('HKI-9 where the hooks stand', () => {
  test('HKI-9 status lists every scope, as text and as JSON', async () => {
    const scene = createScene(all, { [codex.file]: '[]' });
    await scene.run('hooks', 'install', '--yes');
    scene.installed.push(recorded(project));
    const text = await scene.run('hooks', 'status');
    expect([text.code, text.out.split('\n').map((line) => line.trim().split(/ {2,}/))]).toEqual([
      0,
      [
        ['SCOPE', 'HOOKS', 'FILE'],
        ['user', 'whole', user.file],
        ['local', 'no file', '/home/dev/local.json'],
        ['project', 'vanished', project.file],
        ['codex', 'broken', codex.file, 'line 1, column 1: not an object in braces'],
      ],
    ]);
    const { scopes } = JSON.parse((await scene.run('hooks', 'status', '--json', '--scope', 'user')).out) as {
      scopes: unknown[];
    };
    expect(scopes).toEqual([
      { scope: 'user', file: user.file, state: 'whole', recorded: true, missing: [], outdated: [], disabled: false },
    ]);
  });

  test('HKI-5 repair puts back what is missing where hooks were installed, and touches nothing else', async () => {
    const scene = createScene(all);
    await scene.run('hooks', 'install', '--yes');
    expect((await scene.run('hooks', 'repair', '--yes')).out).toBe('Nothing to repair: what is installed is whole.');
    scene.files.texts.set(user.file, own);
    const ran = await scene.run('hooks', 'repair', '--yes');
    expect([ran.code, [...scene.files.texts.keys()]]).toEqual([0, [user.file]]);
    expect(scene.files.texts.get(user.file)).toContain('#agent-mascot');
  });

  test('HKI-5 what only the record names is listed, repaired and uninstalled too; another project only when none is named', async () => {
    const scene = createScene(all);
    const moved = scopeAt('user', { file: '/elsewhere/settings.json' });
    const other = scopeAt('local', { file: '/work/other/settings.local.json', project: '/work/other' });
    scene.installed.push(recorded(moved), recorded(other));
    const listed = async (...args: readonly string[]) => {
      const { scopes } = JSON.parse((await scene.run('hooks', 'status', '--json', ...args)).out) as {
        scopes: { file: string; state: string }[];
      };
      return scopes.filter(({ state }) => state !== 'absent').map(({ file }) => file);
    };
    expect(await listed()).toEqual([moved.file, other.file]);
    expect(await listed('--scope', 'local')).toEqual([]);
    expect(await listed('--scope', 'all', '--project', '.')).toEqual([moved.file]);
    // SEC-7: an agent does not learn in which other projects hooks are installed.
    scene.in({ CLAUDECODE: '1' });
    expect(await listed()).toEqual([moved.file]);
    scene.in({});
    const repaired = await scene.run('hooks', 'repair', '--yes');
    expect([repaired.code, [...scene.files.texts.keys()]]).toEqual([0, [moved.file, other.file]]);
    expect((await scene.run('hooks', 'uninstall', '--yes')).code).toBe(0);
    expect(scene.installed.map(({ file }) => file)).toEqual([other.file]);
    expect((await scene.run('hooks', 'uninstall', '--yes', '--scope', 'all')).code).toBe(0);
    expect([scene.installed, [...scene.files.texts.values()].filter((text) => text.includes('#agent-mascot'))]).toEqual(
      [[], []],
    );
  });

  test('HKI-5 doctor ends with 1 only for an error, tells the fix, and mends our own files with --fix', async () => {
    const scene = createScene(all);
    const note: Finding = {
      code: 'scope.absent',
      level: 'note',
      values: { scope: 'This user', file: '/f' },
      fix: { kind: 'install', scope: 'local', project: "/it's" },
    };
    const bad: Finding = {
      code: 'entry.missing',
      level: 'error',
      values: { folder: '/b\u001b[2J' },
      fix: { kind: 'refresh' },
    };
    scene.findings = () => (scene.done.includes('refresh') ? [note] : [note, bad]);
    const ran = await scene.run('hooks', 'doctor');
    expect([ran.code, ran.out.split('\n')]).toEqual([
      1,
      [
        'note  This user: no hooks of ours in /f',
        `      -> mascot hooks install --scope local --project '/it'\\''s'`,
        'FAIL  The entry in /b [2J is missing or was changed: hooks end in silence',
        '      -> mascot hooks doctor --fix, or open your editor once with Agent Mascot',
      ],
    ]);
    const json = await scene.run('hooks', 'doctor', '--fix', '--json');
    expect([json.code, JSON.parse(json.out)]).toEqual([
      0,
      { findings: [{ ...note, text: 'This user: no hooks of ours in /f' }] },
    ]);
  });
});

describe('HKI-9 projects that are left out', () => {
  test('HKI-9 exclude, excluded, include; the project around is meant where none is named', async () => {
    const scene = createScene(all);
    const here = path.resolve(import.meta.dirname, '../..');
    expect((await scene.run('hooks', 'exclude', '--yes')).code).toBe(0);
    expect((await scene.run('hooks', 'exclude', '.', '--yes')).code).toBe(0);
    expect((await scene.run('hooks', 'excluded')).out).toBe(`${here}\n${import.meta.dirname}`);
    expect(JSON.parse((await scene.run('hooks', 'excluded', '--json')).out)).toEqual({
      excluded: [here, import.meta.dirname],
    });
    expect((await scene.run('hooks', 'include', '--yes')).code).toBe(0);
    expect(scene.excluded).toEqual([import.meta.dirname]);
    const again = await scene.run('hooks', 'include', '--yes');
    expect([again.code, again.complaints]).toEqual([
      1,
      expect.stringMatching(/is not excluded; "mascot hooks excluded"/),
    ]);
    scene.excluded.push('/gone/for/good');
    expect((await scene.run('hooks', 'include', '/gone/for/good', '--yes')).code).toBe(0);
    expect((await scene.run('hooks', 'exclude', '/gone/for/good', '--yes')).code).toBe(2);
  });

  const listed = import.meta.dirname;
  const waiting =
    'Its hooks keep nothing. If a link leads to the folder, what they keep while no editor is open is deleted when one opens.';
  const excluding = {
    word: 'exclude',
    before: [] as readonly string[],
    after: [listed],
    intent: `Sessions in ${listed} are then neither shown nor logged.\n${waiting}`,
    question: `Exclude ${listed}? [y/N] `,
    done: `Sessions in ${listed} are neither shown nor logged from now on.`,
    told: `\n${waiting}`,
    json: { excluded: listed },
  } as const;
  const including = {
    word: 'include',
    before: [listed],
    after: [] as readonly string[],
    intent: `Sessions in ${listed} are then shown and logged again.`,
    question: `Include ${listed}? [y/N] `,
    done: `Sessions in ${listed} are shown and logged again.`,
    told: '',
    json: { included: listed },
  } as const;

  describe.each([excluding, including])('HKI-9 $word asks first', (wanted) => {
    async function ran(answers: string[] | undefined, ...more: readonly string[]) {
      const scene = createScene(all);
      scene.excluded.push(...wanted.before);
      scene.answers = answers;
      const { code, out, complaints, questions } = await scene.run('hooks', wanted.word, '.', ...more);
      return { code, out, complaints, questions, excluded: scene.excluded };
    }

    test.each(['y', ' YES '])('HKI-9 at a terminal "%s" does it', async (answer) => {
      expect(await ran([answer])).toEqual({
        code: 0,
        out: `${wanted.intent}\n${wanted.done}`,
        complaints: '',
        questions: [wanted.question],
        excluded: wanted.after,
      });
    });

    test.each([[['n']], [['']], [['yikes']], [[]]])('HKI-9 at a terminal %j leaves all as it is', async (answers) => {
      expect(await ran([...answers])).toEqual({
        code: 1,
        out: wanted.intent,
        complaints: 'Nothing was changed.',
        questions: [wanted.question],
        excluded: wanted.before,
      });
    });

    test('HKI-9 off a terminal it says what would be done, and does it with --yes alone', async () => {
      const quiet = { questions: [], complaints: '' };
      expect(await ran(undefined)).toEqual({
        ...quiet,
        code: 1,
        out: wanted.intent,
        complaints: 'Nothing was changed: give --yes to change it.',
        excluded: wanted.before,
      });
      const done = `${wanted.done}${wanted.told}`;
      expect(await ran(undefined, '--yes')).toEqual({ ...quiet, code: 0, out: done, excluded: wanted.after });
    });

    test('HKI-9 --json never asks', async () => {
      const [refused, done] = [await ran(['y'], '--json'), await ran(['y'], '--json', '--yes')];
      expect([refused.code, JSON.parse(refused.out), refused.questions, refused.excluded]).toEqual([
        1,
        { project: listed, outcome: 'not-confirmed' },
        [],
        wanted.before,
      ]);
      expect([done.code, JSON.parse(done.out), done.excluded]).toEqual([0, wanted.json, wanted.after]);
    });
  });
});

describe('HKI-6 remove everything', () => {
  test('HKI-6 says what goes, and goes on only at the very word or with --yes', async () => {
    const scene = createScene(all);
    await scene.run('hooks', 'install', '--yes');
    scene.toRemove = [user.file, '/recorded/elsewhere.json'];
    const quiet = await scene.run('remove-everything');
    expect([quiet.code, quiet.complaints]).toEqual([1, 'Nothing was removed: give --yes to remove all this.']);
    expect(quiet.out.match(/^ {2}our hooks in .*$/gm)).toEqual(scene.toRemove.map((file) => `  our hooks in ${file}`));
    scene.answers = ['yes'];
    expect((await scene.run('remove-everything')).code).toBe(1);
    expect(scene.done).not.toContain('removeEverything');
    scene.answers = ['remove'];
    const ran = await scene.run('remove-everything');
    expect([ran.code, ran.complaints, scene.done.at(-1)]).toEqual([1, 'Left: /store: EBUSY', 'removeEverything']);
    expect(ran.out).toContain('Removed: the home');
    const json = await scene.run('remove-everything', '--yes', '--json');
    expect(JSON.parse(json.out)).toEqual({ done: ['the home'], failed: [{ what: '/store', why: 'EBUSY' }] });
  });
});

describe('HKI-9 wrong usage', () => {
  test.each([
    [['hooks'], '"mascot hooks" takes one of install, uninstall, status,'],
    [['hooks', 'dance'], '"mascot hooks" takes one of install, uninstall, status,'],
    [['hooks', 'install', '--scope', 'world'], '--scope takes one of user, local'],
    [['hooks', 'install', '--project', '/no/such/folder'], 'there is no folder /no/such/folder'],
    [['hooks', 'install', 'user'], '"user" is not understood here'],
    [['hooks', 'status', '--yes'], '"--yes" is not understood here'],
    [['search'], 'what to search for is missing'],
    [['search', ' '], 'what to search for has 1 to 200 characters'],
    [['search', 'x'.repeat(201)], 'what to search for has 1 to 200 characters'],
    [['search', 'x', '--role', 'robot'], '--role takes user or assistant'],
    [['search', 'x', '--since', 'yesterday'], '--since takes a day like 2026-01-31'],
    [['search', 'x', '--until', '2026-02-31'], '--until takes a day like 2026-01-31'],
    [['search', 'x', '--until', '9999-12-31T23:59-12:00'], '--until takes a day like 2026-01-31'],
    [['search', 'x', '--since', '2026-01-31T25:00'], '--since takes a day like 2026-01-31'],
    [['status', '\u001b[31m'], '"[31m" is not understood here'],
  ])('HKI-9 %j ends with 2', async (args, words) => {
    const ran = await createScene(all).run(...args);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.complaints).toContain(words);
  });

  test.each([
    [['--help'], /^Usage: mascot <command>[^]*hooks install[^]*Exit codes/],
    [['help'], /^Usage: mascot <command>/],
    [['hooks', 'install', '--help'], /^Usage: mascot hooks install \[options\][^]*--scope[^]*--yes/],
    [
      ['search', '-h'],
      /^Usage: mascot search <what to search for> \[options\][^]*--project[^]*--role[^]*--since[^]*--until/,
    ],
    [['hooks', '--help'], /^Usage: mascot <command>/],
    [['--version'], /^1\.2\.3$/],
  ])('HKI-9 %j explains, and ends with 0', async (args, words) => {
    const ran = await createScene(all).run(...args);
    expect([ran.code, ran.complaints]).toEqual([0, '']);
    expect(ran.out).toMatch(words);
  });
});
