import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type { AuditEvent, AuditListQuery, AuditPage } from './types.ts';

/** Reads the audit log of a tenant. Requires the session of an administrator. */
export interface Audit {
  /** Lists the events, latest first. Pages are requested when they are read. */
  list(query?: AuditListQuery, options?: CallOptions): List<AuditEvent>;
  /** Returns one page of `list`. */
  listPage(query?: AuditListQuery, options?: CallOptions): ApiPromise<Page<AuditEvent>>;
}

export function audit({ query }: Connection): Audit {
  return createListing<AuditListQuery, AuditPage, AuditEvent, CallOptions>(
    (wanted, options) => query('audit.list', wanted, options),
    (page) => page.events,
    (page) => page.next_cursor,
  );
}
