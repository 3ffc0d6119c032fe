import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import type { DeletedJob } from '#server/records/golden-deletion.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import type { Tasks } from './inbox.ts';

/** A kind of item for review, as the verbs use it: texts and documents. */
export interface ReviewKind {
  table: PgTable;
  /** Matches one item by tenant and ID. */
  is(tenantId: string, id: string): SQL | undefined;
  /** Returns the error 404, which is the same for an unknown or deleted ID and one of another tenant. */
  unknown(): AppError;
  hasSegment(tx: Tx, tenantId: string, id: string, position: number): Promise<boolean>;
  /** Returns what awaits review, the most severe first. */
  listWaiting(tx: Tx, member: Claimant): Promise<Tasks>;
  /**
   * Selects the decision about an item.
   * @throws AppError 404; 409 conflict if the item is not decided
   */
  selectDecision(tx: Tx, tenantId: string, id: string): Promise<Decision>;
  /**
   * Runs the work of a reopening in a transaction in which no other process decides about the item.
   * @param check runs first if the transaction has to wait for other work
   */
  reopenIn<T>(
    services: LocatingServices,
    withBearer: WithBearer,
    id: string,
    steps: { check: SessionWork<unknown>; work: SessionWork<T> },
  ): Promise<T>;
}

type SessionWork<T> = (tx: Tx, principal: SessionPrincipal) => Promise<T>;

/** Runs work in the transaction that authenticates the member. */
export type WithBearer = <T>(work: SessionWork<T>) => Promise<T>;

/** A decision that closed a review. */
export interface Decision {
  /** The item in messages: `job <id>`. */
  what: string;
  /** The status that the decision gave the item. */
  status: string;
  /** Whether a review made the decision; false if only the quality gate did. */
  isReview: boolean;
  /** ID of the member who decided; null if the decision was made with an API key. */
  by: string | null;
  /** The record that the decision published. */
  published: DeletedJob;
  /** Withdraws the decision, but not the golden record. Returns the new state of the item. */
  withdraw(actor: string): Promise<{ status: string; updatedAt: Date }>;
}

/** The member who claims an item. */
export interface Claimant {
  tenantId: string;
  userId: string;
  /** The member's display name. */
  name: string;
}

export function claimantOf({ tenant, user }: SessionPrincipal): Claimant {
  return { tenantId: tenant.id, userId: user.id, name: user.email || user.id };
}

/** @param place the place of the position in the body */
export function unknownSegment(...place: (string | number)[]): AppError {
  return new AppError('invalid_fields', [
    { loc: ['body', ...place], msg: 'segment not found', type: 'unknown_segment' },
  ]);
}
