import type { AgentEvent } from '../protocol/event.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import { type Task, taskStatuses } from '../protocol/state.ts';
import { oneLine, textIn } from './text.ts';

const TASKS_KEPT = 100;
const TITLE_MAX = 200;
const ID_MAX = 100;

const statusBy = {
  task_created: 'pending',
  task_started: 'in_progress',
  task_completed: 'completed',
  task_failed: 'failed',
} as const;

/** The session's task list after an event; the same list when it says nothing of tasks. */
export function stepTasks(tasks: readonly Task[], event: AgentEvent): readonly Task[] {
  switch (event.event_type) {
    case 'task_created':
    case 'task_started':
    case 'task_completed':
    case 'task_failed':
      return withTask(tasks, event, statusBy[event.event_type]);
    case 'task_progress':
      return withList(tasks, event.payload['tasks']);
    default:
      return tasks;
  }
}

function withTask(tasks: readonly Task[], event: AgentEvent, status: Task['status']): readonly Task[] {
  const id = event.task_id?.slice(0, ID_MAX);
  if (id === undefined) return tasks;
  const known = tasks.find((task) => task.id === id);
  // What is told of an unknown task without its name (a sub-agent's job, a task of before) is no entry of this list.
  const title = textIn(event, 'title', TITLE_MAX) ?? known?.title;
  if (title === undefined) return tasks;
  // The same task is told twice, by its tool's result and by its own event: the second telling undoes nothing.
  const next = event.event_type === 'task_created' && known ? known.status : status;
  if (known?.status === next && known.title === title) return tasks;
  const task = { id, title: oneLine(title, TITLE_MAX), status: next };
  return known ? tasks.map((each) => (each === known ? task : each)) : [...tasks, task].slice(-TASKS_KEPT);
}

/** A todo list comes whole each time; tasks with ids of their own stay beside it. */
function withList(tasks: readonly Task[], list: Json | undefined): readonly Task[] {
  if (!Array.isArray(list)) return tasks;
  const listed = (list as readonly Json[]).flatMap(taskIn).slice(0, TASKS_KEPT);
  return [...tasks.filter(({ id }) => !id.startsWith('todo/')), ...listed].slice(-TASKS_KEPT);
}

function taskIn(value: Json): readonly Task[] {
  if (!isJsonObject(value)) return [];
  const { id, title, status } = value;
  const known = taskStatuses.find((each) => each === status);
  if (typeof id !== 'string' || typeof title !== 'string' || !known) return [];
  return [{ id: id.slice(0, ID_MAX), title: oneLine(title, TITLE_MAX), status: known }];
}
