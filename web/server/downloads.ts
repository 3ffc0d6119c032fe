import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFile } from '#rest/downloads.ts';
import { sendError } from '#rest/errors.ts';
import type { RequestContext } from '#server/context.ts';
import { downloadArtifact } from '#server/documents/download.ts';
import { AppError } from '#server/errors.ts';
import { beginDownload, type ExportRequest, guardExport } from '#server/http/exports.ts';
import { withBearer, withSessionCookie } from '#server/identity/access/guards/session.ts';
import { callerOf } from '#server/identity/access/guards/tenant.ts';
import { requireAdministrator } from '#server/identity/access/principal.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { findUnstorable } from '#server/platform/input-limits.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { readZip, sizeOf, takeExport } from '../../server/workspace-export/tenant-exports.ts';

/**
 * Serves the files of documents to the application's preview, which shows the source next to any revision. JSON cannot
 * contain the bytes of a file, and the documented API only serves the latest translated file. This is therefore a
 * separate route; it checks the tenant of the request.
 */
export function serveArtifactBytes(
  app: FastifyInstance,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
): void {
  app.get(
    '/app/documents/:document_id/artifacts/:artifact_id',
    { config: { versioned: false } },
    async (request, reply) => {
      try {
        const ids = request.params as { document_id: string; artifact_id: string };
        const problem = findUnstorable(ids);
        if (problem) throw new AppError('invalid_fields', [{ ...problem, loc: ['path', ...problem.loc] }]);
        const ctx = createContext(request, reply);
        const { services, withTenant } = callerOf(ctx, ['read', 'translate'], 'documents.artifact');
        const file = await downloadArtifact(
          services,
          withTenant,
          { documentId: ids.document_id, artifactId: ids.artifact_id },
          { requestId: ctx.requestId, signal: ctx.disconnected() },
        );
        return sendFile(reply, file);
      } catch (error) {
        return sendError(reply, error);
      }
    },
  );
}

/** Serves the exports of workspaces to the web application. The documented API has no such route. */
export function serveExportZip(
  app: FastifyInstance,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
): void {
  app.get('/app/exports/:export_id', { config: { versioned: false } }, async (request, reply) => {
    try {
      const ids = request.params as { export_id: string };
      const problem = findUnstorable(ids);
      if (problem) throw new AppError('invalid_fields', [{ ...problem, loc: ['path', ...problem.loc] }]);
      const ctx = createContext(request, reply);
      const zip = await downloadExport(ctx, ids.export_id, {
        requestId: ctx.requestId,
        signal: ctx.disconnected(),
      });
      return sendFile(reply, zip);
    } catch (error) {
      return sendError(reply, error);
    }
  });
}

/**
 * Returns the zip of an export. Accepts an administrator's access token, also in the session cookie, so that a browser
 * can save a large file.
 * @throws AppError 401; 403, also without a recent proof of identity; 404 for an unknown or expired export; 409 while it is running
 */
async function downloadExport(
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
