import { analysesRouter } from '#server/analyses/router.ts';
import { usageRouter } from '#server/billing/metering/router.ts';
import { documentsRouter } from '#server/documents/router.ts';
import { contextOfSegment } from '#server/documents/segment-contexts.ts';
import { selectUnapproved } from '#server/documents/unapproved-matches.ts';
import { enginesRouter } from '#server/engines/router.ts';
import { eventsRouter } from '#server/events/router.ts';
import { apiKeysRouter, auditRouter } from '#server/identity/api-keys/router.ts';
import { authRouter } from '#server/identity/auth/router.ts';
import { mailRouter } from '#server/identity/mail/router.ts';
import { membersRouter } from '#server/identity/members/router.ts';
import { tenantsRouter } from '#server/identity/tenants/router.ts';
import { segmentationRouter } from '#server/language/segmentation/router.ts';
import { styleGuidesRouter } from '#server/language/style-guides/router.ts';
import { terminologyRouter } from '#server/language/terminology/router.ts';
import { textRulesRouter } from '#server/language/text-rules/router.ts';
import { memoryRouter } from '#server/language/translation-memory/router.ts';
import { systemRouter } from '#server/observability/health-router.ts';
import { operationsRouter } from '#server/operations/router.ts';
import { qualityRouter } from '#server/quality/router.ts';
import { retentionRouter } from '#server/retention/router.ts';
import { assignmentsRouter } from '#server/review/assignments/router.ts';
import { reviewsRouter, translationsRouter } from '#server/texts/router.ts';
import { checkUnits } from '#server/translation/threads/check-threads.ts';
import { exportsRouter } from '#server/workspace-export/router.ts';
import { billingRouter } from './billing/router.ts';
import { storageRouter } from './storage/router.ts';
import { router } from './trpc.ts';

/** All procedures of the service, by domain. */
export const appRouter = router({
  analyses: analysesRouter,
  apiKeys: apiKeysRouter,
  assignments: assignmentsRouter,
  audit: auditRouter,
  auth: authRouter,
  billing: billingRouter,
  documents: documentsRouter,
  engines: enginesRouter,
  events: eventsRouter,
  exports: exportsRouter,
  mail: mailRouter,
  members: membersRouter,
  memory: memoryRouter(checkUnits, { readContext: contextOfSegment, readUnapproved: selectUnapproved }),
  quality: qualityRouter,
  retention: retentionRouter,
  operations: operationsRouter,
  reviews: reviewsRouter,
  segmentation: segmentationRouter,
  textRules: textRulesRouter,
  storage: storageRouter,
  styleGuides: styleGuidesRouter,
  system: systemRouter,
  tenants: tenantsRouter,
  terminology: terminologyRouter,
  translations: translationsRouter,
  usage: usageRouter,
});

export type AppRouter = typeof appRouter;
