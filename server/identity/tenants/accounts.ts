import { and, desc, eq, ne, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { type Page, type PageEnd, readCursor, writeCursor } from '#server/http/paging.ts';
import { insertWorkspaceKey } from '#server/identity/access/api-keys.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import type { Administrator } from '#server/identity/access/guards/admin.ts';
import { serviceTenantId } from '#server/identity/access/service-key.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import type { ProvisionedTenant, TenantAccount, TenantAccountCreate } from './schema.ts';
import type { TenantRow } from './tenant-row.ts';

/** Returns the full API view of a tenant, for operators and the tenant's administrators. */
export function accountOf(row: TenantRow): TenantAccount {
  return {
    id: row.tenantId,
    name: row.name,
    api_key_prefix: row.apiKeyPrefix,
    monthly_char_limit: row.monthlyCharLimit,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    metadata: row.metadata,
  };
}

/** Returns the view of a tenant for other members: without metadata that only the platform may set. */
export function memberViewOf(row: TenantRow): TenantAccount {
  return { ...accountOf(row), metadata: withoutPlatformKeys(row.metadata) };
}

const ownedPrefixes = ['pay_', 'trial_', 'topup_', 'mfa_', 'sso_', 'invites_', 'storage_'];
/** The key of the identity provider's organization, and those of rules with their own screens, which may have secrets. */
const ownedKeys = ['oidc_org_id', 'redaction', 'text_rules'];

/** Whether only the platform may set this metadata key. */
function isPlatformOwned(key: string): boolean {
  const lower = key.toLowerCase();
  return ownedKeys.includes(lower) || ownedPrefixes.some((prefix) => lower.startsWith(prefix));
}

/** Returns metadata without the keys that only the platform may set. */
function withoutPlatformKeys(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isPlatformOwned(key)));
}

export interface NewTenant {
  id: string;
  name: string;
  apiKey: string;
  monthlyCharLimit: number;
  metadata: Record<string, unknown>;
}

/**
 * Creates a tenant for its first administrator at registration. From the caller's metadata, drops keys that only the
 * platform may set, and adds `platformMetadata`.
 */
export async function registerTenant(
  tx: Tx,
  { platformMetadata, ...tenant }: NewTenant & { platformMetadata?: Record<string, unknown> },
): Promise<TenantAccount> {
  const metadata = { ...withoutPlatformKeys(tenant.metadata), ...platformMetadata };
  return createTenant(tx, { ...tenant, metadata });
}

/**
 * Creates a tenant with an API key for an operator, who may set all metadata keys. The key is only in the returned
 * value.
 */
export async function provisionTenant(
  { database, settings }: Pick<Services, 'database' | 'settings'>,
  origin: Origin,
  admin: Administrator,
  request: TenantAccountCreate,
): Promise<ProvisionedTenant> {
  const tenantId = newId();
  const apiKey = newSecret();
  return database.inTenant(tenantId, async (tx) => {
    const account = await createTenant(tx, {
      id: tenantId,
      name: request.name,
      apiKey,
      monthlyCharLimit: request.monthly_char_limit ?? settings.DEFAULT_MONTHLY_CHAR_LIMIT,
      metadata: request.metadata ?? {},
    });
    await insertWorkspaceKey(tx, tenantId, apiKey, undefined);
    await recordAdministration(tx, origin, admin, {
      action: 'tenant_provisioned',
      tenantId,
      target: tenantId,
    });
    return { ...account, api_key: apiKey };
  });
}

async function createTenant(tx: Tx, tenant: NewTenant): Promise<TenantAccount> {
  const [row] = await tx
    .insert(tenants)
    .values({
      tenantId: tenant.id,
      name: tenant.name,
      apiKeyPrefix: tenant.apiKey.slice(0, 8),
      monthlyCharLimit: tenant.monthlyCharLimit,
      metadata: tenant.metadata,
    })
    .returning();
  return accountOf(row as TenantRow);
}

type AsAdministrator = <T>(work: (admin: Administrator, tx: Tx | null) => Promise<T>) => Promise<T>;

interface ListQuery {
  limit: number;
  cursor?: string | undefined;
}

/**
 * Returns a page of the tenants that an administrator may see, latest first. An operator sees all tenants, or only the
 * tenant in X-Tenant-ID; any other administrator sees only the administrator's own tenant.
 */
export async function listTenants(
  { database }: Pick<Services, 'database'>,
  asAdministrator: AsAdministrator,
  narrowedTo: string | null,
  query: ListQuery,
): Promise<Page<TenantAccount[]>> {
  // End this transaction before the platform's transaction begins: requests that hold one connection and wait for a
  // second one could block each other.
  const own = await asAdministrator(async (admin, tx) =>
    admin.operator ? undefined : readPage(tx as Tx, (admin.tenant as { id: string }).id, query),
  );
  return own ?? database.inPlatform((tx) => readPage(tx, narrowedTo, query));
}

async function readPage(
  tx: Tx,
  only: string | null,
  { limit, cursor }: ListQuery,
): Promise<Page<TenantAccount[]>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { rows, more } = await selectTenants(tx, { only, except: serviceTenantId, limit, after });
  const accounts = rows.map(accountOf);
  const last = accounts.at(-1);
  return {
    content: accounts,
    nextCursor: more && last ? writeCursor({ updated_at: last.created_at, id: last.id }) : null,
  };
}

interface TenantListing {
  /** Id of the only tenant to return; null for all tenants. */
  only: string | null;
  /** Id of the tenant to leave out: the service key's. */
  except: string;
  limit: number;
  after: PageEnd | undefined;
}

/**
 * Maximum size of a page's metadata in bytes, approximately: a page of accounts with much metadata contains fewer of
 * them.
 */
const pageBytes = 8_000_000;

/**
 * Computed from the size of the stored, compressed value, so that nothing is decompressed. JSON is compressed to about
 * a quarter.
 */
const bytesOfRow = sql`4 * pg_column_size(${tenants.metadata})`;

/**
 * Returns a page of tenants, latest first, and whether there are more: `limit` tenants, or fewer if their metadata is
 * large, but at least one.
 */
async function selectTenants(
  tx: Tx,
  { only, except, limit, after }: TenantListing,
): Promise<{ rows: TenantRow[]; more: boolean }> {
  const order = [desc(tenants.createdAt), desc(tenants.tenantId)];
  const before = sql`over (order by ${sql.join(order, sql`, `)} rows unbounded preceding)`;
  const page = tx.$with('page').as(
    tx
      .select({
        tenantId: tenants.tenantId,
        bytesBefore: sql<number>`sum(${bytesOfRow}) ${before} - (${bytesOfRow})`.as('bytes_before'),
        place: sql<number>`row_number() ${before}`.as('place'),
      })
      .from(tenants)
      .where(
        and(
          ne(tenants.tenantId, except),
          only === null ? undefined : eq(tenants.tenantId, only),
          after &&
            sql`(${tenants.createdAt}, ${tenants.tenantId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
        ),
      )
      .orderBy(...order)
      .limit(limit + 1),
  );
  const rows = await tx
    .with(page)
    .select({ row: tenants, found: sql<number>`(select count(*)::int from ${page})` })
    .from(page)
    .innerJoin(tenants, eq(tenants.tenantId, page.tenantId))
    .where(sql`${page.bytesBefore} < ${pageBytes} and ${page.place} <= ${limit}`)
    .orderBy(...order);
  return { rows: rows.map(({ row }) => row), more: rows.length < (rows[0]?.found ?? 0) };
}
