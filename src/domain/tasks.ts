import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Task } from '../protocol/state.ts';
import { oneLine, shortText } from './text.ts';

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
      return withList(tasks, event.payload.tasks);
    default:
      return tasks;
  }
}

type TaskEvent = EventOf<keyof typeof statusBy>;

function withTask(tasks: readonly Task[], event: TaskEvent, status: Task['status']): readonly Task[] {
  const id = event.task_id?.slice(0, ID_MAX);
  if (id === undefined) return tasks;
  const known = tasks.find((task) => task.id === id);
  // What is told of an unknown task without its name (a sub-agent's job, a task of before) is no entry of this list.
  const title = shortText(event.payload.title, TITLE_MAX) ?? known?.title;
  if (title === undefined) return tasks;
  // The same task is told twice, by its tool's result and by its own event: the second telling undoes nothing.
  const next = event.event_type === 'task_created' && known ? known.status : status;
  if (known?.status === next && known.title === title) return tasks;
  const task = { id, title: oneLine(title, TITLE_MAX), status: next };
  return known ? tasks.map((each) => (each === known ? task : each)) : [...tasks, task].slice(-TASKS_KEPT);
}

/** A todo list comes whole each time; tasks with ids of their own stay beside it. */
function withList(tasks: readonly Task[], list: readonly Task[] | undefined): readonly Task[] {
  if (list === undefined) return tasks;
  const listed = list
    .slice(0, TASKS_KEPT)
    .map(({ id, title, status }) => ({ id: id.slice(0, ID_MAX), title: oneLine(title, TITLE_MAX), status }));
  return [...tasks.filter(({ id }) => !id.startsWith('todo/')), ...listed].slice(-TASKS_KEPT);
}
