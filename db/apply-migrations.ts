import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { findWait, type LockWait, Session } from './session.ts';

/**
 * Milliseconds that a migration waits for the lock of one table. During that time, every request that uses the table
 * queues behind it. Both times are shorter than PostgreSQL's `deadlock_timeout` of 1 s, so that in a deadlock between
 * a migration and a request the migration fails, not the request.
 */
const lockTimeouts = { usual: 250, paused: 900 };

/**
 * The table that each authenticated request reads first, when it holds no lock yet. While a migration has it locked,
 * new requests wait, and those that have begun come to their end.
 */
const gate = 'credential_directory';

/** Milliseconds: the longest time for which a migration tries to get its locks. */
const patience = 600_000;

/** Milliseconds: `look` between two looks at the locks, `first` until a wait is reported, `next` between reports. */
const times = { look: 50, first: 1000, next: 10_000 };

/** Milliseconds between two attempts: `first`, then doubled after each attempt, up to `max`. */
const pauses = { first: 50, max: 5000 };

/** A migration with its name, such as `0036_style_guides`. */
export interface Migration extends MigrationMeta {
  name: string;
}

export interface ApplyOptions {
  /** Ends the work before the next attempt; a migration that is being applied is completed. */
  stop?: AbortSignal | undefined;
  /** Lets new requests wait while a migration gets its locks. */
  pause?: boolean | undefined;
  /** Called with a sentence about a wait: after a second and then every 10 seconds. */
  onWait?: ((notice: string) => void) | undefined;
  /** Called after each migration of a database that had some before, with a sentence. */
  onProgress?: ((notice: string) => void) | undefined;
}

/** Thrown if a migration did not get a lock within ten minutes. The migrations before it are applied. */
export class MigrationBlockedError extends Error {
  override name = 'MigrationBlockedError';
}

/** Returns the migrations of a folder in their order. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string }[];
  };
  return readMigrationFiles({ migrationsFolder: folder }).map((migration, at) => ({
    ...migration,
    name: journal.entries[at]?.tag ?? '',
  }));
}

/** Creates the list of applied migrations, the one that Drizzle's migrator uses. */
export async function createJournal(session: Session): Promise<void> {
  await session.query(`create schema if not exists drizzle;
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
}

/** Applies one migration in the current transaction. */
export async function applyMigration(
  session: Session,
  { sql, hash, folderMillis }: Migration,
): Promise<void> {
  for (const statement of sql) await session.query(statement);
  await session.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
    hash,
    folderMillis,
  ]);
}

/**
 * Applies the migrations that the database lacks, while processes of the version before serve requests. Each one has
 * its own transaction: what is applied stays applied, and few tables are locked at the same time. A migration waits
 * only a short time for each lock; if another session holds a lock for longer, such as a dump, the migration is
 * rolled back and tried again.
 * @throws MigrationBlockedError
 */
export async function applyWithoutBlocking(
  session: Session,
  url: string,
  migrations: readonly Migration[],
  options: ApplyOptions,
): Promise<void> {
  await createJournal(session);
  const [applied] = await session.query<{ latest: string | null }>(
    'select max(created_at)::text as latest from drizzle.__drizzle_migrations',
  );
  const latest = Number(applied?.latest ?? 0);
  const pending = migrations.filter(({ folderMillis }) => folderMillis > latest);
  if (pending.length === 0) return;
  await session.query(`set lock_timeout = ${options.pause ? lockTimeouts.paused : lockTimeouts.usual}`);
  const watch = new LockWatch(session.pid, await Session.open(url, 'lingualoop migrate'));
  try {
    for (const [at, migration] of pending.entries()) {
      const begun = performance.now();
      await applyWhenFree(session, watch, migration, options);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      if (latest > 0)
        options.onProgress?.(
          `Applied the migration ${migration.name} (${at + 1} of ${pending.length}) in ${seconds} s`,
        );
    }
  } finally {
    await watch.close();
  }
}

/** Tries one migration until it gets its locks. */
async function applyWhenFree(
  session: Session,
  watch: LockWatch,
  migration: Migration,
  { stop, pause, onWait }: ApplyOptions,
): Promise<void> {
  const begun = performance.now();
  let nextReport = begun + times.first;
  for (let rest = pauses.first; ; rest = Math.min(2 * rest, pauses.max)) {
    stop?.throwIfAborted();
    try {
      await watch.during(() =>
        session.transaction(async () => {
          if (pause) await session.query(`lock table ${gate} in access exclusive mode`);
          await applyMigration(session, migration);
        }),
      );
      return;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    const now = performance.now();
    const reason = `the migration ${migration.name} waits for ${watch.last?.description ?? 'a lock'}`;
    if (now - begun > patience)
      throw new MigrationBlockedError(
        `${reason}, for ${patience / 60_000} minutes; end that session or wait for its end, then run npm run migrate again (docs/upgrading.md). The migrations before this one are applied`,
      );
    if (now > nextReport) {
      nextReport = now + times.next;
      onWait?.(reason);
    }
    await watch.untilFree(rest, stop);
    await cancelAutovacuum(session);
  }
}

/** Looks at the locks that a session waits for, with another session. */
class LockWatch {
  readonly #pid: number;
  readonly #observer: Session;
  /** The last lock that the session waited for. */
  last: LockWait | undefined;

  constructor(pid: number, observer: Session) {
    this.#pid = pid;
    this.#observer = observer;
  }

  /** Runs `work`, and notes the last lock that it waits for. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const looking = (async () => {
      for (;;) {
        await sleep(times.look, undefined, { signal: ended.signal });
        this.last = (await findWait(this.#observer, this.#pid)) ?? this.last;
      }
    })().catch(() => {});
    try {
      return await work();
    } finally {
      ended.abort();
      await looking;
    }
  }

  /** Waits until the transaction that had the lock has ended, but at most `ms` milliseconds. */
  async untilFree(ms: number, stop: AbortSignal | undefined): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until && !stop?.aborted) {
      const rows = await this.#observer
        .query('select from pg_stat_activity where pid = $1 and xact_start = $2::text::timestamptz', [
          this.last?.blocker,
          this.last?.since,
        ])
        .catch(() => [undefined]);
      if (this.last && rows.length === 0) return;
      await sleep(Math.min(times.look, ms), undefined, stop && { signal: stop }).catch(() => {});
    }
  }

  close(): Promise<void> {
    return this.#observer.end();
  }
}

/**
 * Makes PostgreSQL cancel autovacuums of the service's tables. PostgreSQL does so after a statement has waited for
 * the table for `deadlock_timeout`, but a migration never waits that long. So this function requests a lock that it
 * can wait for: no request has to queue behind this kind of lock.
 */
async function cancelAutovacuum(session: Session): Promise<void> {
  const busy = await session.query<{ name: string }>(`
    select distinct l.relation::regclass::text as name from pg_locks l join pg_class c on c.oid = l.relation
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and l.mode = 'ShareUpdateExclusiveLock' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())`);
  for (const { name } of busy)
    await session
      .transaction(async () => {
        await session.query(
          `set local lock_timeout = '3s'; lock table ${name} in share update exclusive mode`,
        );
      })
      .catch((error: unknown) => {
        // The lock is held by something other than an autovacuum, or by an autovacuum that prevents wraparound and
        // must complete. The next attempt waits for it.
        if (!isLockConflict(error)) throw error;
      });
}

/** Whether a lock timed out (55P03) or PostgreSQL resolved a deadlock (40P01). */
function isLockConflict(error: unknown): boolean {
  return ['55P03', '40P01'].includes((error as { code?: string }).code ?? '');
}
