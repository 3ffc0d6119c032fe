/**
 * The procedures that are only served over /trpc. The web application uses them, and the documented API does not
 * contain them. A procedure that has no route and is not listed here fails the tests.
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
