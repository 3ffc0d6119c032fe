import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { AppError } from './errors.ts';

/** Milliseconds that a turn is waited for, between two tries and in all. */
const pause = { first: 10, longest: 250, all: 20_000 };

/**
 * Runs a transaction of a tenant when it is its turn at something that one transaction at a time may change. Who waits holds
 * no connection: one tenant's queue must not take them from all others.
 * @throws AppError transient_error where the turn did not come
 */
export async function inTenantTurn<T>(
  database: Database,
  tenantId: string,
  what: 'memory' | 'terminology',
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const until = Date.now() + pause.all;
  for (let wait = pause.first; ; wait = Math.min(2 * wait, pause.longest)) {
    const done = await database.inTenant(tenantId, async (tx) => {
      const [row] = await tx.execute<{ mine: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${`${what}:${tenantId}`}, 0)) as mine`,
      );
      return row?.mine ? { value: await work(tx) } : undefined;
    });
    if (done) return done.value;
    if (Date.now() > until)
      throw new AppError('transient_error', 'other changes of this workspace are under way; try again');
    await delay(wait * (0.5 + Math.random()));
  }
}
