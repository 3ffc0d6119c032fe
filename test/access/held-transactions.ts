import type { Tx } from '#db/client.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSession } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

/**
 * From now on, a transaction that inserts an event of this action waits at that statement and stays open. (A sign-in
 * inserts its event last.) This ends with the test, or when the returned function is called.
 */
export async function holdEvents(app: TestApp, action: string): Promise<() => Promise<void>> {
  const sql = openSession(app.superuserUrl);
  await sql.unsafe(`
    create or replace function wait_until_let_go() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtext(new.action));
      return new;
    end $$;
    create or replace trigger held before insert on audit_log for each row execute function wait_until_let_go()`);
  await sql`select pg_advisory_lock(hashtext(${action}))`;
  return async () => {
    await sql`select pg_advisory_unlock(hashtext(${action}))`;
  };
}

/** Opens a transaction in the tenant, runs the work, and keeps the transaction open. `letGo` commits it. */
export async function holdOpen<T>(
  { database }: TestApp,
  tenantId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<{ letGo: () => Promise<T> }> {
  const worked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const held = database.inTenant(tenantId, async (tx) => {
    const done = await work(tx);
    worked.resolve();
    await goOn.promise;
    return done;
  });
  await Promise.race([worked.promise, held]);
  return {
    letGo: () => {
      goOn.resolve();
      return held;
    },
  };
}

/**
 * Resolves when `count` transactions wait for a lock, or when `ended` resolves because a transaction did not have to
 * wait.
 */
export async function waitingOr(app: TestApp, count: number, ended: Promise<unknown>): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  ended.then(end, end);
  const sql = openSession(app.superuserUrl);
  await poll(async () => {
    if (over) return true;
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length >= count;
  });
}
