import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { type Page, type PageEnd, readCursor, writeCursor } from '#server/http/paging.ts';
import type { Audience, WithTenant } from '#server/identity/access/guards/tenant.ts';
import { runSearch, scanJobs } from '#server/translation/listing/bounded-scan.ts';
import {
  earliestChange,
  filterCondition,
  readsRequest,
} from '#server/translation/listing/job-list-filter.ts';
import { isAfter, isOneOf, selectDocuments } from './jobs.ts';
import type { DocumentJob, documentListQuery } from './schema.ts';

type DocumentListQuery = z.infer<typeof documentListQuery>;

/**
 * Returns a page of the tenant's documents, the most recent updated_at first: at most `limit`, fewer if they are large.
 * With a filter, one request examines a bounded number of documents, so a page may be short or empty although more
 * follow.
 * @throws AppError 422 for an invalid cursor, an unsupported language or a metadata key that filters may not use
 */
export function listDocuments(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  query: DocumentListQuery,
  { audience, signal }: { audience: Audience; signal: AbortSignal },
): Promise<Page<DocumentJob[]>> {
  const { limit, cursor } = query;
  return runSearch(
    database,
    withTenant,
    { scans: () => conditionOf(query) !== undefined, signal },
    async (tx, { tenant: { id: tenantId } }) => {
      const after = cursor === undefined ? undefined : readCursor(cursor);
      // No job is ever stored as `pending`, so the list is empty.
      if (query.status === 'pending') return { content: [], nextCursor: null };
      const found = conditionOf(query) && (await findDocuments(tx, tenantId, query, after));
      const listing = found
        ? { tenantId, limit, ids: found.found.map(({ id }) => id) }
        : { tenantId, limit, after };
      const { documents, more } = await selectDocuments(tx, listing, audience);
      const last = documents.at(-1);
      if (more && last) return { content: documents, nextCursor: writeCursor(last) };
      return {
        content: documents,
        nextCursor:
          found?.more && found.last
            ? writeCursor({ updated_at: found.last.updatedAt.toISOString(), id: found.last.id })
            : null,
      };
    },
  );
}

/** No index contains the status, because there are far fewer documents than texts. */
function conditionOf({ status, ...filter }: DocumentListQuery): SQL | undefined {
  const stored = status === 'pending' ? undefined : status;
  return and(stored && eq(documentJobs.status, stored), filterCondition(documentJobs, filter));
}

const { documentId, updatedAt, request } = documentJobs;
const order = [desc(updatedAt), desc(documentId)];

function findDocuments(tx: Tx, tenantId: string, query: DocumentListQuery, first: PageEnd | undefined) {
  const read = readsRequest(query) ? sql<number>`4 * pg_column_size(${request})` : sql<number>`0`;
  return scanJobs({
    after: first,
    limit: query.limit,
    filtered: true,
    places: (after, limit) =>
      tx
        .select({ id: documentId, updatedAt, bytes: read })
        .from(documentJobs)
        .where(
          and(
            eq(documentJobs.tenantId, tenantId),
            earliestChange(documentJobs, query),
            after && isAfter(after),
          ),
        )
        .orderBy(...order)
        .limit(limit),
    pick: (ids, limit) =>
      tx
        .select({ id: documentId })
        .from(documentJobs)
        .where(and(eq(documentJobs.tenantId, tenantId), isOneOf(ids), conditionOf(query)))
        .orderBy(...order)
        .limit(limit),
  });
}
