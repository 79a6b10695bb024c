/** Opens the extension in an editor that is installed on this machine. */
import { run } from '../lib/run.mjs';

const ADVICE = 'Or open it in the browser: npm start -- --browser';

/**
 * @param {{ editor: { name: string, file: string }, vsix: string, folder: string, env: NodeJS.ProcessEnv, signal: AbortSignal }} options
 */
export async function openInEditor({ editor, vsix, folder, env, signal }) {
  await run(editor.file, ['--install-extension', vsix, '--force'], {
    label: `${editor.name} --install-extension`,
    env,
    signal,
    advice: ADVICE,
  });
  await run(editor.file, ['--new-window', folder], {
    label: `${editor.name} --new-window`,
    env,
    signal,
    advice: ADVICE,
  });
}
