import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type { Call } from './send.ts';
import type { AuditEvent, AuditListQuery, AuditPage } from './types.ts';

/** The audit log of a tenant, for its administrators' sessions. */
export interface Audit {
  /** The events, latest first; pages are read on demand. */
  list(query?: AuditListQuery, options?: CallOptions): List<AuditEvent>;
  /** One page of `list`. */
  listPage(query?: AuditListQuery, options?: CallOptions): ApiPromise<Page<AuditEvent>>;
}

const listCall: Call = { name: 'audit.list', repeatable: true };

export function audit({ query }: Connection): Audit {
  return createListing<AuditListQuery, AuditPage, AuditEvent, CallOptions>(
    (wanted, options) => query(listCall, wanted ?? {}, options),
    (page) => page.events,
    (page) => page.next_cursor,
  );
}
