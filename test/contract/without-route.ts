/**
 * The procedures that only /trpc serves: those of the web application, which are not part of the documented API. A procedure with neither
 * a route nor a line here fails the suite.
 */
export const withoutRoute: readonly string[] = [
  'audit.list',
  'auth.draftKeys',
  'documents.progress',
  'documents.outline',
  'documents.search',
  'documents.boxes',
  'documents.correct',
  'documents.approveMany',
  'documents.check',
  'documents.confirm',
  'documents.outage',
  'documents.requeue',
  'memory.browse',
  'memory.concordance',
  'memory.matches',
  'reviews.byReviewer',
  'reviews.claim',
  'reviews.next',
  'reviews.reopen',
  'tenants.rotateKey',
  'terminology.addEntry',
  'terminology.entries',
  'terminology.matches',
  'translations.act',
  'translations.check',
  'translations.counts',
  'translations.reviewMany',
  'translations.search',
];
