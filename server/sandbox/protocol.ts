/** The header of a payload that the service sends to a child. */
export interface TaskHead {
  task: string;
  /** Bytes of memory that the child may use. */
  memoryBytes: number;
  /** Milliseconds of CPU time for the task, all threads together. */
  cpuMs: number;
}

/**
 * The header of what a child sends: once `ready`; then for each task its pieces, and its result or the error that it threw.
 */
export type ResponseHead =
  | { kind: 'ready' }
  | { kind: 'piece' }
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The child's file descriptor for messages. Not one of the standard three: libraries print to those. */
export const channel = 3;

/** The signal that ends a child over its memory limit. Nobody else sends it. */
export const outOfMemory = 'SIGUSR2';

/** The signal that ends a child over its CPU time limit: that of a CPU timer, which leaves no core file. */
export const outOfTime = 'SIGVTALRM';

/** Indices into the array in which a child's main thread sets the limits that its watchdog enforces. */
export const allowanceAt = {
  /** Megabytes of the process at most; 0 for no limit. */
  memory: 0,
  /** CPU time of the process, in milliseconds since its start, at which its task is ended; 0 for no limit. */
  cpu: 1,
} as const;
