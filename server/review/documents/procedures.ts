import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { approvalOutcomes, approveDocuments, approveManyInput } from './approve.ts';
import { boxQuery, listBoxes, segmentBoxPage } from './boxes.ts';
import { checkSegmentText, segmentCheck, segmentCheckInput } from './check.ts';
import {
  confirmAll,
  confirmAllInput,
  confirmedAll,
  confirmSegments,
  documentConfirmInput,
  documentResolveInput,
  resolvedSegment,
  resolveSegmentFinding,
} from './confirm.ts';
import {
  correctDocument,
  correctedDocument,
  documentCorrectInput,
  renderedDocument,
  renderInput,
  renderNow,
} from './correct.ts';
import {
  documentProgressList,
  filePage,
  filesQuery,
  listFiles,
  progressQuery,
  readProgress,
} from './list.ts';
import { documentRecheckInput, recheckedSegments, recheckSegments } from './recheck.ts';
import { documentSaveInput, savedSegments, saveSegments } from './save.ts';
import {
  documentOutline,
  outlineQuery,
  readOutline,
  searchSegments,
  segmentSearch,
  segmentSearchPage,
} from './search.ts';
import { currentSegments } from './segment-schema.ts';
import {
  changeInput,
  historyQuery,
  readHistory,
  restoreChange,
  restoredSegments,
  segmentHistory,
} from './undo.ts';

/** Procedures for the review screens only. They have no route, so only /trpc serves them. */
export const workplaceProcedures = {
  files: deferredTenantProcedure('read')
    .input(filesQuery)
    .output(filePage)
    .query(({ ctx, input }) => listFiles(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  progress: tenantProcedure('read', 'translate')
    .input(progressQuery)
    .output(documentProgressList)
    .query(({ ctx, input }) => readProgress(ctx.tx, ctx.principal.tenant.id, input)),

  outline: tenantProcedure('read')
    .input(outlineQuery)
    .output(documentOutline)
    .query(({ ctx, input }) => readOutline(ctx.tx, ctx.principal.tenant.id, input)),

  search: deferredTenantProcedure('read')
    .input(segmentSearch)
    .output(segmentSearchPage)
    .query(({ ctx, input }) => searchSegments(ctx.withTenant, input, ctx.disconnected())),

  boxes: tenantProcedure('read')
    .input(boxQuery)
    .output(segmentBoxPage)
    .query(({ ctx, input }) => listBoxes(ctx.tx, ctx.principal.tenant.id, input)),

  correct: deferredTenantProcedure('review')
    .input(documentCorrectInput)
    .output(correctedDocument)
    .mutation(({ ctx, input }) => correctDocument(ctx.services, ctx.withTenant, ctx, input)),

  /**
   * This is a mutation although it changes nothing: the input of a query is part of the URL, whose length is limited.
   */
  check: deferredTenantProcedure('review')
    .input(segmentCheckInput)
    .output(segmentCheck)
    .mutation(({ ctx, input }) => checkSegmentText(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  confirm: tenantProcedure('review')
    .input(documentConfirmInput)
    .output(currentSegments)
    .mutation(({ ctx, input }) => confirmSegments(ctx.tx, ctx.principal, input)),

  resolve: tenantProcedure('review')
    .input(documentResolveInput)
    .output(resolvedSegment)
    .mutation(({ ctx, input }) => resolveSegmentFinding(ctx.tx, ctx.principal, input)),

  recheck: deferredTenantProcedure('review')
    .input(documentRecheckInput)
    .output(recheckedSegments)
    .mutation(({ ctx, input }) => recheckSegments(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  save: deferredTenantProcedure('review')
    .input(documentSaveInput)
    .output(savedSegments)
    .mutation(({ ctx, input }) => saveSegments(ctx.services, ctx.withTenant, ctx, input)),

  undo: tenantProcedure('review')
    .input(changeInput)
    .output(restoredSegments)
    .mutation(({ ctx, input }) => restoreChange(ctx.tx, ctx.principal, ctx, input, 'undone')),

  redo: tenantProcedure('review')
    .input(changeInput)
    .output(restoredSegments)
    .mutation(({ ctx, input }) => restoreChange(ctx.tx, ctx.principal, ctx, input, 'redone')),

  history: tenantProcedure('read')
    .input(historyQuery)
    .output(segmentHistory)
    .query(({ ctx, input }) => readHistory(ctx.tx, ctx.principal.tenant.id, input)),

  render: deferredTenantProcedure('review')
    .input(renderInput)
    .output(renderedDocument)
    .mutation(({ ctx, input }) => renderNow(ctx.services, ctx.withTenant, input.document_id)),

  confirmAll: tenantProcedure('review')
    .input(confirmAllInput)
    .output(confirmedAll)
    .mutation(({ ctx, input }) => confirmAll(ctx.tx, ctx.principal, input)),

  approveMany: deferredTenantProcedure('review')
    .input(approveManyInput)
    .output(approvalOutcomes)
    .mutation(async ({ ctx, input }) => ({ results: await approveDocuments(ctx, input) })),
};
