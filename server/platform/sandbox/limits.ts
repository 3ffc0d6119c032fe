import type { FlattenKind } from '#server/formats/document-kind.ts';
import { sizeToRead } from '#server/formats/layout-formats.ts';
import { type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import type { Payload, tasks } from './tasks.ts';

const megabyte = 2 ** 20;

/**
 * The queues: for tasks that take a fraction of a second, for tasks that take seconds, and for tasks that take
 * minutes. A task waits only for tasks of the same queue. `slots` is the maximum number of concurrent processes,
 * `maxWaiting` the maximum number of queued tasks.
 */
export const queues = {
  light: { slots: 2, maxWaiting: 64 },
  heavy: { slots: 2, maxWaiting: 64 },
  long: { slots: 1, maxWaiting: 64 },
  /** Requests that read whole files and look up all of their texts (`FileWork.turn`), in addition to their tasks above. */
  whole: { slots: 2, maxWaiting: 64 },
} as const;

export type QueueName = keyof typeof queues;

/** The limits for a kind of work. Sizes are in bytes (or characters) of the unpacked input. */
interface LimitRule {
  /**
   * Maximum size of work that the service does itself, without a child process: only work that takes less than a
   * millisecond, grows linearly and uses no library.
   */
  inline?: number;
  /** Maximum size of work for the queue `light`, which takes a fraction of a second. */
  light: number;
  /** Maximum size of work for the queue `heavy`; larger work uses the queue of long tasks. */
  heavy?: number;
  /** Milliseconds of CPU time that every task may use, regardless of its size. */
  cpuMs: number;
  /** Additional milliseconds of CPU time for each megabyte of input. */
  cpuMsPerMegabyte: number;
  /** The maximum of `cpuMs` and the additional time together. Default: 60 s. */
  maxCpuMs?: number;
  /** Bytes of memory that the process may use, including about 70 MB for the runtime. */
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

/**
 * For XLIFF, with namespaces. Reading takes at most 0.3 s of CPU time per megabyte, in a file that consists only of
 * codes.
 */
const exchange: LimitRule = {
  light: 500_000,
  cpuMs: 2000,
  cpuMsPerMegabyte: 3000,
  memoryBytes: 1_000_000_000,
};

/**
 * Limits to read a file of each kind. The allowed CPU time is at least eight times the measured time
 * (docs/decisions/0031), because other machines may be slower.
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
 * Limits for an office file that is translated keeping its layout, by its unpacked bytes. Measured with `npm run
 * bench -- documents` (docs/performance.md): a task takes 0.2 s to start and at most 0.34 s of CPU time per unpacked
 * megabyte; the limits allow at least eight times as much. At the maximum size of 200,000,000 bytes, a task takes 3
 * to 10 s, a sixth of `maxCpuMs`. Files of that size take 220 to 460 MB of memory. The limit is 1.3 times that
 * maximum, so that the watchdog ends only tasks that the limits of the format itself did not stop.
 */
const office: LimitRule = {
  light: 1_000_000,
  cpuMs: 4000,
  cpuMsPerMegabyte: 3000,
  memoryBytes: 600 * megabyte,
};

/**
 * Limits for a PDF that is translated keeping its layout. Pages with only text take the most time per byte: 8 s of
 * CPU time per megabyte (docs/performance.md). The number of pages is not limited, so the maximum time cannot be
 * derived from the time of a page. A file of one kilobyte takes 0.7 to 1 s, so the limit starts at 5 s.
 */
const pdf: LimitRule = {
  light: 0,
  heavy: 2_000_000,
  cpuMs: 5000,
  cpuMsPerMegabyte: 60_000,
  maxCpuMs: 600_000,
  memoryBytes: 800 * megabyte,
};

/** Limits for a format that consists of text. A task takes at most 0.35 s of CPU time per megabyte. */
const texts: LimitRule = { ...set, cpuMsPerMegabyte: 3000 };
/** Limits for Markdown: a task takes 2 s of CPU time per megabyte, and up to 8 s for lists that are nested up to their limit. */
const markdown: LimitRule = { ...set, cpuMs: 4000, cpuMsPerMegabyte: 16_000 };

/** The groups of formats that are translated keeping their layout. */
type LayoutReader = (typeof layoutKinds)[LayoutKind]['reader'];

/** Limits to read a file that is translated keeping its layout. */
const layout: Record<LayoutReader, LimitRule> = { office, pdf, text: texts, markdown };
/** Limits to write a file that is translated keeping its layout. For a PDF, fonts are loaded and shaped in addition. */
const rebuilding: Record<LayoutReader, LimitRule> = { ...layout, pdf: { ...pdf, cpuMs: 10_000 } };

/**
 * Limits to recognize one page that consists of images. A page takes 4 to 9 s of CPU time (docs/fidelity.md) and 290 MB;
 * with an image of 34 million pixels, 380 MB. A page that exceeds the limits stays as it is.
 */
const recognition: LimitRule = {
  light: 0,
  cpuMs: 60_000,
  cpuMsPerMegabyte: 0,
  memoryBytes: 800 * megabyte,
};

/** Limits to align two files, and to find terms: a megabyte takes 7 s and 2 s of CPU time. */
const alignment: LimitRule = {
  light: 20_000,
  cpuMs: 4000,
  cpuMsPerMegabyte: 40_000,
  memoryBytes: 1_000_000_000,
};

interface LayoutPayload {
  format: LayoutKind;
  bytes: Uint8Array;
}

const layoutRule =
  (rule: Record<LayoutReader, LimitRule>) =>
  ({ format, bytes }: LayoutPayload): [LimitRule, number] => [
    rule[layoutKinds[format].reader],
    sizeToRead(format, bytes),
  ];

/** The limits to read a source and its translations: those of their sizes together. */
const rereading = ({
  format,
  bytes,
  ...others
}: LayoutPayload &
  Record<'target', Uint8Array> &
  Partial<Record<'corrected' | 'written', Uint8Array | null>>): [LimitRule, number] => {
  const [rule, size] = layoutRule(rebuilding)({ format, bytes });
  const { target, corrected, written } = others;
  const files = [target, corrected].reduce((sum, file) => sum + (file ? sizeToRead(format, file) : 0), size);
  return [rule, files + (written?.length ?? 0)];
};

type Tasks = typeof tasks;

/** Returns for each task the limits that apply, and the size of the input. */
const rules: { [N in keyof Tasks]: (payload: Payload<Tasks, N>) => [LimitRule, number] } = {
  align_texts: ({ source, target }) => [
    alignment,
    [...source.texts, ...target.texts].reduce((sum, { length }) => sum + length, 0),
  ],
  check_document: layoutRule(layout),
  extract_document: layoutRule(layout),
  rebuild_document: layoutRule(rebuilding),
  hash_texts: rereading,
  keep_texts: rereading,
  find_candidates: ({ texts }) => [
    alignment,
    texts.reduce((sum, { source, target }) => sum + source.length + (target?.length ?? 0), 0),
  ],
  flatten: ({ kind, bytes }) => [flattening[kind], bytes.length],
  index_memory: ({ sources }) => [set, sources.reduce((sum, { length }) => sum + length, 0)],
  recognize_page: ({ bytes }) => [recognition, bytes.length],
  // All files of a directory. `read-fonts.ts` limits their size.
  read_fonts: () => [{ light: 0, cpuMs: 60_000, cpuMsPerMegabyte: 0, memoryBytes: 1_000_000_000 }, 1],
  read_glossary: ({ kind, bytes }) =>
    kind === 'xlsx' ? [office, sizeToRead(kind, bytes)] : [set, bytes.length],
  read_memory: ({ bytes }) => [set, bytes.length],
  read_xliff: ({ bytes }) => [exchange, bytes.length],
  // Of a PDF, only the first pages are read, in the same way as by `flatten`.
  sample_document: ({ format, bytes }) =>
    format === 'pdf' ? [flattening.pdf, bytes.length] : layoutRule(layout)({ format, bytes }),
  // The basic time is long, because loading the fonts takes longer than shaping a page.
  render_golden: ({ text: { length } }) => [
    { light: 0, cpuMs: 5000, cpuMsPerMegabyte: 150_000, memoryBytes: 1_000_000_000 },
    length,
  ],
};

/** The queue for a task, and the task's limits. */
interface TaskLimits {
  queue: QueueName | 'inline';
  cpuMs: number;
  /**
   * Maximum milliseconds from the start of the task. Tasks never wait while they run, so a task that takes longer
   * hangs, or the machine is busy: then it gets more time.
   */
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
