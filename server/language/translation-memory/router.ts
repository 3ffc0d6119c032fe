import { z } from 'zod';
import { pageOf, sendPage, setListQuery } from '#server/http/paging.ts';
import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { defaultSettings } from '#server/settings.ts';
import { router, streamResponse } from '#server/trpc.ts';
import { alignFiles, importPairs } from './align-files.ts';
import {
  addedPairs,
  addPairsRequest,
  alignFilesRequest,
  fileAlignment,
  importPairsRequest,
} from './alignment-schema.ts';
import { removeSet } from './delete-set.ts';
import { addPairs } from './editing/add-pairs.ts';
import { countFound, deleteFound, previewReplace, replaceText } from './editing/bulk-changes.ts';
import { countDuplicates, listOtherTranslations, mergeDuplicates } from './editing/duplicates.ts';
import {
  bulkChange,
  changePage,
  changesRequest,
  countFoundRequest,
  deletedUnits,
  deleteFoundRequest,
  deleteUnitsRequest,
  duplicateCount,
  duplicatesRequest,
  foundCount,
  mergeDuplicatesRequest,
  otherTranslationsPage,
  otherTranslationsRequest,
  previewReplaceRequest,
  replacePreview,
  replaceRequest,
  undoneChange,
  undoRequest,
  updatedUnit,
  updateUnitRequest,
} from './editing/edit-schema.ts';
import { deleteUnits, updateUnit } from './editing/edit-units.ts';
import { listChanges } from './editing/history.ts';
import { undoChange } from './editing/undo-change.ts';
import { readImport, listImports as selectLatest } from './imports/import-jobs.ts';
import { receiveImport } from './imports/start-import.ts';
import { findMatches, type ReadContext, type ReadUnapproved } from './lookup/matches.ts';
import { listPenalties, setPenalties, setPenalty, setPenaltyRequest } from './penalties.ts';
import { goldenExportQuery, importForm, memoryImportJob, memoryImportPoll, memorySet } from './schema.ts';
import { type CheckUnits, findProblems } from './search/problems.ts';
import { browseUnits, searchConcordance } from './search/search-units.ts';
import { listSets } from './sets.ts';
import { csvFormat, exportGolden, exportSet } from './tmx-export.ts';
import {
  browseRequest,
  concordancePage,
  concordanceRequest,
  memoryMatches,
  memoryMatchesRequest,
  problemPage,
  problemsRequest,
  unitPage,
} from './unit-schema.ts';

const importTmx = deferredTenantProcedure('admin')
  .meta({
    route: {
      method: 'POST',
      path: '/api/tm',
      upload: { parts: ['tmx_file'], raw: false, ceiling: () => 'MAX_UPLOAD_BYTES' },
      accepted: memoryImportPoll,
      tag: 'Translation memory',
      summary: 'Create or replace a set from a TMX file',
      description: `Send a form with \`tmx_file\` (TMX 1.4b), \`name\`, \`source_lang\` and \`target_lang\`. Up to ${defaultSettings.TM_ASYNC_THRESHOLD} segments are imported before the response. A larger file is imported in the background: the response has status 202 and the URL to poll.`,
    },
  })
  .input(importForm)
  .output(z.union([memorySet, memoryImportPoll]))
  .mutation(async ({ ctx, input }) => {
    const received = await receiveImport(ctx.services, ctx.withTenant, input, ctx.disconnected());
    if ('set' in received) return received.set;
    ctx.response.setStatus(202);
    return received.accepted;
  });

const remove = deferredTenantProcedure('admin')
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/tm/{set_id}',
      tag: 'Translation memory',
      summary: 'Delete a set',
      description:
        'The set of approved translations of a language pair can be deleted too. Returns 409 while an import into the set is running.',
      status: 204,
    },
  })
  .input(z.object({ set_id: z.string().describe('The ID of the set.') }))
  .output(z.void())
  .mutation(({ ctx, input }) => removeSet(ctx.services, ctx.withTenant, input.set_id));

const list = tenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm',
      tag: 'Translation memory',
      summary: 'List the sets',
      paged: true,
      description:
        'Sorted by `updated_at`, latest first. Without `limit`, all sets are returned. If there are more, X-Next-Cursor has the cursor of the next page.',
    },
  })
  .input(setListQuery)
  .output(z.array(memorySet))
  .query(async ({ ctx, input }) =>
    sendPage(ctx.response, pageOf(await listSets(ctx.tx, ctx.principal.tenant.id), input)),
  );

const getImport = tenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/imports/{job_id}',
      tag: 'Translation memory',
      summary: 'Poll an import',
      description: 'Repeat this request until `job.status` is `completed` or `failed`.',
    },
  })
  .input(z.object({ job_id: z.string().describe('The ID of the import.') }))
  .output(memoryImportPoll)
  .query(({ ctx, input }) => readImport(ctx.tx, ctx.principal.tenant.id, input.job_id));

const listImports = tenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/imports',
      tag: 'Translation memory',
      summary: 'List the latest 50 imports',
      description: 'Sorted by time, latest first. Older imports are not listed.',
    },
  })
  .output(z.array(memoryImportJob))
  .query(({ ctx }) => selectLatest(ctx.tx, ctx.principal.tenant.id));

const exportSetProcedure = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/{set_id}/export',
      tag: 'Translation memory',
      summary: 'Export a set as TMX 1.4b',
      description:
        'The file has at most MAX_TM_SEGMENTS segments. If it is imported again, the values of `tuid` and `changedate` are kept.',
      download: ['application/xml'],
    },
  })
  .input(z.object({ set_id: z.string().describe('The ID of the set.') }))
  .output(streamResponse)
  .query(({ ctx, input }) =>
    exportSet(ctx.services, ctx.withTenant, input.set_id, {
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );

const exportCsvProcedure = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/{set_id}/export',
      tag: 'Translation memory',
      summary: 'Export a set as CSV',
      description:
        'Send `Accept: text/csv`. The columns are `source`, `target`, `source_lang`, `target_lang`, `tuid` and `changed_at`. A cell that a spreadsheet could run as a formula has an apostrophe before it. Only TMX can be imported again.',
      download: ['text/csv'],
    },
  })
  .input(z.object({ set_id: z.string().describe('The ID of the set.') }))
  .output(streamResponse)
  .query(({ ctx, input }) => {
    const request = { requestId: ctx.requestId, signal: ctx.disconnected() };
    return exportSet(ctx.services, ctx.withTenant, input.set_id, request, csvFormat);
  });

const exportGoldenProcedure = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/export/golden',
      tag: 'Translation memory',
      summary: 'Export the approved translations of a language pair as TMX 1.4b',
      description: `The file has the latest ${defaultSettings.MAX_TM_SEGMENTS} segments of the set golden-approved-<source>-<target>.`,
      download: ['application/xml'],
    },
  })
  .input(goldenExportQuery)
  .output(streamResponse)
  .query(({ ctx, input }) =>
    exportGolden(ctx.services, ctx.withTenant, input, {
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );

const browse = deferredTenantProcedure('read')
  .input(browseRequest)
  .output(unitPage)
  .query(({ ctx, input }) => browseUnits(ctx.services, ctx.withTenant, input, ctx.disconnected()));

const concordance = deferredTenantProcedure('read')
  .input(concordanceRequest)
  .output(concordancePage)
  .query(({ ctx, input }) => searchConcordance(ctx.services, ctx.withTenant, input, ctx.disconnected()));

/** @param checkUnits the checks of a translation, which belong to a module above this one */
const problems = (checkUnits: CheckUnits) =>
  deferredTenantProcedure('read')
    .input(problemsRequest)
    .output(problemPage)
    .query(({ ctx, input }) =>
      findProblems(ctx.services, ctx.withTenant, input, checkUnits, ctx.disconnected()),
    );

/**
 * This is a mutation in tRPC, although it changes nothing: the input of a query is part of the URL, whose length is
 * limited.
 */
const matches = (read: { readContext: ReadContext; readUnapproved: ReadUnapproved }) =>
  deferredTenantProcedure('read')
    .input(memoryMatchesRequest)
    .output(memoryMatches)
    .mutation(({ ctx, input }) => findMatches(ctx.services, ctx.withTenant, input, read));

/** A mutation, although it changes nothing: the files are part of the request's body. */
const align = deferredTenantProcedure('admin')
  .input(alignFilesRequest)
  .output(fileAlignment)
  .mutation(({ ctx, input }) => alignFiles(ctx.services, ctx.withTenant, input, ctx.disconnected()));

const importPairsProcedure = deferredTenantProcedure('admin')
  .input(importPairsRequest)
  .output(z.union([memorySet, memoryImportPoll]))
  .mutation(async ({ ctx, input }) => {
    const received = await importPairs(ctx.services, ctx.withTenant, input, ctx.disconnected());
    return 'set' in received ? received.set : received.accepted;
  });

/** The procedures that change segments, and penalties of sets. They have no route, so only /trpc serves them. */
const editing = {
  addPairs: deferredTenantProcedure('admin')
    .input(addPairsRequest)
    .output(addedPairs)
    .mutation(({ ctx, input }) => addPairs(ctx.services, ctx.withTenant, ctx, input)),

  updateUnit: deferredTenantProcedure('admin')
    .input(updateUnitRequest)
    .output(updatedUnit)
    .mutation(({ ctx, input }) => updateUnit(ctx.services, ctx.withTenant, ctx, input)),

  deleteUnits: deferredTenantProcedure('admin')
    .input(deleteUnitsRequest)
    .output(deletedUnits)
    .mutation(({ ctx, input }) => deleteUnits(ctx.services, ctx.withTenant, ctx, input)),

  countFound: deferredTenantProcedure('read')
    .input(countFoundRequest)
    .output(foundCount)
    .query(({ ctx, input }) => countFound(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  deleteFound: deferredTenantProcedure('admin')
    .input(deleteFoundRequest)
    .output(bulkChange)
    .mutation(({ ctx, input }) => deleteFound(ctx.services, ctx.withTenant, ctx, input)),

  previewReplace: deferredTenantProcedure('read')
    .input(previewReplaceRequest)
    .output(replacePreview)
    .query(({ ctx, input }) => previewReplace(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  replace: deferredTenantProcedure('admin')
    .input(replaceRequest)
    .output(bulkChange)
    .mutation(({ ctx, input }) => replaceText(ctx.services, ctx.withTenant, ctx, input)),

  duplicates: deferredTenantProcedure('read')
    .input(duplicatesRequest)
    .output(duplicateCount)
    .query(({ ctx, input }) => countDuplicates(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  mergeDuplicates: deferredTenantProcedure('admin')
    .input(mergeDuplicatesRequest)
    .output(bulkChange)
    .mutation(({ ctx, input }) => mergeDuplicates(ctx.services, ctx.withTenant, ctx, input)),

  otherTranslations: deferredTenantProcedure('read')
    .input(otherTranslationsRequest)
    .output(otherTranslationsPage)
    .query(({ ctx, input }) =>
      listOtherTranslations(ctx.services, ctx.withTenant, input, ctx.disconnected()),
    ),

  changes: tenantProcedure('read')
    .input(changesRequest)
    .output(changePage)
    .query(({ ctx, input }) => listChanges(ctx.tx, ctx.principal, input)),

  undo: deferredTenantProcedure('admin')
    .input(undoRequest)
    .output(undoneChange)
    .mutation(({ ctx, input }) => undoChange(ctx.services, ctx.withTenant, ctx, input)),

  penalties: tenantProcedure('read')
    .output(setPenalties)
    .query(({ ctx }) => listPenalties(ctx.tx, ctx.principal.tenant.id)),

  setPenalty: tenantProcedure('admin')
    .input(setPenaltyRequest)
    .output(setPenaltyRequest)
    .mutation(({ ctx, input }) => setPenalty(ctx.tx, ctx.principal, ctx, input)),
};

export const memoryRouter = (checkUnits: CheckUnits, read: Parameters<typeof matches>[0]) =>
  router({
    import: importTmx,
    list,
    listImports,
    getImport,
    delete: remove,
    export: exportSetProcedure,
    exportCsv: exportCsvProcedure,
    exportGolden: exportGoldenProcedure,
    browse,
    concordance,
    problems: problems(checkUnits),
    matches: matches(read),
    align,
    importPairs: importPairsProcedure,
    ...editing,
  });
