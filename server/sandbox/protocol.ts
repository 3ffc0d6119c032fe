/** What the service says of a value that it sends to a child. */
export interface TaskHead {
  task: string;
  /** Bytes of memory that the child may have while it runs. */
  memoryBytes: number;
  /** Milliseconds of CPU time that it may have for the task, all its threads together. */
  cpuMs: number;
}

/**
 * What a child says: once, that it is ready for tasks; then of each value that it answers, a piece of the result, the rest of it, or
 * nothing and what was thrown.
 */
export type AnswerHead =
  | { kind: 'ready' }
  | { kind: 'piece' }
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The file descriptor of a child at which both talk. Not one of the standard three: libraries print to those. */
export const channel = 3;

/** How a child ends that has more memory than it may: a signal that nobody else sends. */
export const outOfMemory = 'SIGUSR2';

/** How it ends where a task takes more CPU time than it may: the signal of a timer of CPU time, which leaves no core file. */
export const outOfTime = 'SIGVTALRM';

/** What a child's main thread tells its watchdog, each at its place in an array of numbers. */
export const allowanceAt = {
  /** Megabytes that the process may have, 0 for any number. */
  memory: 0,
  /** CPU time of the process, in milliseconds since its start, at which its task has had enough; 0 for never. */
  cpu: 1,
} as const;
