import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFile } from '#rest/downloads.ts';
import { sendError } from '#rest/errors.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findUnstorable } from '#server/platform/input-limits.ts';
import { downloadExport } from '#server/workspace-export/download.ts';

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
