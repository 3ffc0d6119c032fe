import type { FlattenKind } from '#server/formats/document-kind.ts';
import type { Payload, tasks } from './tasks.ts';

const megabyte = 2 ** 20;

/** Processes and places to wait in, for tasks that end soon and for those that may not. */
export const lanes = {
  light: { slots: 2, places: 64 },
  heavy: { slots: 2, places: 64 },
} as const;

export type Lane = keyof typeof lanes;

/** What a kind of work may take, by the bytes (or characters) that it is given. */
interface Allowance {
  /** Up to so many it is done in the service itself: only what is linear, needs no library and takes less than a millisecond. */
  here?: number;
  /** Up to so many it is light: a fraction of a second. */
  light: number;
  /** Milliseconds of CPU time that it may always have, and for each megabyte; at most `mostCpuMs`. */
  cpuMs: number;
  cpuMsPerMegabyte: number;
  /** Bytes of memory of its process, the runtime's own some 70 MB included. */
  memoryBytes: number;
}

const mostCpuMs = 60_000;

const text: Allowance = {
  here: 100_000,
  light: Number.POSITIVE_INFINITY,
  cpuMs: 1000,
  cpuMsPerMegabyte: 100,
  memoryBytes: 512 * megabyte,
};
const markup: Allowance = {
  light: 1_000_000,
  cpuMs: 1000,
  cpuMsPerMegabyte: 1000,
  memoryBytes: 512 * megabyte,
};
const set: Allowance = { light: 500_000, cpuMs: 2000, cpuMsPerMegabyte: 1000, memoryBytes: 1_000_000_000 };

/**
 * What reading a file of each kind may take. The CPU time is at least eight times what such files were measured to take
 * (docs/decisions/0031), for machines that are slower.
 */
const flattening: Record<FlattenKind, Allowance> = {
  csv: text,
  docx: { light: 0, cpuMs: 3000, cpuMsPerMegabyte: 2000, memoryBytes: 512 * megabyte },
  html: markup,
  json: text,
  md: text,
  pdf: { light: 0, cpuMs: 2000, cpuMsPerMegabyte: 4000, memoryBytes: 512 * megabyte },
  txt: text,
  xml: markup,
};

type Tasks = typeof tasks;

/** For each task: what it may take, and how much it was given. */
const works: { [N in keyof Tasks]: (payload: Payload<Tasks, N>) => [Allowance, number] } = {
  flatten: ({ kind, bytes }) => [flattening[kind], bytes.length],
  index_memory: ({ sources }) => [set, sources.reduce((sum, { length }) => sum + length, 0)],
  read_glossary: ({ bytes }) => [set, bytes.length],
  read_memory: ({ bytes }) => [set, bytes.length],
  // Loading the fonts takes longer than shaping a page.
  render_golden: ({ text: { length } }) => [
    { light: 0, cpuMs: 5000, cpuMsPerMegabyte: 150_000, memoryBytes: 1_000_000_000 },
    length,
  ],
};

/** Where a task runs, and its limits. */
export interface Work {
  lane: Lane | 'here';
  cpuMs: number;
  /** Milliseconds from its start: a task that waits for nothing needs little more than its CPU time, on a machine that has any. */
  timeMs: number;
  memoryBytes: number;
}

export function workOf<N extends keyof Tasks>(task: N, payload: Payload<Tasks, N>): Work {
  const [{ here = 0, light, memoryBytes, ...allowance }, size] = works[task](payload);
  const cpuMs = Math.min(
    mostCpuMs,
    Math.ceil(allowance.cpuMs + (allowance.cpuMsPerMegabyte * size) / megabyte),
  );
  const lane = size <= here ? 'here' : size <= light ? 'light' : 'heavy';
  return { lane, cpuMs, timeMs: 20_000 + 3 * cpuMs, memoryBytes };
}
