import type { LeftOut } from '../../parts/left-out.tsx';
import type { Item, Seen } from './items.ts';

export type Action = 'approve' | 'reject';

/** A reviewer's decision about an item. */
export interface Decision {
  item: Seen;
  action: Action;
  /** The text in the field. Undefined if the item was not open: the decision then applies to the stored translation. */
  text?: string | undefined;
  /** The reason for a rejection. */
  notes?: string | undefined;
  /** Milliseconds that the reviewer worked on the item; undefined if several items are decided together. */
  workedMs?: number | undefined;
  /** Whether the reviewer confirmed the critical findings in the text. */
  confirmCritical?: boolean | undefined;
  /** Whether the reviewer confirmed the approval of this item without having opened it. */
  confirmUnopened?: boolean | undefined;
}

/**
 * A decision and the state of its request: `sending`, then `done` if it was saved. If it was not saved, the state is
 * `refused`, with the error, or `changed` if someone else has changed the job.
 */
export type Sent = Decision & {
  state: 'sending' | 'done' | 'refused' | 'changed';
  error?: unknown;
  /** Set if an approval of several items skipped this item. */
  leftOut?: { reason: LeftOut['reason']; findings: LeftOut['findings'] };
};

/** The fields of an item that change when a draft is saved. */
export type Saved = Pick<Item, 'version' | 'target'>;

/** Whether a review was not saved. */
export function isBack(one: Sent | undefined): boolean {
  return one?.state === 'refused' || one?.state === 'changed';
}
