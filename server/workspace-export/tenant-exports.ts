import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { tenantExports } from '#db/schema/tenants.ts';
import { AppError } from '#server/errors.ts';
import { directoryEnd } from '#server/formats/zip-writer.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';

export type TenantExport = typeof tenantExports.$inferSelect;

/** Returns the folder of an export's parts in platform storage. */
export const exportFolder = (tenantId: string, exportId: string) => `${tenantId}/exports/${exportId}`;

/** Adds a run of the task to the queue. The runs of an export never overlap. */
export function queueExport(
  tx: Tx,
  { tenantId, exportId }: Pick<TenantExport, 'tenantId' | 'exportId'>,
  afterSeconds = 0,
): Promise<void> {
  const name = `export_tenant:${exportId}`;
  return addJob(tx, 'export_tenant', { tenantId, exportId }, { key: name, queue: name, afterSeconds });
}

/**
 * Starts the export of a tenant.
 * @param userId the member; null for an operator
 * @throws AppError 404 for an unknown tenant; 409 while another export of the tenant is running, or for the service key's
 *   tenant
 */
export async function startExport(
  tx: Tx,
  origin: Origin,
  { tenantId, userId }: { tenantId: string; userId: string | null },
): Promise<TenantExport> {
  await lockAccount(tx, tenantId);
  const { tenantId: ofTenant, finishedAt } = tenantExports;
  const [running] = await tx
    .select()
    .from(tenantExports)
    .where(and(eq(ofTenant, tenantId), isNull(finishedAt)));
  if (running) throw new AppError('state_conflict', `export ${running.exportId} is still running`);
  const [started] = await tx
    .insert(tenantExports)
    .values({
      tenantId,
      exportId: newId(),
      requestedBy: userId,
      position: { section: 0, after: [], page: 1 },
    })
    .returning();
  const row = started as TenantExport;
  await queueExport(tx, row);
  await record(tx, origin, 'tenant_export_requested', row, userId);
  return row;
}

/** Returns the exports of a tenant, latest first. */
export function listExports(tx: Tx, tenantId: string): Promise<TenantExport[]> {
  return tx
    .select()
    .from(tenantExports)
    .where(eq(tenantExports.tenantId, tenantId))
    .orderBy(desc(tenantExports.requestedAt), desc(tenantExports.exportId))
    .limit(100);
}

/**
 * Returns a finished export, and records that it is downloaded.
 * @throws AppError 404 if it is unknown or has expired; 409 while it is running
 */
export async function takeExport(
  tx: Tx,
  origin: Origin,
  { tenantId, exportId, userId }: { tenantId: string; exportId: string; userId: string | null },
): Promise<TenantExport> {
  const [found] = await tx
    .select()
    .from(tenantExports)
    .where(and(eq(tenantExports.tenantId, tenantId), eq(tenantExports.exportId, exportId)));
  if (!found || (found.expiresAt && found.expiresAt.getTime() <= Date.now()))
    throw new AppError('not_found', 'export not found');
  if (!found.finishedAt) throw new AppError('state_conflict', 'the export is still running');
  await record(tx, origin, 'tenant_export_downloaded', found, userId);
  return found;
}

function record(
  tx: Tx,
  origin: Origin,
  action: 'tenant_export_downloaded' | 'tenant_export_requested',
  { tenantId, exportId }: TenantExport,
  userId: string | null,
): Promise<void> {
  const actor = userId === null ? ({ kind: 'server' } as const) : ({ kind: 'member', userId } as const);
  return recordEvent(tx, origin, { action, tenantId, actor, target: exportId, details: {} });
}

/** Bytes that are read at a time. */
const pieceBytes = 512 * 1024;

/** Returns the size of an export's zip in bytes. */
export function sizeOf(row: TenantExport): number {
  const { start, size } = directoryOf(row);
  return start + size + endOf(row).length;
}

function directoryOf({ parts, files }: TenantExport) {
  return {
    count: files,
    size: parts.reduce((sum, { directoryBytes }) => sum + directoryBytes, 0),
    start: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const endOf = (row: TenantExport) => directoryEnd(directoryOf(row));

/**
 * Reads the zip of a finished export: the files of all parts, then their entries of the central directory.
 * @throws Error if a part is missing or too short
 */
export async function* readZip(store: BlobStore, row: TenantExport): AsyncGenerator<Uint8Array, void> {
  const { tenantId, exportId, parts } = row;
  const folder = exportFolder(tenantId, exportId);
  for (const { id, bytes } of parts) yield* readRange(store, `${folder}/${id}`, 0, bytes);
  for (const { id, bytes, directoryBytes } of parts)
    yield* readRange(store, `${folder}/${id}`, bytes, directoryBytes);
  yield endOf(row);
}

async function* readRange(
  store: BlobStore,
  path: string,
  from: number,
  length: number,
): AsyncGenerator<Uint8Array, void> {
  for (let at = from; at < from + length; ) {
    const piece = await store.read(path, at, Math.min(pieceBytes, from + length - at));
    if (!piece || piece.length === 0) throw new Error(`a part of the export is missing: ${path}`);
    yield piece;
    at += piece.length;
  }
}
