import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { and, eq, sql } from 'drizzle-orm';
import { type ExportPart, type ExportPosition, tenantExports } from '#db/schema/tenants.ts';
import { directoryEntry, localHeader, type ZipMember } from '#server/formats/zip-writer.ts';
import { newId } from '#server/platform/ids.ts';
import type { TaskPayloads } from '#server/platform/job-queue.ts';
import { type ExportFile, type ExportServices, sections } from './sections.ts';
import { exportFolder, queueExport, type TenantExport } from './tenant-exports.ts';

/*
 * An export is a zip in parts: objects in platform storage, each with some whole files of the zip. A part is stored
 * first, and the row then names it. A run may therefore end at any point, and the next one continues after the last
 * part in the row. Data that is written during an export may or may not be in it.
 */

/** Limits of a run and of its parts. Tests set smaller ones. */
export interface ExportLimits {
  /** Milliseconds of a run. Then the task is queued again, so that other tasks get their turn. */
  runMs: number;
  /** Bytes after which a part ends. Each file is in memory as a whole. */
  partBytes: number;
  /** Milliseconds of reading after which a part ends, so that a killed process has done little in vain. */
  partMs: number;
}

const ownLimits: ExportLimits = { runMs: 10_000, partBytes: 16 * 1024 * 1024, partMs: 2000 };
/** Days after which a finished export is deleted. */
const keptDays = 7;

const compress = promisify(deflateRaw);

/** Continues an export, or deletes it when it has expired. May be interrupted at any point. */
export async function runExport(
  services: ExportServices,
  { tenantId, exportId }: TaskPayloads['export_tenant'],
  limits = ownLimits,
): Promise<void> {
  const end = Date.now() + limits.runMs;
  for (;;) {
    const begun = Date.now();
    const found = await selectExport(services, tenantId, exportId);
    if (!found) return;
    if (found.finishedAt) return removeExpired(services, found);
    if (begun > end) {
      await services.database.inPlatform((tx) => queueExport(tx, found));
      return;
    }
    await addPart(services, found, limits);
    // Leave at least as much time to others.
    await delay(Math.min(Date.now() - begun, 1000));
  }
}

async function selectExport(
  { database }: ExportServices,
  tenantId: string,
  exportId: string,
): Promise<TenantExport | undefined> {
  const [row] = await database.inTenant(tenantId, (tx) =>
    tx
      .select()
      .from(tenantExports)
      .where(and(eq(tenantExports.tenantId, tenantId), eq(tenantExports.exportId, exportId))),
  );
  return row;
}

/** Stores the next part of an export, and then adds it to the row, unless another run has done so in the meantime. */
async function addPart(services: ExportServices, found: TenantExport, limits: ExportLimits): Promise<void> {
  const { tenantId, exportId, parts } = found;
  const { data, directory, ...made } = await makePart(services, found, limits);
  const part: ExportPart = {
    id: newId(),
    bytes: byteLength(data),
    directoryBytes: byteLength(directory),
  };
  await services.storage.put(
    `${exportFolder(tenantId, exportId)}/${part.id}`,
    Buffer.concat([...data, ...directory]),
  );
  await services.database.inTenant(tenantId, async (tx) => {
    const [changed] = await tx
      .update(tenantExports)
      .set({
        ...made,
        parts: sql`${tenantExports.parts} || ${JSON.stringify([part])}::jsonb`,
        ...(made.position === null && {
          finishedAt: sql`now()`,
          expiresAt: sql`now() + make_interval(days => ${keptDays}::int)`,
        }),
      })
      .where(
        and(
          eq(tenantExports.tenantId, tenantId),
          eq(tenantExports.exportId, exportId),
          sql`jsonb_array_length(${tenantExports.parts}) = ${parts.length}::int`,
        ),
      )
      .returning();
    if (changed?.finishedAt) await queueExport(tx, found, keptDays * 86_400);
  });
}

/** The content of a part, and what the row of the export contains after it. */
interface MadePart extends Pick<TenantExport, 'position' | 'files' | 'counts'> {
  data: Uint8Array[];
  directory: Uint8Array[];
}

async function makePart(
  services: ExportServices,
  found: TenantExport,
  { partBytes, partMs }: ExportLimits,
): Promise<MadePart> {
  const { tenantId } = found;
  const end = Date.now() + partMs;
  const data: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const counts = { ...found.counts };
  let { files } = found;
  let position = found.position as ExportPosition | null;
  let length = 0;
  let offset = found.parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const add = async (file: ExportFile) => {
    const { member, content } = await pack(file);
    const header = localHeader(member);
    data.push(header, content);
    directory.push(directoryEntry(member, offset));
    files += 1;
    length += header.length + content.length;
    offset += header.length + content.length;
  };
  while (position && length < partBytes && Date.now() < end) {
    const { section, after, page }: ExportPosition = position;
    const { name, read } = sections[section]!;
    const made = await read(services, tenantId, after, page);
    for (const file of made.files) await add(file);
    counts[name] = (counts[name] ?? 0) + made.rows;
    if (made.next) position = { section, after: made.next, page: page + 1 };
    else position = section + 1 < sections.length ? { section: section + 1, after: [], page: 1 } : null;
  }
  if (!position) await add({ name: 'export.json', content: summaryOf(found, counts) });
  return { data, directory, position, files, counts };
}

function summaryOf(
  { tenantId, exportId, requestedAt }: TenantExport,
  counts: Record<string, number>,
): string {
  const summary = { tenant_id: tenantId, export_id: exportId, requested_at: requestedAt, counts };
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** Compresses a file. The files of documents are compressed already. */
async function pack({ name, content }: ExportFile): Promise<{ member: ZipMember; content: Uint8Array }> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const method = typeof content === 'string' ? 8 : 0;
  const packed = method === 8 ? await compress(bytes) : bytes;
  return {
    member: {
      name,
      method,
      crc32: crc32(bytes),
      compressedSize: packed.length,
      size: bytes.length,
      modified: new Date(),
    },
    content: packed,
  };
}

function byteLength(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

async function removeExpired({ database, storage }: ExportServices, found: TenantExport): Promise<void> {
  const { tenantId, exportId, expiresAt } = found;
  if (!expiresAt || expiresAt.getTime() > Date.now()) return;
  await storage.removeFolder(exportFolder(tenantId, exportId));
  await database.inTenant(tenantId, (tx) =>
    tx
      .delete(tenantExports)
      .where(and(eq(tenantExports.tenantId, tenantId), eq(tenantExports.exportId, exportId))),
  );
}
