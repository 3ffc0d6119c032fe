import type { Tx } from '#db/client.ts';
import { type Administrator, serviceTenantId } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { readCursor, writeCursor } from '#server/paging.ts';
import { accountOf } from './account.ts';
import { selectTenants } from './queries.ts';
import type { TenantAccount } from './schema.ts';

type AsAdministrator = <T>(work: (admin: Administrator, tx: Tx | null) => Promise<T>) => Promise<T>;

export interface ListQuery {
  limit: number;
  cursor?: string | undefined;
}

export interface TenantPage {
  accounts: TenantAccount[];
  nextCursor: string | null;
}

/**
 * The tenants that an administrator sees, newest first: an operator all of them, or the one that X-Tenant-ID narrows the
 * credential to (A 5.1 rule 3); anybody else its own.
 */
export async function listTenants(
  { database }: Pick<Services, 'database'>,
  asAdministrator: AsAdministrator,
  narrowedTo: string | null,
  query: ListQuery,
): Promise<TenantPage> {
  // An operator's own transaction is left before the platform's begins: two at once could wait for each other's
  // connection.
  const own = await asAdministrator(async (admin, tx) =>
    admin.operator ? undefined : readPage(tx as Tx, (admin.tenant as { id: string }).id, query),
  );
  return own ?? database.inPlatform((tx) => readPage(tx, narrowedTo, query));
}

async function readPage(tx: Tx, only: string | null, { limit, cursor }: ListQuery): Promise<TenantPage> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { rows, more } = await selectTenants(tx, { only, except: serviceTenantId, limit, after });
  const accounts = rows.map(accountOf);
  const last = accounts.at(-1);
  return {
    accounts,
    nextCursor: more && last ? writeCursor({ updated_at: last.created_at, id: last.id }) : null,
  };
}
