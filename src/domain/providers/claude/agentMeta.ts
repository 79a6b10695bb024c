import { isJsonObject, type Json } from '../../../protocol/json.ts';
import { labelOf } from './fields.ts';

const MAX_LENGTH = 64 * 1024;

export interface AgentMeta {
  readonly type?: string | undefined;
  readonly task?: string | undefined;
  /** The call that started it. */
  readonly toolUseId?: string | undefined;
  /** The own id of the agent that started it; absent when that is the main one. */
  readonly parentId?: string | undefined;
  readonly name?: string | undefined;
  readonly team?: string | undefined;
}

/** NRM-11: `subagents/agent-<id>.meta.json`, written just after the agent's start; 2.1.100 tells only type and task. */
export function readAgentMeta(content: string): AgentMeta | undefined {
  if (content.length > MAX_LENGTH) return undefined;
  try {
    const meta = JSON.parse(content) as Json;
    if (!isJsonObject(meta)) return undefined;
    return {
      type: labelOf(meta['agentType']),
      task: labelOf(meta['description']),
      toolUseId: labelOf(meta['toolUseId']),
      parentId: labelOf(meta['parentAgentId']),
      name: labelOf(meta['name']),
      team: labelOf(meta['teamName']),
    };
  } catch {
    return undefined;
  }
}
