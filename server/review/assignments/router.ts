import {
  administratorSessionProcedure,
  bearerProcedure,
  provedAdministratorSessionProcedure,
} from '#server/identity/access/guards/session.ts';
import { router } from '#server/trpc.ts';
import { assignItems } from './assign.ts';
import { listAssignments, listLoad, listMine } from './lists.ts';
import { listProfiles, saveProfile } from './profiles.ts';
import { applyAllPendingRules, readRules, saveRules } from './rules.ts';
import {
  assignInput,
  assignmentPage,
  assignmentRules,
  assignOutcomes,
  listInput,
  loadInput,
  loadPage,
  mineInput,
  passed,
  passInput,
  profile,
  profilePage,
  profilesInput,
  saveProfileInput,
  saveRulesInput,
} from './schema.ts';
import { passItem } from './turn.ts';

/** Assignments of items. No procedure has a route, so only /trpc serves them. */
export const assignmentsRouter = router({
  mine: bearerProcedure
    .input(mineInput)
    .output(assignmentPage)
    .query(({ ctx: { tx, principal }, input }) =>
      listMine(tx, principal.tenant.id, principal.user.id, input),
    ),

  list: bearerProcedure
    .input(listInput)
    .output(assignmentPage)
    .query(({ ctx: { tx, principal }, input }) => listAssignments(tx, principal.tenant.id, input)),

  assign: bearerProcedure
    .input(assignInput)
    .output(assignOutcomes)
    .mutation(async ({ ctx, input }) => {
      await applyAllPendingRules(ctx.tx, ctx.principal.tenant.id, input.items);
      return assignItems(ctx.tx, ctx, ctx.services.settings, ctx.principal, input);
    }),

  pass: bearerProcedure
    .input(passInput)
    .output(passed)
    .mutation(({ ctx, input }) => passItem(ctx.tx, ctx, ctx.principal, input)),

  profiles: bearerProcedure
    .input(profilesInput)
    .output(profilePage)
    .query(({ ctx: { tx, principal }, input }) => listProfiles(tx, principal.tenant.id, input)),

  saveProfile: bearerProcedure
    .input(saveProfileInput)
    .output(profile)
    .mutation(({ ctx, input }) => saveProfile(ctx.tx, ctx, ctx.principal, input)),

  load: administratorSessionProcedure
    .input(loadInput)
    .output(loadPage)
    .query(({ ctx, input }) => ctx.asAdministrator((tx, { tenant }) => listLoad(tx, tenant.id, input))),

  rules: administratorSessionProcedure
    .output(assignmentRules)
    .query(({ ctx }) => ctx.asAdministrator((tx, { tenant }) => readRules(tx, tenant.id))),

  saveRules: provedAdministratorSessionProcedure
    .input(saveRulesInput)
    .output(assignmentRules)
    .mutation(({ ctx, input }) => saveRules(ctx.services, ctx.asAdministrator, ctx, input)),
});
