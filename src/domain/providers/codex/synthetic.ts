import { isProgramPrompt, type ProgramPrompts } from '../synthetic.ts';

/** Context that Codex hands its model in the user's name. Sub-agents' reports and a goal's continuations start turns. */
const programPrompts: ProgramPrompts = {
  begins: [],
  encloses: [
    'environment_context',
    'user_instructions',
    'turn_aborted',
    'subagent_notification',
    'user_shell_command',
    'codex_internal_context',
    'recommended_plugins',
    'hook_prompt',
    'skill',
  ],
  sentences: [
    /^# AGENTS\.md instructions for [^\n]*\n[^]*<\/INSTRUCTIONS>$/,
    /^Another language model started to solve this problem and produced a summary of its thinking process\./,
  ],
};

export function isSynthetic(prompt: string): boolean {
  return isProgramPrompt(prompt, programPrompts);
}
