import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memoryImports } from '#db/schema/translation-memory.ts';
import type { MemorySet } from '../schema.ts';

export type ImportRow = typeof memoryImports.$inferSelect;

export async function insertImport(tx: Tx, row: typeof memoryImports.$inferInsert): Promise<ImportRow> {
  const [stored] = await tx.insert(memoryImports).values(row).returning();
  return stored as ImportRow;
}

/** B 4.5: the newest imports, at most `limit`. */
export function selectImports(tx: Tx, tenantId: string, limit: number): Promise<ImportRow[]> {
  return tx
    .select()
    .from(memoryImports)
    .where(eq(memoryImports.tenantId, tenantId))
    .orderBy(desc(memoryImports.createdAt), desc(memoryImports.importId))
    .limit(limit);
}

function isImport(tenantId: string, importId: string) {
  return and(eq(memoryImports.tenantId, tenantId), eq(memoryImports.importId, importId));
}

export async function selectImport(
  tx: Tx,
  tenantId: string,
  importId: string,
): Promise<ImportRow | undefined> {
  const [row] = await tx.select().from(memoryImports).where(isImport(tenantId, importId));
  return row;
}

export async function isImporting(tx: Tx, tenantId: string, setName: string): Promise<boolean> {
  const rows = await tx
    .select({ importId: memoryImports.importId })
    .from(memoryImports)
    .where(
      and(
        eq(memoryImports.tenantId, tenantId),
        eq(memoryImports.setName, setName),
        eq(memoryImports.status, 'running'),
      ),
    );
  return rows.length > 0;
}

/** Locks a running import and counts the try; undefined where it has ended, or another worker is at it. */
export async function beginAttempt(
  tx: Tx,
  tenantId: string,
  importId: string,
): Promise<ImportRow | undefined> {
  const [row] = await tx
    .update(memoryImports)
    .set({ attempts: sql`${memoryImports.attempts} + 1`, updatedAt: sql`now()` })
    .where(and(isImport(tenantId, importId), eq(memoryImports.status, 'running')))
    .returning();
  return row;
}

/** An import that has not ended: what it brings is there. */
export type RunningImport = ImportRow & { contentId: string };

/** Locks a running import until the transaction ends; undefined where it has ended. */
export async function lockRunningImport(
  tx: Tx,
  tenantId: string,
  importId: string,
): Promise<RunningImport | undefined> {
  const [row] = await tx
    .select()
    .from(memoryImports)
    .where(and(isImport(tenantId, importId), eq(memoryImports.status, 'running')))
    .for('update');
  return row as RunningImport | undefined;
}

/** Ends a running import, one way or the other: what it brought is the set's now, or nobody's. */
export async function endImport(
  tx: Tx,
  tenantId: string,
  importId: string,
  end: { status: 'completed'; result: MemorySet } | { status: 'failed'; error: string },
): Promise<void> {
  await tx
    .update(memoryImports)
    .set({ ...end, contentId: null, updatedAt: sql`now()` })
    .where(and(isImport(tenantId, importId), eq(memoryImports.status, 'running')));
}

/** Running imports, of all tenants, that nobody has touched for a while; read in platform scope. */
export function selectIdleImports(
  tx: Tx,
  idleSeconds: number,
): Promise<{ tenantId: string; importId: string }[]> {
  return tx
    .select({ tenantId: memoryImports.tenantId, importId: memoryImports.importId })
    .from(memoryImports)
    .where(
      and(
        eq(memoryImports.status, 'running'),
        sql`${memoryImports.updatedAt} < now() - make_interval(secs => ${idleSeconds})`,
      ),
    )
    .limit(1000);
}
