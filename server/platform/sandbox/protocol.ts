/** The header of a payload that the service sends to a child. */
export interface TaskHead {
  task: string;
}

/**
 * The header of what a child sends: once `ready`; then for each task its pieces, and its result or the error that it threw.
 */
export type ResponseHead =
  | { kind: 'ready' }
  | { kind: 'piece' }
  /** `residentBytes` counts where the service cannot read it from the system. */
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The child's file descriptor for messages. Not one of the standard three: libraries print to those. */
export const channel = 3;
