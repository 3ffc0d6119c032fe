import { auditRouter } from './audit/router.ts';
import { authRouter } from './auth/router.ts';
import { billingRouter } from './billing/router.ts';
import { documentsRouter } from './documents/router.ts';
import { membersRouter } from './members/router.ts';
import { usageRouter } from './metering/router.ts';
import { storageRouter } from './storage/router.ts';
import { systemRouter } from './system/router.ts';
import { tenantsRouter } from './tenants/router.ts';
import { terminologyRouter } from './terminology/router.ts';
import { memoryRouter } from './translation-memory/router.ts';
import { reviewsRouter, translationsRouter } from './translations/router.ts';
import { router } from './trpc.ts';

/** All procedures of the service, by domain. */
export const appRouter = router({
  audit: auditRouter,
  auth: authRouter,
  billing: billingRouter,
  documents: documentsRouter,
  members: membersRouter,
  memory: memoryRouter,
  reviews: reviewsRouter,
  storage: storageRouter,
  system: systemRouter,
  tenants: tenantsRouter,
  terminology: terminologyRouter,
  translations: translationsRouter,
  usage: usageRouter,
});

export type AppRouter = typeof appRouter;
