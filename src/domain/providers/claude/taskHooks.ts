import * as z from 'zod/mini';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Task } from '../../../protocol/state.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import { given } from '../../eventWords.ts';
import { type EventDraft, hookRule, type HookRule } from '../provider.ts';
import { blocksOf, textIn } from './entries.ts';
import { labelOf, optionalText } from './fields.ts';

type TaskType = 'task_created' | 'task_started' | 'task_completed';

const task = z.object({ task_id: textWithin(1), task_subject: optionalText, task_description: optionalText });

export const taskHooks: Readonly<Record<string, HookRule>> = {
  TaskCreated: hookRule(task, (fields) => taskDraft('task_created', fields.task_id, fields.task_subject)),
  TaskCompleted: hookRule(task, (fields) => taskDraft('task_completed', fields.task_id, fields.task_subject)),
};

/** What a successful call of a task tool means beside itself. Lenient: an odd result costs the task, never the call. */
export function taskNews(tool: string, input: JsonObject, answer: Json): readonly EventDraft[] {
  const response = isJsonObject(answer) ? answer : {};
  switch (tool) {
    case 'TaskCreate':
      return isJsonObject(response['task']) ? created(response['task']) : createdInWords(input, answer);
    case 'TaskUpdate':
      return updated(input, response);
    case 'TodoWrite':
      return todoList(response['newTodos'] ?? input['todos']);
    default:
      return [];
  }
}

function created(task: JsonObject): readonly EventDraft[] {
  return taskDraft('task_created', task['id'], task['subject']);
}

/** The model's text about a new task, which some senders pass on instead of the task. */
function createdInWords(input: JsonObject, answer: Json): readonly EventDraft[] {
  const blocks = isJsonObject(answer) ? (answer['content'] ?? answer['text'] ?? null) : answer;
  const words = blocksOf(blocks).map((block) => textIn(block, 'text') ?? '');
  const [, id] = words.map((text) => /\bTask #?([\w.-]{1,100}) created\b/i.exec(text)).find(Boolean) ?? [];
  const title = input['subject'] ?? /created[^:]{0,60}: (.+)/.exec(words.join('\n'))?.[1];
  return id === undefined ? [] : taskDraft('task_created', id, title);
}

const typeByStatus: Readonly<Record<string, TaskType>> = { in_progress: 'task_started', completed: 'task_completed' };

/** Other changes (an owner, a dependency, back to pending) have no event; the tool says of a refused one that it failed. */
function updated(input: JsonObject, response: JsonObject): readonly EventDraft[] {
  const { statusChange: change } = response;
  const status = (isJsonObject(change) ? change['to'] : undefined) ?? input['status'];
  const type = typeof status === 'string' && Object.hasOwn(typeByStatus, status) ? typeByStatus[status] : undefined;
  if (type === undefined || response['success'] === false) return [];
  return taskDraft(type, response['taskId'] ?? input['taskId'], input['subject']);
}

function taskDraft(type: TaskType, id: Json | undefined, title: Json | undefined): readonly EventDraft[] {
  const name = labelOf(typeof id === 'number' ? String(id) : id);
  if (name === undefined) return [];
  return [{ event_type: type, task_id: name, payload: given({ title: labelOf(title) }) }];
}

const TODOS_MAX = 200;
const todoStatuses = ['pending', 'in_progress', 'completed'] as const;

/** The list comes whole each time and its entries have no ids: their place is all that names them. */
function todoList(value: Json | undefined): readonly EventDraft[] {
  if (!Array.isArray(value)) return [];
  const tasks = (value as readonly Json[]).slice(0, TODOS_MAX).flatMap(todo);
  return [{ event_type: 'task_progress', task_id: 'todo', payload: { tasks } }];
}

function todo(value: Json, index: number): readonly Task[] {
  const title = isJsonObject(value) ? labelOf(value['content']) : undefined;
  if (!isJsonObject(value) || title === undefined) return [];
  const status = todoStatuses.find((known) => known === value['status']) ?? 'pending';
  return [{ id: `todo/${index + 1}`, title, status }];
}
