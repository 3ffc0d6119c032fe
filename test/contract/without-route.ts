/**
 * The procedures that only /trpc serves: those of the web application, which are not part of the documented API. A procedure with neither
 * a route nor a line here fails the suite.
 */
export const withoutRoute: readonly string[] = [
  'documents.progress',
  'documents.search',
  'documents.boxes',

  'memory.browse',
  'memory.concordance',
  'memory.matches',

  'reviews.claim',
  'reviews.next',

  'translations.act',
  'translations.check',
  'translations.counts',
  'translations.reviewMany',
  'translations.search',
];
