import { z } from 'zod';
import { xlsxType } from '#server/formats/glossary/writer.ts';
import { tbxType } from '#server/formats/tbx/writer.ts';
import { pageOf, sendPage, setListQuery } from '#server/http/paging.ts';
import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import {
  candidatesRequest,
  findTermCandidates,
  termCandidates,
} from '#server/language/translation-memory/term-candidates.ts';
import { router, streamResponse } from '#server/trpc.ts';
import { createGlossary, renameGlossary } from './create.ts';
import { addTerm, deleteTerm, updateTerm } from './edit-terms.ts';
import { listEntries } from './entries.ts';
import {
  addEntryRequest,
  addedEntry,
  entriesRequest,
  entryPage,
  termMatches,
  termMatchesRequest,
  termsOfTexts,
  termsOfTextsRequest,
} from './entry-schema.ts';
import { csvFormat, csvType, exportGlossary, tableQuery, tbxFormat, tbxQuery, xlsxFormat } from './export.ts';
import { listTerms } from './list-terms.ts';
import { findTermMatches, findTermsOfTexts } from './matches.ts';
import { applyPreview, previewUpload } from './preview-upload.ts';
import { rejectCandidates, rejection, rejectRequest } from './rejected-terms.ts';
import {
  createRequest,
  glossaryForm,
  languagePairs,
  renameRequest,
  terminologySet,
  uploadedGlossary,
} from './schema.ts';
import { countPairs, listSets, removeSet } from './sets.ts';
import { spellingProcedures } from './spelling-words.ts';
import { addEntry } from './term-changes.ts';
import {
  addedTerm,
  addTermRequest,
  applyPreviewRequest,
  deletedTerm,
  deleteTermRequest,
  previewRequest,
  termsRequest,
  updatedTerm,
  updateTermRequest,
  uploadPreview,
} from './term-schema.ts';
import { uploadGlossary } from './upload.ts';

const upload = deferredTenantProcedure('admin')
  .meta({
    route: {
      method: 'POST',
      path: '/api/terminology',
      upload: {
        parts: ['terminology_file', 'terminology_csv'],
        raw: false,
        ceiling: () => 'MAX_UPLOAD_BYTES',
      },
      tag: 'Terminology',
      summary: 'Create or replace a glossary from a file',
      description:
        'Send a form with `terminology_file` (.csv, .tsv, .tmx, .tbx, .xlsx or .json) and `name`. `source_lang` and `target_lang` are required for TMX and TBX files. If a glossary has this name, the file replaces its entries.',
    },
  })
  .input(glossaryForm)
  .output(uploadedGlossary)
  .mutation(({ ctx, input }) => uploadGlossary(ctx.services, ctx.withTenant, input, ctx.disconnected()));

const create = deferredTenantProcedure('admin')
  .input(createRequest)
  .output(terminologySet)
  .mutation(({ ctx, input }) => createGlossary(ctx.services, ctx.withTenant, input));

const remove = tenantProcedure('admin')
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/terminology/{set_id}',
      tag: 'Terminology',
      summary: 'Delete a glossary',
      description: 'Jobs that used the glossary do not change.',
      status: 204,
    },
  })
  .input(z.object({ set_id: z.string().describe('The ID of the glossary.') }))
  .output(z.void())
  .mutation(({ ctx, input }) => removeSet(ctx.tx, ctx.principal.tenant.id, input.set_id));

const list = tenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/terminology',
      tag: 'Terminology',
      summary: 'List the glossaries',
      paged: true,
      description:
        'Sorted by `updated_at`, latest first. Without `limit`, all glossaries are returned. If there are more, X-Next-Cursor has the cursor of the next page.',
    },
  })
  .input(setListQuery)
  .output(z.array(terminologySet))
  .query(async ({ ctx, input }) =>
    sendPage(ctx.response, pageOf(await listSets(ctx.tx, ctx.principal.tenant.id), input)),
  );

const exportTbxProcedure = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/terminology',
      tag: 'Terminology',
      summary: 'Export a glossary as TBX-Basic',
      description:
        'Send `Accept: application/x-tbx+xml` and the query parameter `set_id`. Returns the entries of the glossary in the order of its file, without `case_sensitive` and `priority`, which TBX cannot represent.',
      download: [tbxType],
    },
  })
  .input(tbxQuery)
  .output(streamResponse)
  .query(({ ctx, input }) =>
    exportGlossary(ctx.services, ctx.withTenant, input.set_id, tbxFormat(input.edition), {
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );

const exportXlsxProcedure = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/terminology',
      tag: 'Terminology',
      summary: 'Export a glossary to Excel',
      description:
        'Send `Accept: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` and the query parameter `set_id`. Returns a workbook with the columns of a glossary file, which can be uploaded again.',
      download: [xlsxType],
    },
  })
  .input(tableQuery)
  .output(streamResponse)
  .query(({ ctx, input }) =>
    exportGlossary(ctx.services, ctx.withTenant, input.set_id, xlsxFormat, {
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );

const exportCsvProcedure = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/terminology',
      tag: 'Terminology',
      summary: 'Export a glossary as CSV',
      description:
        'Send `Accept: text/csv` and the query parameter `set_id`. Returns the columns of a glossary file, which can be uploaded again. A cell that a spreadsheet could run as a formula has an apostrophe before it, which an upload removes.',
      download: [csvType],
    },
  })
  .input(tableQuery)
  .output(streamResponse)
  .query(({ ctx, input }) =>
    exportGlossary(ctx.services, ctx.withTenant, input.set_id, csvFormat, {
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );

const entries = tenantProcedure('read')
  .input(entriesRequest)
  .output(entryPage)
  .query(({ ctx, input }) => listEntries(ctx.tx, ctx.principal.tenant.id, input));

/** Deferred, because an addition waits for a lock, and the transaction that authenticates the caller must not wait. */
const add = deferredTenantProcedure('admin')
  .input(addEntryRequest)
  .output(addedEntry)
  .mutation(({ ctx, input }) => addEntry(ctx.services, ctx.withTenant, input));

/**
 * This is a mutation in tRPC, although it changes nothing: the input of a query is part of the URL, whose length is
 * limited.
 */
const matches = deferredTenantProcedure('read')
  .input(termMatchesRequest)
  .output(termMatches)
  .mutation(({ ctx, input }) => findTermMatches(ctx.services, ctx.withTenant, input, ctx.disconnected()));

/** For the rows of the editor, so that they need no request each. */
const matchesOfTexts = deferredTenantProcedure('read')
  .input(termsOfTextsRequest)
  .output(termsOfTexts)
  .mutation(({ ctx, input }) => findTermsOfTexts(ctx.services, ctx.withTenant, input, ctx.disconnected()));

/** The procedures by which `lingualoop compat` serves glossaries with several dictionaries. */
const pairProcedures = {
  pairs: tenantProcedure('read')
    .input(z.object({ set_id: z.string().max(64) }))
    .output(languagePairs)
    .query(({ ctx, input }) => countPairs(ctx.tx, ctx.principal.tenant.id, input.set_id)),

  rename: deferredTenantProcedure('admin')
    .input(renameRequest)
    .output(terminologySet)
    .mutation(({ ctx, input }) => renameGlossary(ctx.services, ctx.withTenant, input)),
};

/** The procedures of the glossary screens. They have no route, so only /trpc serves them. */
const termProcedures = {
  terms: tenantProcedure('read')
    .input(termsRequest)
    .output(entryPage)
    .query(({ ctx, input }) => listTerms(ctx.tx, ctx.principal.tenant.id, input)),

  addTerm: deferredTenantProcedure('admin')
    .input(addTermRequest)
    .output(addedTerm)
    .mutation(({ ctx, input }) => addTerm(ctx.services, ctx.withTenant, input)),

  updateTerm: deferredTenantProcedure('admin')
    .input(updateTermRequest)
    .output(updatedTerm)
    .mutation(({ ctx, input }) => updateTerm(ctx.services, ctx.withTenant, input)),

  deleteTerm: deferredTenantProcedure('admin')
    .input(deleteTermRequest)
    .output(deletedTerm)
    .mutation(({ ctx, input }) => deleteTerm(ctx.services, ctx.withTenant, input)),

  /** A mutation, although it changes nothing: the file is part of the request's body. */
  previewUpload: deferredTenantProcedure('admin')
    .input(previewRequest)
    .output(uploadPreview)
    .mutation(({ ctx, input }) => previewUpload(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  applyPreview: deferredTenantProcedure('admin')
    .input(applyPreviewRequest)
    .output(uploadedGlossary)
    .mutation(({ ctx, input }) => applyPreview(ctx.services, ctx.withTenant, input, ctx.disconnected())),
};

/** Candidates for terms. They have no route, so only /trpc serves them. */
const candidateProcedures = {
  candidates: deferredTenantProcedure('read')
    .input(candidatesRequest)
    .output(termCandidates)
    .mutation(({ ctx, input }) =>
      findTermCandidates(ctx.services, ctx.withTenant, input, ctx.disconnected()),
    ),

  rejectCandidates: tenantProcedure('admin')
    .input(rejectRequest)
    .output(rejection)
    .mutation(({ ctx, input }) => rejectCandidates(ctx.tx, ctx.principal, input)),
};

export const terminologyRouter = router({
  ...candidateProcedures,
  ...spellingProcedures,
  upload,
  create,
  list,
  exportTbx: exportTbxProcedure,
  exportXlsx: exportXlsxProcedure,
  exportCsv: exportCsvProcedure,
  delete: remove,
  entries,
  addEntry: add,
  matches,
  matchesOfTexts,
  ...pairProcedures,
  ...termProcedures,
});
