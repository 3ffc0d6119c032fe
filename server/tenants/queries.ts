import { and, desc, eq, ne, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { PageEnd } from '#server/paging.ts';

export type TenantRow = typeof tenants.$inferSelect;

export async function insertTenant(tx: Tx, tenant: typeof tenants.$inferInsert): Promise<TenantRow> {
  const [row] = await tx.insert(tenants).values(tenant).returning();
  return row as TenantRow;
}

export async function readTenant(tx: Tx, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await selectById(tx, { tenantId });
  return row;
}

const selectById = prepare<{ tenantId: string }, TenantRow[]>((db) =>
  db
    .select()
    .from(tenants)
    .where(eq(tenants.tenantId, sql.placeholder('tenantId')))
    .prepare('select_tenant'),
);

/** Reads and locks a tenant. Not `for update`, which would block inserts of the tenant's other rows by their foreign keys. */
export async function lockTenant(tx: Tx, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)).for('no key update');
  return row;
}

export async function tenantsByIds(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return tx
    .select({ id: tenants.tenantId, name: tenants.name })
    .from(tenants)
    .where(
      sql`${tenants.tenantId} = any(array(
        select jsonb_array_elements_text(${JSON.stringify(tenantIds)}::jsonb)))`,
    );
}

/** Sets keys of a tenant's metadata in one statement, so that concurrent changes of other keys are not lost. */
export async function mergeMetadata(
  tx: Tx,
  tenantId: string,
  changes: Record<string, unknown>,
): Promise<TenantRow | undefined> {
  const [row] = await tx
    .update(tenants)
    .set({ metadata: sql`${tenants.metadata} || ${JSON.stringify(changes)}::jsonb` })
    .where(eq(tenants.tenantId, tenantId))
    .returning();
  return row;
}

/** Updates a tenant that exists. */
export async function updateTenant(
  tx: Tx,
  tenantId: string,
  changes: Partial<Pick<TenantRow, 'active' | 'apiKeyPrefix' | 'monthlyCharLimit'>>,
): Promise<TenantRow> {
  const [row] = await tx.update(tenants).set(changes).where(eq(tenants.tenantId, tenantId)).returning();
  return row as TenantRow;
}

export interface TenantListing {
  /** Only this tenant; null for all. */
  only: string | null;
  /** The tenant to leave out: the service key's. */
  except: string;
  limit: number;
  after: PageEnd | undefined;
}

/** The approximate size of a page's metadata, in bytes: accounts with much metadata make shorter pages. */
const pageBytes = 8_000_000;

/** The size of the stored, compressed value: reading it unpacks nothing. JSON compresses to about a quarter. */
const bytesOfRow = sql`4 * pg_column_size(${tenants.metadata})`;

/** Returns tenants, newest first: `limit`, or fewer if their metadata is large, but at least one; and whether there are more. */
export async function selectTenants(
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
