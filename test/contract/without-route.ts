import { namesOf } from './procedures.ts';

/** Only a browser needs these procedures: they serve single screens, drafts, and downloads with a cookie. */
export const forBrowsers: readonly string[] = namesOf({
  auth: 'changePassword endSession linkSso proof prove requestPasswordReset sessions',
  billing: 'coverage prices',
  documents: 'files',
  exports: 'list start',
  mail: 'preferences sendConfirmation setPreferences',
  members: 'colleagues',
  operations: 'engines models queue retry workspace',
  retention: 'anonymizeMember',
  reviews: 'byDomain comment comments deleteComment inbox mentions texts',
  segmentation: 'delete get save',
  tenants: 'general saveGeneral',
  textRules: 'get save try',
  terminology: 'addTerm deleteTerm matchesOfTexts setSpellingWord spellingWords terms updateTerm',
  usage: 'breakdown',
});

/**
 * The procedures that are only served over /trpc. The web application uses them, and the documented API does not
 * contain them. A procedure that has no route and is not listed here fails the tests.
 */
export const withoutRoute: readonly string[] = [
  ...forBrowsers,
  ...namesOf({
    analyses: 'addFile cancel create delete exportXlsx get list removeFile setVersion start',
    apiKeys: 'create list revoke rotate update',
    assignments: 'assign list load mine pass profiles rules saveProfile saveRules',
    audit: 'list',
    documents:
      'progress outline search boxes correct approveMany check confirm confirmAll recheck resolve save undo redo history render outage requeue',
    engines: 'get remove save test',
    events: 'list subscribe',
    memory:
      'addPairs align browse concordance problems importPairs matches updateUnit deleteUnits countFound deleteFound previewReplace replace duplicates mergeDuplicates otherTranslations changes undo penalties setPenalty',
    quality: 'calibrations check checks decide draw mark marks report saveSettings scorecard settings',
    reviews: 'approvedItems byReviewer claim next reopen',
    styleGuides: 'delete get list save',
    tenants: 'rotateKey',
    terminology:
      'addEntry applyPreview candidates create entries matches pairs previewUpload rejectCandidates rename',
    translations: 'act recheck resolve check counts reviewMany search',
  }),
];
