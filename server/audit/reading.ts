import type { Database } from '#db/client.ts';
import type { AuditAction } from './actions.ts';
import { type AuditRow, selectEvents } from './queries.ts';

export interface AuditQuery {
  /** A tenant's id; '' for what happened outside of any tenant; undefined for all of it. */
  tenantId?: string | undefined;
  action?: AuditAction | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** Events at the most. */
  limit: number;
}

/** Events that are held at a time. */
const pageSize = 200;

/** The audit log, newest first, over all tenants: for whoever works on the server. */
export async function* readEvents(
  database: Database,
  { limit, ...filter }: AuditQuery,
): AsyncGenerator<AuditRow> {
  let left = limit;
  let after: AuditRow | undefined;
  while (left > 0) {
    const size = Math.min(pageSize, left);
    const page = await database.inPlatform((tx) => selectEvents(tx, { ...filter, after, limit: size }));
    yield* page;
    if (page.length < size) return;
    left -= size;
    after = page.at(-1);
  }
}
