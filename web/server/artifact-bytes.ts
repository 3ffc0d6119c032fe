import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendFile } from '#rest/downloads.ts';
import { sendError } from '#rest/errors.ts';
import type { RequestContext } from '#server/context.ts';
import { downloadArtifact } from '#server/documents/download.ts';
import { AppError } from '#server/errors.ts';
import { callerOf } from '#server/identity/access/guards/tenant.ts';
import { findUnstorable } from '#server/platform/input-limits.ts';

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
