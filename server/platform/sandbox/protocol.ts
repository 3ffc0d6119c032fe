/** The header of a payload that the service sends to a child. */
export interface TaskHead {
  task: string;
}

/** The header of a message from a child: `ready` once; then, for each task, its pieces and its result or error. */
export type ResponseHead =
  | { kind: 'ready' }
  | { kind: 'piece' }
  /** `residentBytes` is used if the service cannot read it from the system. */
  | { kind: 'result'; residentBytes: number }
  | { kind: 'failure'; message: string };

/** The child's file descriptor for messages. It is not a standard stream, because libraries print to those. */
export const channel = 3;
