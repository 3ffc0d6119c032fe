import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take ten seconds or more, the longest first: begun last, one of them would run alone at the end. */
const long = [
  'test/faults/faults.test.ts',
  'test/documents/killed-worker.test.ts',
  'test/storage/killed-writes.test.ts',
  'test/process/behind-a-proxy.test.ts',
  'test/process/processes.test.ts',
  'test/process/random-signals.test.ts',
  'test/process/signals.test.ts',
  'test/workers/lifecycle.test.ts',
  'test/backup/upgrade-database.test.ts',
  'test/backup/whole-service.test.ts',
  'test/backup/refusals.test.ts',
  'test/backup/load.test.ts',
  'test/operations/processes.test.ts',
  'test/storage/verify-store-command.test.ts',
  'test/first-hour/first-hour.test.ts',
  'test/db/embedded/running-and-crashed.test.ts',
  'test/formats/golden-pdf.test.ts',
  'test/formats/pdf-corpus.test.ts',
  'test/metering/admission-across-processes.test.ts',
  'test/metering/token-limit-processes.test.ts',
  'test/sdk/browser.test.ts',
  'test/storage/failing-store.test.ts',
  'test/storage/failing-documents.test.ts',
  'test/storage/binding-states.test.ts',
  'test/storage/replays.test.ts',
  'test/rest/openapi-tools.test.ts',
  'test/translation-memory/embedded-imports.test.ts',
  'test/web/kills.test.ts',
  'test/web/states.test.ts',
  'test/web/dialogs.test.ts',
  'test/web/documents.test.ts',
  'test/web/document-drafts.test.ts',
  'test/web/hostile-texts.test.ts',
  'test/web/hostile-names.test.ts',
  'test/web/guides.test.ts',
  'test/docs/snippets.test.ts',
  'test/web/sign-in-steps.test.ts',
  'test/web/sso.test.ts',
  'test/web/invitations.test.ts',
  'test/web/new-term.test.ts',
  'test/web/all-screens.test.ts',
  'test/web/sign-in-looks.test.ts',
  'test/web/administration.test.ts',
  'test/web/document-preview.test.ts',
  'test/web/jobs.test.ts',
  'test/web/review.test.ts',
  'test/web/review-typing.test.ts',
  'test/web/batch.test.ts',
  'test/web/translate.test.ts',
  'test/db/upgrade.test.ts',
  'test/db/former-versions.test.ts',
  'test/rest/streaming.test.ts',
  'test/db/embedded/users.test.ts',
  'test/metering/allowance-model.test.ts',
  'test/sdk/package.test.ts',
  'test/sdk/stranger.test.ts',
  'test/documents/failing.test.ts',
  'test/documents/fair-share.test.ts',
  'test/web-translate/web-translate.test.ts',
];

/**
 * The order in which test files begin. First those that have a process of their own: between the others they would
 * end a process that has its modules loaded. Then the long ones. The rest is shuffled, so that no file comes to depend on another.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    const rank = ({ project, moduleId }: TestSpecification): number => {
      if (project.config.isolate) return 0;
      const at = long.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return at === -1 ? Number.POSITIVE_INFINITY : 1 + at;
    };
    const shuffled = ({ moduleId }: TestSpecification): string =>
      createHash('sha1').update(`${sequence.seed} ${moduleId}`).digest('hex');
    const ranked = files.map((file) => ({ file, rank: rank(file), place: shuffled(file) }));
    return ranked
      .toSorted((a, b) => (a.rank === b.rank ? (a.place < b.place ? -1 : 1) : a.rank - b.rank))
      .map(({ file }) => file);
  }
}
