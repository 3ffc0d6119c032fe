import { z } from 'zod';
import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { router } from '#server/trpc.ts';
import { addFile } from './add-file.ts';
import { cancelAnalysis, createAnalysis, deleteAnalysis, removeFileOf, setVersion } from './analyses.ts';
import {
  addFileRequest,
  analysis,
  analysisPage,
  analysisRequest,
  exportedWorkbook,
  listRequest,
  oneAnalysis,
  oneFile,
  startRequest,
  versionRequest,
} from './schema.ts';
import { requestStart } from './start.ts';
import { listAnalyses, viewAnalysis } from './view.ts';
import { writeAnalysis } from './workbook.ts';

/** Analyses of files, before they are translated. No procedure has a route, so only /trpc serves them. */
export const analysesRouter = router({
  create: deferredTenantProcedure('translate')
    .input(analysisRequest)
    .output(analysis)
    .mutation(async ({ ctx, input }) => {
      const { analysisId } = await ctx.withTenant((tx, principal) => createAnalysis(tx, principal, input));
      return viewAnalysis(ctx.services, ctx.withTenant, analysisId);
    }),

  addFile: deferredTenantProcedure('translate')
    .input(addFileRequest)
    .output(analysis)
    .mutation(async ({ ctx, input }) => {
      await addFile(ctx.services, ctx.withTenant, input);
      return viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id);
    }),

  removeFile: deferredTenantProcedure('translate')
    .input(oneFile)
    .output(analysis)
    .mutation(async ({ ctx, input }) => {
      await removeFileOf(ctx.services, ctx.withTenant, input);
      return viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id);
    }),

  setVersion: deferredTenantProcedure('translate')
    .input(versionRequest)
    .output(analysis)
    .mutation(async ({ ctx, input }) => {
      await ctx.withTenant((tx, { tenant }) => setVersion(tx, tenant.id, input));
      return viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id);
    }),

  get: deferredTenantProcedure('read', 'translate')
    .input(oneAnalysis)
    .output(analysis)
    .query(({ ctx, input }) => viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id)),

  list: tenantProcedure('read', 'translate')
    .input(listRequest)
    .output(analysisPage)
    .query(({ ctx, input }) => listAnalyses(ctx.tx, ctx.principal.tenant.id, input)),

  start: deferredTenantProcedure('translate')
    .input(startRequest)
    .output(analysis)
    .mutation(async ({ ctx, input }) => {
      await ctx.withTenant((tx, principal) => requestStart(tx, principal, input));
      return viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id);
    }),

  cancel: deferredTenantProcedure('translate')
    .input(oneAnalysis)
    .output(analysis)
    .mutation(async ({ ctx, input }) => {
      await ctx.withTenant((tx, { tenant }) => cancelAnalysis(tx, tenant.id, input.analysis_id));
      return viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id);
    }),

  delete: deferredTenantProcedure('translate')
    .input(oneAnalysis)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteAnalysis(ctx.services, ctx.withTenant, input.analysis_id)),

  exportXlsx: deferredTenantProcedure('read', 'translate')
    .input(oneAnalysis)
    .output(exportedWorkbook)
    .query(async ({ ctx, input }) =>
      writeAnalysis(await viewAnalysis(ctx.services, ctx.withTenant, input.analysis_id)),
    ),
});
