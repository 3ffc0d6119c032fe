/** What the service says of a value that it sends to a child. */
export interface TaskHead {
  task: string;
  /** Bytes of memory that the child may have while it runs. */
  memoryBytes: number;
}

/** What a child says of a value that it answers: a piece of the result, the rest of it, or nothing and what was thrown. */
export type AnswerHead =
  | { kind: 'piece' }
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The file descriptor of a child at which both talk. Not one of the standard three: libraries print to those. */
export const channel = 3;

/** How a child ends that has more memory than it may: a signal that nobody else sends. */
export const outOfMemory = 'SIGUSR2';
