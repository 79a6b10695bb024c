/** A person in the lab who has Codex, with a hook of their own. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lab } from './lab.ts';

/** One that calls its shell directly; others run a program of their own for each call. */
const MODEL = 'gpt-5.5';

export interface CodexPerson {
  readonly ownHooks: string;
  hooksFile(): string;
  /** Names of their own hooks, as they ran. */
  ownRan(): readonly string[];
  /** A run without a terminal; gives its project. */
  exec(prompt: string): Promise<string>;
  /** Says yes to Codex's own question at its start. */
  trustAll(what: string): Promise<void>;
}

export function codexPerson(lab: Lab): CodexPerson {
  const folder = path.join(lab.home, '.codex');
  const own = path.join(lab.folder, 'own-codex-hooks.txt');
  const ownHooks = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo Stop >>'${own}'"}]}]}}\n`;
  const hooks = path.join(folder, 'hooks.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(hooks, ownHooks);
  const config = path.join(folder, 'config.toml');
  writeFileSync(config, settings(lab.model));
  const env = { OPENAI_API_KEY: 'key-of-a-test-only' };
  const ownRan = () => read(own).split('\n').filter(Boolean);

  return {
    ownHooks,
    hooksFile: () => readFileSync(hooks, 'utf8'),
    ownRan,
    async exec(prompt) {
      const project = lab.newProject();
      const words = ['codex', 'exec', '--skip-git-repo-check', '-s', 'workspace-write', prompt];
      const ran = await lab.run(words, { cwd: project, env });
      if (ran.code !== 0) throw new Error(`codex exec ended with ${ran.code}: ${ran.stderr}`);
      return project;
    },
    async trustAll(what) {
      const project = lab.newProject();
      appendFileSync(config, `\n[projects."${project}"]\ntrust_level = "trusted"\n`);
      const agent = await lab.startProgram(['codex', '--no-daemon'], { cwd: project, env });
      try {
        const shown = await agent.dialog();
        if (!/trust/i.test(shown)) throw new Error(`Codex did not ask to trust ${what}:\n${shown}`);
        await agent.press('Down');
        const before = read(config);
        await agent.press('Enter');
        await agent.until('the trust is written', () => read(config) !== before);
      } finally {
        await agent.close();
      }
    },
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function settings(model: string): string {
  return `model = "${MODEL}"
model_provider = "lab"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.lab]
name = "Lab"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[tui]
screen_reader_detection_done = true
`;
}
