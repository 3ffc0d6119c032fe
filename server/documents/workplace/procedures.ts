import { tenantProcedure } from '#server/access/guards/tenant.ts';
import { boxQuery, listBoxes, segmentBoxPage } from './boxes.ts';
import { documentProgressList, progressQuery, readProgress } from './progress.ts';
import { searchSegments, segmentSearch, segmentSearchPage } from './search.ts';

/** What a reviewer's workplace needs, and no program does: without a route, so only /trpc serves it. */
export const workplaceProcedures = {
  progress: tenantProcedure
    .input(progressQuery)
    .output(documentProgressList)
    .query(({ ctx, input }) => readProgress(ctx.tx, ctx.principal.tenant.id, input)),

  search: tenantProcedure
    .input(segmentSearch)
    .output(segmentSearchPage)
    .query(({ ctx, input }) => searchSegments(ctx.tx, ctx.principal.tenant.id, input)),

  boxes: tenantProcedure
    .input(boxQuery)
    .output(segmentBoxPage)
    .query(({ ctx, input }) => listBoxes(ctx.tx, ctx.principal.tenant.id, input)),
};
