import type { Lab, PrintOptions } from './lab.ts';
import type { View } from './watch.ts';

const isOver = ({ sessions }: View) => sessions.at(-1)?.state === 'completed';

/** A headless run until its end is told of: the program doesn't wait for its last hook's forwarder. Gives the project. */
export async function wholeRun(lab: Lab, prompt: string, options?: PrintOptions): Promise<string> {
  const began = Date.now();
  const { project, ran } = await lab.print(prompt, options);
  if (ran.code !== 0) throw new Error(`the agent ended with ${ran.code}: ${ran.stderr}`);
  await lab.watch.see({ project, what: 'the end of the run', after: began, withinMs: 20_000, is: isOver });
  return project;
}
