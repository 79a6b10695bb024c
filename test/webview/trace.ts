import type { Browser } from 'playwright-core';

/** What Chromium's tracing tells of one page: what its main thread did, and how often its compositor drew. */
export interface Traced {
  /** Scripts, timers, style, layout, paint and what belongs to them, by the name of the trace event. */
  readonly work: Readonly<Record<string, number>>;
  /** Pictures that the compositor drew; it draws animations of transform and opacity without the main thread. */
  readonly frames: number;
  /** The longest task of the main thread, and the one with `yardstick` in it: processor time, in milliseconds. */
  readonly longestMs: number;
  readonly longestWallMs: number;
  readonly yardstickMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: {
    readonly data?: { readonly message?: string };
  };
}

const categories = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
];

/**
 * Whatever a page makes its main thread do. Not in it: empty tasks of Chromium's own, which come with every frame that the
 * compositor shows, and collections of garbage, which may fall into any second.
 */
const workNames = new Set([
  ...[
    'EvaluateScript',
    'v8.compile',
    'FunctionCall',
    'RunMicrotasks',
    'EventDispatch',
    'HandlePostMessage',
    'ParseHTML',
  ],
  ...['TimerInstall', 'TimerFire', 'RequestAnimationFrame', 'FireAnimationFrame', 'FireIdleCallback'],
  ...['ScheduleStyleRecalculation', 'UpdateLayoutTree', 'RecalculateStyles', 'InvalidateLayout', 'Layout'],
  ...['PrePaint', 'Paint', 'Layerize', 'UpdateLayer', 'UpdateLayerTree', 'CompositeLayers', 'Commit'],
  ...['BeginMainThreadFrame', 'ScrollLayer', 'HitTest', 'IntersectionObserverController::computeIntersections'],
]);

const collectionNames = new Set(['MinorGC', 'MajorGC']);

/** Runs an expression in the page. */
export type Evaluate = (expression: string) => Promise<unknown>;

/** Traces a page while `during` runs. */
export async function traced(browser: Browser, evaluate: Evaluate, during: () => Promise<unknown>): Promise<Traced> {
  await browser.startTracing(undefined, { categories });
  let buffer: Buffer;
  try {
    await evaluate(`console.timeStamp('begin')`);
    await during();
    await evaluate(`console.timeStamp('end')`);
  } finally {
    buffer = await browser.stopTracing();
  }
  return readTrace((JSON.parse(buffer.toString()) as { traceEvents: readonly TraceEvent[] }).traceEvents);
}

function readTrace(events: readonly TraceEvent[]): Traced {
  const stamps = (message: string): readonly TraceEvent[] =>
    events.filter(({ name, args }) => name === 'TimeStamp' && args.data?.message === message);
  const [begin] = stamps('begin');
  const [end] = stamps('end');
  if (!begin || !end) throw new Error('The trace does not have the page from begin to end.');
  const own = events.filter(({ pid }) => pid === begin.pid);
  const tasks = own.filter(({ name, ph, tid }) => name === 'RunTask' && ph === 'X' && tid === begin.tid);
  const holds = (task: TraceEvent, { ts }: TraceEvent): boolean => ts >= task.ts && ts <= task.ts + (task.dur ?? 0);
  // What asks for the stamps is work too, and not the page's.
  const from = endOf(tasks.find((task) => holds(task, begin)) ?? begin);
  const to = (tasks.find((task) => holds(task, end)) ?? end).ts;
  const inside = own.filter(({ ts }) => ts >= from && ts < to);
  const work: Record<string, number> = {};
  for (const { name, ph, tid } of inside)
    if (tid === begin.tid && workNames.has(name) && ph !== 'E') work[name] = (work[name] ?? 0) + 1;
  const yardsticks = stamps('yardstick');
  const measured = tasks.filter(({ ts }) => ts >= from && ts < to);
  const isYardstick = (task: TraceEvent): boolean => yardsticks.some((stamp) => holds(task, stamp));
  const others = measured.filter((task) => !isYardstick(task));
  const collections = inside.filter(({ name, tid }) => tid === begin.tid && collectionNames.has(name));
  /** Without the garbage of all tasks before it, which one of them happens to be interrupted for. */
  const ownMs = (task: TraceEvent): number =>
    workedMs(task) - collections.filter((each) => holds(task, each)).reduce((sum, each) => sum + workedMs(each), 0);
  return {
    work,
    frames: inside.filter(({ name }) => name === 'DrawFrame').length,
    longestMs: Math.max(0, ...others.map(ownMs)),
    longestWallMs: Math.max(0, ...others.map(({ dur = 0 }) => dur / 1000)),
    yardstickMs: Math.max(0, ...measured.filter(isYardstick).map(workedMs)),
  };
}

function endOf({ ts, dur = 0 }: TraceEvent): number {
  return ts + dur;
}

/** Of the processor, where the machine can tell. */
function workedMs({ dur = 0, tdur = dur }: TraceEvent): number {
  return tdur / 1000;
}
