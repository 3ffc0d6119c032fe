import type { LeftOut } from '../../parts/left-out.tsx';
import type { Item, Seen } from './items.ts';

export type Action = 'approve' | 'reject';

/** A reviewer's decision about an item. */
export interface Decision {
  item: Seen;
  action: Action;
  /** The text in the field; undefined for the stored one, of an item that was not open. */
  text?: string | undefined;
  /** The reason for a rejection. */
  notes?: string | undefined;
  /** Milliseconds of work; undefined if several items are decided on at once. */
  workedMs?: number | undefined;
  /** Whether the reviewer has confirmed the critical findings of the text. */
  confirmCritical?: boolean | undefined;
  /** Whether the reviewer selected this item without opening it. */
  confirmUnopened?: boolean | undefined;
}

/** `sending`, then `done`; or it was not saved: `refused` with the error, or `changed` because someone else has changed the job. */
export type Sent = Decision & {
  state: 'sending' | 'done' | 'refused' | 'changed';
  error?: unknown;
  /** Set if an approval of several items skipped this one. */
  leftOut?: { reason: LeftOut['reason']; findings: LeftOut['findings'] };
};

/** The fields of an item that a saved draft changes. */
export type Saved = Pick<Item, 'version' | 'target'>;

/** Whether a review was not saved. */
export function isBack(one: Sent | undefined): boolean {
  return one?.state === 'refused' || one?.state === 'changed';
}
