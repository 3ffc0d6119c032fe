import type { FlattenKind, LayoutKind } from '#server/formats/document-kind.ts';
import { sizeToRead } from '#server/formats/layout-formats.ts';
import type { Payload, tasks } from './tasks.ts';

const megabyte = 2 ** 20;

/**
 * A queue for tasks of a fraction of a second, one for tasks of some seconds, and one for tasks of minutes. A task waits only
 * for tasks of the same queue. `slots` is the number of concurrent processes, `maxWaiting` the maximum number of queued tasks.
 */
export const queues = {
  light: { slots: 2, maxWaiting: 64 },
  heavy: { slots: 2, maxWaiting: 64 },
  long: { slots: 1, maxWaiting: 64 },
} as const;

export type QueueName = keyof typeof queues;

/** The limits of a kind of work. Sizes are the unpacked bytes (or characters) of its input. */
interface LimitRule {
  /** Up to this size the service does the work inline: only linear work of less than a millisecond, without a library. */
  inline?: number;
  /** Up to this size the work uses the light queue: it takes a fraction of a second. */
  light: number;
  /** Above this size the work uses the queue of long tasks. */
  heavy?: number;
  /** Milliseconds of CPU time that every task may use. */
  cpuMs: number;
  /** Additional milliseconds of CPU time for each megabyte of input. */
  cpuMsPerMegabyte: number;
  /** The maximum of both together; 60 s by default. */
  maxCpuMs?: number;
  /** Bytes of memory of the process, including about 70 MB of the runtime. */
  memoryBytes: number;
}

const maxCpuMs = 60_000;

const text: LimitRule = {
  inline: 100_000,
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

/** XLIFF, with namespaces: at most 0.3 s of CPU time per megabyte, for a file that consists only of codes. */
const exchange: LimitRule = {
  light: 500_000,
  cpuMs: 2000,
  cpuMsPerMegabyte: 3000,
  memoryBytes: 1_000_000_000,
};

/**
 * The limits for reading a file of each kind. The CPU time is at least eight times the measured time (docs/decisions/0031), to
 * allow for slower machines.
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
 * An office file that is translated with its layout, by its unpacked bytes. Measured by `npm run bench -- documents`
 * (docs/performance.md): a task takes 0.2 s to start and at most 0.34 s of CPU time per unpacked megabyte, so the limits are at
 * least eight times that. At the maximum of 200,000,000 bytes it takes 3 to 10 s, a sixth of `maxCpuMs`. Files of that size
 * take 220 to 460 MB of memory. The limit is 1.3 times the maximum, so that the watchdog ends only tasks that the format's own
 * limits did not catch.
 */
const office: LimitRule = {
  light: 1_000_000,
  cpuMs: 4000,
  cpuMsPerMegabyte: 3000,
  memoryBytes: 600 * megabyte,
};

/**
 * A PDF that is translated with its layout. Pages that contain only text take the most time per byte: 8 s of CPU time per
 * megabyte (docs/performance.md). The number of pages is unlimited, so the maximum time does not follow from the time of a
 * page. A file of one kilobyte takes 0.7 to 1 s, so the limit starts at 5 s.
 */
const pdf: LimitRule = {
  light: 0,
  heavy: 2_000_000,
  cpuMs: 5000,
  cpuMsPerMegabyte: 60_000,
  maxCpuMs: 600_000,
  memoryBytes: 800 * megabyte,
};

/** The limits of reading a file that is translated with its layout. */
const layout: Record<LayoutKind, LimitRule> = { docx: office, pdf, xlsx: office };
/** The limits of writing it. Writing a PDF also loads and shapes fonts. */
const rebuilding: Record<LayoutKind, LimitRule> = { ...layout, pdf: { ...pdf, cpuMs: 10_000 } };

interface LayoutPayload {
  format: LayoutKind;
  bytes: Uint8Array;
}

const layoutRule =
  (rule: Record<LayoutKind, LimitRule>) =>
  ({ format, bytes }: LayoutPayload): [LimitRule, number] => [rule[format], sizeToRead(format, bytes)];

type Tasks = typeof tasks;

/** The rule of each task, and the size of its input. */
const rules: { [N in keyof Tasks]: (payload: Payload<Tasks, N>) => [LimitRule, number] } = {
  check_document: layoutRule(layout),
  extract_document: layoutRule(layout),
  rebuild_document: layoutRule(rebuilding),
  flatten: ({ kind, bytes }) => [flattening[kind], bytes.length],
  index_memory: ({ sources }) => [set, sources.reduce((sum, { length }) => sum + length, 0)],
  read_glossary: ({ bytes }) => [set, bytes.length],
  read_memory: ({ bytes }) => [set, bytes.length],
  read_xliff: ({ bytes }) => [exchange, bytes.length],
  // For a PDF it reads only the first pages, by the method of `flatten`.
  sample_document: ({ format, bytes }) =>
    format === 'pdf' ? [flattening.pdf, bytes.length] : layoutRule(layout)({ format, bytes }),
  // Loading the fonts takes longer than shaping a page.
  render_golden: ({ text: { length } }) => [
    { light: 0, cpuMs: 5000, cpuMsPerMegabyte: 150_000, memoryBytes: 1_000_000_000 },
    length,
  ],
};

/** The queue of a task, and its limits. */
export interface TaskLimits {
  queue: QueueName | 'inline';
  cpuMs: number;
  /** Milliseconds from the task's start. A task never waits, so this is little more than its CPU time. */
  timeMs: number;
  memoryBytes: number;
}

/** Returns the limits of a task, by its kind and the size of its input. */
export function limitsOfTask<N extends keyof Tasks>(task: N, payload: Payload<Tasks, N>): TaskLimits {
  const [rule, size] = rules[task](payload);
  const { inline = 0, light, heavy = Number.POSITIVE_INFINITY, memoryBytes } = rule;
  const cpuMs = Math.min(
    rule.maxCpuMs ?? maxCpuMs,
    Math.ceil(rule.cpuMs + (rule.cpuMsPerMegabyte * size) / megabyte),
  );
  const queue = size <= inline ? 'inline' : size <= light ? 'light' : size <= heavy ? 'heavy' : 'long';
  return { queue, cpuMs, timeMs: 20_000 + 3 * cpuMs, memoryBytes };
}
