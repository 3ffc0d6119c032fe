import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { tokenSpending } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';

/** Counts the tokens of model calls in the database; `token-limit.ts` reads the counts. */
export interface TokenSpending {
  /**
   * Adds the tokens of one model call. Resolves when they are stored, so that work admitted after the model's response
   * includes them. Also resolves if they cannot be stored: a response that was paid for must not be lost. In this case
   * they are stored with the next call's tokens, or some seconds later, and count for the day on which they are stored.
   * If the connection broke before a commit was acknowledged, the tokens are stored again and may count twice: then the
   * limit rejects work too early rather than too late.
   */
  record(tenantId: string, tokens: number): Promise<void>;
  /** Stores the remaining tokens before the process ends. Afterwards there are no automatic retries. */
  close(): Promise<void>;
}

/**
 * @param database with a dedicated connection, so that no model response waits for a busy pool
 * @param failed called with the error if tokens could not be stored
 * @param retryMs milliseconds until tokens that could not be stored are tried again; a parameter for tests
 */
export function openTokenSpending(
  database: Database,
  failed: (error: unknown) => void,
  retryMs = 5000,
): TokenSpending {
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  /** Tokens that are not stored yet, by tenant. */
  let pending = new Map<string, number>();
  let writing: Promise<void> | undefined;
  /** The write that will store the pending tokens; it starts when the write in progress has ended. */
  let next: Promise<void> | undefined;

  async function write(): Promise<void> {
    const taken = pending;
    pending = new Map();
    if (taken.size === 0) return;
    try {
      await database.inPlatform((tx) => tx.last(tx.execute(addTokens(taken))));
    } catch (error) {
      for (const [tenantId, tokens] of taken) add(tenantId, tokens);
      failed(error);
      if (!isClosed) retry ??= setTimeout(storeAgain, retryMs).unref();
    }
  }

  /**
   * The tokens must be stored even if no other call follows: until then, other processes admit work without counting
   * them.
   */
  function storeAgain(): void {
    retry = undefined;
    void store();
  }

  function add(tenantId: string, tokens: number): void {
    pending.set(tenantId, (pending.get(tenantId) ?? 0) + tokens);
  }

  /** Stores the pending tokens. Only one write runs at a time: concurrent writes would block each other's rows. */
  function store(): Promise<void> {
    next ??= (writing ?? Promise.resolve()).then(() => {
      next = undefined;
      writing = write();
      return writing;
    });
    return next;
  }

  return {
    record(tenantId, tokens) {
      if (tokens === 0) return Promise.resolve();
      add(tenantId, tokens);
      return store();
    },
    close() {
      isClosed = true;
      clearTimeout(retry);
      return store();
    },
  };
}

/**
 * Adds tokens to the tenants' counts of today. The day of a row never goes back: a transaction that began before
 * midnight may write after one that began later. Deleted tenants are skipped. The rows are written in a fixed order,
 * which prevents deadlocks between processes.
 */
function addTokens(spent: ReadonlyMap<string, number>) {
  const rows = JSON.stringify([...spent].map(([tenant_id, tokens]) => ({ tenant_id, tokens })));
  return sql`
    insert into ${tokenSpending} (tenant_id, day, tokens)
    select ${tenants.tenantId}, (now() at time zone 'UTC')::date, spent.tokens
    from jsonb_to_recordset(${rows}::jsonb) spent(tenant_id text, tokens bigint)
      join ${tenants} on ${tenants.tenantId} = spent.tenant_id
    order by ${tenants.tenantId}
    on conflict (tenant_id) do update set
      tokens = excluded.tokens + case when excluded.day > ${tokenSpending.day} then 0 else ${tokenSpending.tokens} end,
      day = greatest(excluded.day, ${tokenSpending.day})`;
}
