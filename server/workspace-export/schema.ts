import { z } from 'zod';
import { sizeOf, type TenantExport } from './tenant-exports.ts';

export const exportRecord = z.object({
  id: z.string(),
  requested_at: z.string(),
  /** The ID of the member; null for an operator. */
  requested_by: z.string().nullable(),
  /** Null while the export is running. */
  finished_at: z.string().nullable(),
  /** When the export is deleted; null while it is running. */
  expires_at: z.string().nullable(),
  /** Bytes of the zip; null while the export is running. */
  size_bytes: z.number().nullable(),
  /** The number of files in the zip so far. */
  files: z.number(),
  /** The number of exported rows so far, by part of the export. */
  counts: z.record(z.string(), z.number()),
});

export const exportList = z.object({ exports: z.array(exportRecord) });

export type ExportRecord = z.infer<typeof exportRecord>;

export function exportView(row: TenantExport): ExportRecord {
  return {
    id: row.exportId,
    requested_at: row.requestedAt.toISOString(),
    requested_by: row.requestedBy,
    finished_at: row.finishedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
    size_bytes: row.finishedAt ? sizeOf(row) : null,
    files: row.files,
    counts: row.counts,
  };
}
