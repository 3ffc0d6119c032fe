/** The header of a payload that the service sends to a child. */
export interface TaskHead {
  task: string;
}

/**
 * The header of a message from a child: first `ready` once; then, for each task, its pieces, and its result or error.
 */
export type ResponseHead =
  | { kind: 'ready' }
  | { kind: 'piece' }
  /** `residentBytes` is used only if the service cannot read the memory of the process from the system. */
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The file descriptor for messages in the child. It is not a standard stream, because libraries print to those. */
export const channel = 3;
