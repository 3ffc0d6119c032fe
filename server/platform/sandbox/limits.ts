import type { FlattenKind, LayoutKind } from '#server/formats/document-kind.ts';
import { sizeToRead } from '#server/formats/layout-formats.ts';
import type { Payload, tasks } from './tasks.ts';

const megabyte = 2 ** 20;

/**
 * A queue for tasks of a fraction of a second, one for tasks of some seconds, and one for those that may take minutes: they wait for
 * each other only. Processes that run at a time, and tasks that may wait.
 */
export const queues = {
  light: { slots: 2, maxWaiting: 64 },
  heavy: { slots: 2, maxWaiting: 64 },
  long: { slots: 1, maxWaiting: 64 },
} as const;

export type QueueName = keyof typeof queues;

/** The limits of a kind of work. Sizes are the bytes (or characters) of its input, unpacked. */
interface LimitRule {
  /** Up to this size the service does the work itself: only linear work of less than a millisecond, without a library. */
  here?: number;
  /** Up to this size the work goes to the light queue: it takes a fraction of a second. */
  light: number;
  /** Above this size it goes to the queue of long tasks, if given. */
  heavy?: number;
  /** Milliseconds of CPU time that every task may use, and for each megabyte of input; at most `mostCpuMs`, or the rule's own. */
  cpuMs: number;
  cpuMsPerMegabyte: number;
  mostCpuMs?: number;
  /** Bytes of memory of the process, including some 70 MB of the runtime itself. */
  memoryBytes: number;
}

const mostCpuMs = 60_000;

const text: LimitRule = {
  here: 100_000,
  light: Number.POSITIVE_INFINITY,
  cpuMs: 1000,
  cpuMsPerMegabyte: 100,
  memoryBytes: 512 * megabyte,
};
const markup: LimitRule = {
  light: 1_000_000,
  cpuMs: 1000,
  cpuMsPerMegabyte: 1000,
  memoryBytes: 512 * megabyte,
};
const set: LimitRule = { light: 500_000, cpuMs: 2000, cpuMsPerMegabyte: 1000, memoryBytes: 1_000_000_000 };

/** XLIFF, whose namespaces are read: 0.3 s of CPU time per megabyte at most, if it is nothing but codes. */
const exchange: LimitRule = {
  light: 500_000,
  cpuMs: 2000,
  cpuMsPerMegabyte: 3000,
  memoryBytes: 1_000_000_000,
};

/**
 * The limits for reading a file of each kind. The CPU time is at least eight times what we measured for such files
 * (docs/decisions/0031), to allow for slower machines.
 */
const flattening: Record<FlattenKind, LimitRule> = {
  csv: text,
  docx: { light: 0, cpuMs: 3000, cpuMsPerMegabyte: 2000, memoryBytes: 512 * megabyte },
  html: markup,
  json: text,
  md: text,
  pdf: { light: 0, cpuMs: 2000, cpuMsPerMegabyte: 4000, memoryBytes: 512 * megabyte },
  txt: text,
  xml: markup,
};

/**
 * A file that is translated in place, by its unpacked bytes. Measured by `npm run bench -- documents` (docs/performance.md): a task takes
 * 0.2 s to begin and at most 0.34 s of CPU time per unpacked megabyte, so the limits are eight times that and more; at B 8's 200,000,000
 * bytes it takes 3 to 10 s, which leaves a factor of six to `mostCpuMs`. Files at that size take 220 to 460 MB of memory: the limit is 1.3
 * times the most, so that the watchdog ends only what the counts of the format missed.
 */
const office: LimitRule = {
  light: 1_000_000,
  cpuMs: 4000,
  cpuMsPerMegabyte: 3000,
  memoryBytes: 600 * megabyte,
};

/**
 * A PDF that is translated in place. Pages of nothing but text take the most for each byte of the file: 8 s of CPU time per megabyte
 * (docs/performance.md). Their number has no limit, so the most time does not follow from one of the file's pages. A file of one
 * kilobyte takes 0.7 to 1 s, so it may take 5.
 */
const pdf: LimitRule = {
  light: 0,
  heavy: 2_000_000,
  cpuMs: 5000,
  cpuMsPerMegabyte: 60_000,
  mostCpuMs: 600_000,
  memoryBytes: 800 * megabyte,
};

/** The limits of reading a file of each kind that is translated in place, and of writing it: that sets text in fonts, too. */
const layout: Record<LayoutKind, LimitRule> = { docx: office, pdf, xlsx: office };
const rebuilding: Record<LayoutKind, LimitRule> = { ...layout, pdf: { ...pdf, cpuMs: 10_000 } };

interface LayoutPayload {
  format: LayoutKind;
  bytes: Uint8Array;
}

const layoutRule =
  (rule: Record<LayoutKind, LimitRule>) =>
  ({ format, bytes }: LayoutPayload): [LimitRule, number] => [rule[format], sizeToRead(format, bytes)];

type Tasks = typeof tasks;

/** For each task: its rule, and the size of its input. */
const rules: { [N in keyof Tasks]: (payload: Payload<Tasks, N>) => [LimitRule, number] } = {
  check_document: layoutRule(layout),
  extract_document: layoutRule(layout),
  rebuild_document: layoutRule(rebuilding),
  flatten: ({ kind, bytes }) => [flattening[kind], bytes.length],
  index_memory: ({ sources }) => [set, sources.reduce((sum, { length }) => sum + length, 0)],
  read_glossary: ({ bytes }) => [set, bytes.length],
  read_memory: ({ bytes }) => [set, bytes.length],
  read_xliff: ({ bytes }) => [exchange, bytes.length],
  // The first pages of a PDF alone, as its text is read otherwise.
  sample_document: ({ format, bytes }) =>
    format === 'pdf' ? [flattening.pdf, bytes.length] : layoutRule(layout)({ format, bytes }),
  // Loading the fonts takes longer than shaping a page.
  render_golden: ({ text: { length } }) => [
    { light: 0, cpuMs: 5000, cpuMsPerMegabyte: 150_000, memoryBytes: 1_000_000_000 },
    length,
  ],
};

/** Where a task runs, and its limits. */
export interface TaskLimits {
  queue: QueueName | 'here';
  cpuMs: number;
  /** Milliseconds from the task's start. A task waits for nothing, so this is little more than its CPU time. */
  timeMs: number;
  memoryBytes: number;
}

/** The limits of a task, by its kind and the size of its input. */
export function limitsOfTask<N extends keyof Tasks>(task: N, payload: Payload<Tasks, N>): TaskLimits {
  const [rule, size] = rules[task](payload);
  const { here = 0, light, heavy = Number.POSITIVE_INFINITY, memoryBytes } = rule;
  const cpuMs = Math.min(
    rule.mostCpuMs ?? mostCpuMs,
    Math.ceil(rule.cpuMs + (rule.cpuMsPerMegabyte * size) / megabyte),
  );
  const queue = size <= here ? 'here' : size <= light ? 'light' : size <= heavy ? 'heavy' : 'long';
  return { queue, cpuMs, timeMs: 20_000 + 3 * cpuMs, memoryBytes };
}
