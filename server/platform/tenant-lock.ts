import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';

/** Milliseconds between two attempts (from `first` to `max`), and for all attempts together (`all`). */
const pause = { first: 10, max: 250, all: 20_000 };

interface TenantLockOptions {
  /**
   * The name of a second lock. If another transaction holds this lock, the error of `refusal` is thrown immediately.
   */
  tryLock?: { name: string; refusal: () => AppError };
  /** Ends the wait for the lock, but not the transaction. The reason of the signal is thrown. */
  signal?: AbortSignal;
}

/**
 * Runs a transaction that holds the tenant's lock on its translation memory or its terminology, so that only one
 * transaction at a time changes these. While it waits, it uses no connection: many waiting transactions of one tenant
 * must not take the connections of other tenants.
 * @throws AppError transient_error if the lock is not free within 20 seconds; the error of `tryLock.refusal` if
 * another transaction holds that lock; the signal's reason if it aborts during the wait
 */
export async function withTenantLock<T>(
  database: Database,
  tenantId: string,
  what: 'memory' | 'terminology',
  work: (tx: Tx) => Promise<T>,
  { tryLock, signal }: TenantLockOptions = {},
): Promise<T> {
  const lock = (key: string) => sql`pg_try_advisory_xact_lock(hashtextextended(${key}, 0))`;
  const named = tryLock ? lock(`${what}:${tenantId}:${tryLock.name}`) : sql`true`;
  const until = Date.now() + pause.all;
  for (let wait = pause.first; ; wait = Math.min(2 * wait, pause.max)) {
    signal?.throwIfAborted();
    const done = await database.inTenant(tenantId, async (tx) => {
      const [row] = await tx.execute<{ named: boolean; held: boolean }>(
        sql`select ${named} as named, ${lock(`${what}:${tenantId}`)} as held`,
      );
      if (tryLock && !row?.named) throw tryLock.refusal();
      return row?.held ? { value: await work(tx) } : undefined;
    });
    if (done) return done.value;
    if (Date.now() > until)
      throw new AppError('transient_error', 'other changes of this workspace are in progress; try again');
    await delay(wait * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => {});
  }
}
