import { administratorSessionProcedure, bearerProcedure } from '#server/identity/access/guards/session.ts';
import { router } from '#server/trpc.ts';
import { listCalibrations } from './calibration.ts';
import { decideCheck, drawTexts, getCheck, listChecks } from './checks.ts';
import { listMarks, markText } from './marks.ts';
import { reportQuality } from './report.ts';
import {
  calibrations,
  checkPage,
  checksInput,
  decideCheckInput,
  drawInput,
  drawn,
  errorMarks,
  fullCheck,
  marksInput,
  marksList,
  markTextInput,
  oneCheckInput,
  qualityReport,
  qualitySettings,
  reportInput,
  scorecard,
  scorecardInput,
} from './schema.ts';
import { readSettings, reportScorecard, saveSettings } from './scorecard.ts';

/**
 * What the quality gate is worth: checks by members, and reports for administrators. No procedure has a route, so only
 * /trpc serves them.
 */
export const qualityRouter = router({
  checks: bearerProcedure
    .input(checksInput)
    .output(checkPage)
    .query(({ ctx, input }) => listChecks(ctx.tx, ctx.principal, input)),

  check: bearerProcedure
    .input(oneCheckInput)
    .output(fullCheck)
    .query(({ ctx, input }) => getCheck(ctx.tx, ctx.principal, input.check_id)),

  decide: bearerProcedure
    .input(decideCheckInput)
    .output(fullCheck)
    .mutation(({ ctx, input }) => decideCheck(ctx.tx, ctx.principal, input)),

  marks: bearerProcedure
    .input(marksInput)
    .output(marksList)
    .query(async ({ ctx, input }) => ({ marks: await listMarks(ctx.tx, ctx.principal, input) })),

  mark: bearerProcedure
    .input(markTextInput)
    .output(errorMarks)
    .mutation(({ ctx, input }) => markText(ctx.tx, ctx.principal, input)),

  calibrations: bearerProcedure
    .output(calibrations)
    .query(({ ctx }) => listCalibrations(ctx.tx, ctx.principal.tenant.id)),

  draw: administratorSessionProcedure
    .input(drawInput)
    .output(drawn)
    .mutation(({ ctx, input }) =>
      ctx.asAdministrator(async (tx, { tenant }) => ({ drawn: await drawTexts(tx, tenant.id, input) })),
    ),

  settings: administratorSessionProcedure
    .output(qualitySettings)
    .query(({ ctx }) => ctx.asAdministrator((tx, { tenant }) => readSettings(tx, tenant.id))),

  saveSettings: administratorSessionProcedure
    .input(qualitySettings)
    .output(qualitySettings)
    .mutation(({ ctx, input }) =>
      ctx.asAdministrator((tx, principal) => saveSettings(tx, ctx, principal, input)),
    ),

  report: administratorSessionProcedure
    .input(reportInput)
    .output(qualityReport)
    .query(({ ctx, input }) => ctx.asAdministrator((tx, { tenant }) => reportQuality(tx, tenant.id, input))),

  scorecard: administratorSessionProcedure
    .input(scorecardInput)
    .output(scorecard)
    .query(({ ctx, input }) =>
      ctx.asAdministrator((tx, { tenant }) => reportScorecard(tx, tenant.id, input)),
    ),
});
