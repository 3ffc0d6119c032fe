import { deferredTenantProcedure } from '#server/access/service.ts';
import { requireTranslationEnabled } from './service.ts';

/** Gate (1) of B 4.1 before everything else, the input's own shape included. */
export const tenantSubmission = deferredTenantProcedure.use(({ ctx, next }) => {
  requireTranslationEnabled(ctx.services);
  return next();
});
