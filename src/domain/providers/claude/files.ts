import type { OwnFiles } from '../provider.ts';
import { readAgentMeta } from './agentMeta.ts';
import { readStatusFile } from './statusFile.ts';

const META_NAME = /^agent-([\w-]{1,100})\.meta\.json$/;

/**
 * Where Claude Code keeps what: `<config>/projects/<project>/<session>.jsonl`, beside it `<session>/subagents/agent-<id>.jsonl`
 * and `.meta.json`, and `<config>/sessions/<pid>.json`. Paths may be Windows' own.
 */
export const claudeFiles: OwnFiles = {
  agentTranscript(transcript, agentId) {
    const folder = subagentFolder(transcript);
    return folder === undefined || !/^[\w-]+$/.test(agentId) ? undefined : join(folder, `agent-${agentId}.jsonl`);
  },
  agentMetaFolder: subagentFolder,
  readAgentMeta(name, text) {
    const agentId = META_NAME.exec(name)?.[1];
    const meta = agentId === undefined ? undefined : readAgentMeta(text);
    return agentId === undefined || !meta ? undefined : { agentId, ...meta };
  },
  statusFolder(transcript) {
    const project = parent(transcript);
    const projects = project === undefined ? undefined : parent(project);
    return projects === undefined || !/[\\/]projects$/.test(projects)
      ? undefined
      : claudeFiles.statusFolderBeside(projects);
  },
  statusFolderBeside(root) {
    const config = parent(root);
    return config === undefined ? undefined : join(config, 'sessions');
  },
  isStatusFile: (name) => /^\d{1,10}\.json$/.test(name),
  readStatus(text) {
    const file = readStatusFile(text);
    if (!file) return undefined;
    const ticks = Number(file.procStart);
    return {
      ...file,
      // The kernel's ticks since boot on Linux; what other systems write there is not known.
      startTicks: file.pidDomain?.startsWith('linux:') && Number.isSafeInteger(ticks) ? ticks : undefined,
      pidNamespace: /pid:\[\d+\]/.exec(file.pidDomain ?? '')?.[0],
    };
  },
};

function subagentFolder(transcript: string): string | undefined {
  return transcript.endsWith('.jsonl') ? join(transcript.slice(0, -'.jsonl'.length), 'subagents') : undefined;
}

function parent(path: string): string | undefined {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return end <= 0 ? undefined : path.slice(0, end);
}

function join(folder: string, name: string): string {
  return `${folder}${folder.includes('\\') && !folder.includes('/') ? '\\' : '/'}${name}`;
}
