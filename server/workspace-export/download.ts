import type { RequestContext } from '#server/context.ts';
import { beginDownload, type ExportRequest, guardExport } from '#server/http/exports.ts';
import { withBearer, withSessionCookie } from '#server/identity/access/guards/session.ts';
import { requireAdministrator } from '#server/identity/access/principal.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { readZip, sizeOf, takeExport } from './tenant-exports.ts';

/**
 * Returns the zip of an export. Accepts an administrator's access token, also in the session cookie, so that a browser
 * can save a large file.
 * @throws AppError 401; 403, also without a recent proof of identity; 404 for an unknown or expired export; 409 while it is running
 */
export async function downloadExport(
  ctx: RequestContext,
  exportId: string,
  request: ExportRequest,
): Promise<StreamResponse> {
  const { log, storage } = ctx.services;
  const authenticate = ctx.credentials.bearer === null ? withSessionCookie : withBearer;
  const row = await authenticate(ctx, (tx, { tenant, user, family }) => {
    requireAdministrator(user);
    requireProof(family);
    return takeExport(tx, ctx, { tenantId: tenant.id, exportId, userId: user.id });
  });
  const slot = await beginDownload({ tenantId: row.tenantId, signal: request.signal });
  return {
    chunks: guardExport(log, request, slot, readZip(storage, row)),
    contentType: 'application/zip',
    fileName: `workspace-${row.tenantId}-${row.requestedAt.toISOString().slice(0, 10)}.zip`,
    length: sizeOf(row),
    cut: slot.cut,
    end: slot.end,
  };
}
