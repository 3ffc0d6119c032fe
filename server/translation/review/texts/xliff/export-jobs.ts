import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { XliffState } from '#server/formats/xliff/content.ts';
import {
  type XliffHead,
  xliffFileTail,
  xliffHead,
  xliffTail,
  xliffType,
  xliffUnit,
} from '#server/formats/xliff/writer.ts';
import { beginExport, cutPieces, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { runSearch } from '#server/translation/core/listing/bounded-scan.ts';
import { contentOf, cursorOf, findJobs } from '#server/translation/texts/find-jobs.ts';
import { reviewableStatuses } from '#server/translation/texts/job-states.ts';
import { jobOfRow } from '#server/translation/texts/jobs.ts';
import type { JobStatus, ListQuery, TranslationJob } from '#server/translation/texts/schema.ts';
import type { JobSummary } from '#server/translation/texts/search-schema.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { startFile, textVersion } from '../../xliff-exchange.ts';
import { codedTexts } from './text-codes.ts';

/** ID of the only unit in a job's `<file>`. */
export const unitOfJob = 'text';

/** Maximum number of searches for one page. Each search examines a limited number of jobs. */
const maxSearches = 10;

/**
 * Returns a page of the tenant's jobs as one XLIFF document, with a `<file>` for each job. By default, the jobs that
 * await review.
 * @returns the XLIFF document as a stream, and the cursor of the next page
 * @throws AppError 404 if no job matches; 422 if the jobs have several language pairs, for an invalid cursor or an
 *   unsupported language
 */
export async function exportJobs(
  services: Pick<Services, 'database' | 'log'>,
  withTenant: WithTenant,
  { status, limit, cursor, ...listFilter }: ListQuery,
  request: ExportRequest,
): Promise<{ file: StreamResponse; nextCursor: string | null }> {
  const statuses = status ? [status] : [...reviewableStatuses];
  const filter = { statuses, ...listFilter };
  const { tenantId, jobs, nextCursor } = await runSearch(
    services.database,
    withTenant,
    { scans: () => contentOf(filter) !== undefined, signal: request.signal },
    async (tx, { tenant }) => ({
      tenantId: tenant.id,
      ...(await findPage(tx, { tenantId: tenant.id, filter, limit, cursor })),
    }),
  );
  const languages = onlyPair(jobs);
  const slot = await beginExport({ tenantId, signal: request.signal });
  try {
    const read = (ids: readonly string[]) =>
      makePage({ tenantId, signal: request.signal }, () =>
        services.database.inTenant(tenantId, (tx) => selectJobsById(tx, tenantId, ids)),
      );
    const ids = jobs.map(({ id }) => id);
    // Read the first jobs before any byte is sent, so that an error here gets an ordinary error response.
    const first: TranslationJob[] = [];
    while (first.length === 0) {
      // All found jobs were deleted since the search, and an XLIFF document needs at least one file.
      if (ids.length === 0) throw noSuchJob();
      first.push(...(await read(ids.splice(0, jobsOfChunk))));
    }
    const file: StreamResponse = {
      chunks: guardExport(services.log, request, slot, writeJobs(languages, first, ids, read)),
      contentType: xliffType,
      fileName: `translations-${languages.sourceLang}-${languages.targetLang}.xlf`,
      cut: slot.cut,
      end: slot.end,
    };
    return { file, nextCursor };
  } catch (error) {
    slot.end();
    throw error;
  }
}

type Search = Omit<Parameters<typeof findJobs>[1], 'order' | 'skip'>;

/**
 * Returns the next jobs that pass the filter, latest first. Repeats the search if it ends before it has found any.
 * @throws AppError 404 if none exist
 */
async function findPage(
  tx: Tx,
  search: Search,
): Promise<{ jobs: Pick<JobSummary, 'id' | 'source_lang' | 'target_lang'>[]; nextCursor: string | null }> {
  let cursor = search.cursor;
  for (let searches = 1; ; searches++) {
    const { jobs, last, more } = await findJobs(tx, { ...search, cursor, order: 'newest' });
    const nextCursor = more && last ? cursorOf(last) : null;
    if (jobs.length > 0) return { jobs, nextCursor };
    if (nextCursor === null) throw noSuchJob();
    if (searches === maxSearches)
      throw new AppError(
        'not_found',
        `no job on this page matches the filter; continue with cursor=${nextCursor}`,
      );
    cursor = nextCursor;
  }
}

function noSuchJob(): AppError {
  return new AppError('not_found', 'no job matches this filter');
}

/** @throws AppError 422 if the jobs have several language pairs */
function onlyPair(jobs: readonly Pick<JobSummary, 'source_lang' | 'target_lang'>[]): XliffHead {
  const pairs = new Map(jobs.map((job) => [`${job.source_lang} into ${job.target_lang}`, job]));
  const [first] = pairs.values();
  if (pairs.size > 1 || !first)
    throw new AppError(
      'unprocessable',
      `an XLIFF document has one language pair, but these jobs have several (${[...pairs.keys()].slice(0, 5).join(', ')}); select one with source_lang and target_lang`,
    );
  return { sourceLang: first.source_lang, targetLang: first.target_lang };
}

/** Maximum number of jobs in memory at a time. */
const jobsOfChunk = 10;

/** Returns the jobs in the order of `ids`; deleted jobs are omitted. */
async function selectJobsById(tx: Tx, tenantId: string, ids: readonly string[]): Promise<TranslationJob[]> {
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        sql`${translationJobs.jobId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
      ),
    );
  const byId = new Map(rows.map((row) => [row.jobId, jobOfRow(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** @param others the IDs of the jobs after the first ones */
async function* writeJobs(
  languages: XliffHead,
  first: TranslationJob[],
  others: readonly string[],
  read: (ids: readonly string[]) => Promise<TranslationJob[]>,
): AsyncGenerator<string, void> {
  yield xliffHead(languages);
  yield* cutPieces(writeFiles(languages, first));
  for (let done = 0; done < others.length; done += jobsOfChunk)
    yield* cutPieces(writeFiles(languages, await read(others.slice(done, done + jobsOfChunk))));
  yield xliffTail;
}

function* writeFiles(languages: XliffHead, jobs: readonly TranslationJob[]): Generator<string, void> {
  for (const job of jobs)
    yield startFile(languages, { id: job.id, original: job.id }) + unitOf(job) + xliffFileTail;
}

/** Writes the unit of a job. */
export function unitOf(job: TranslationJob): string {
  const { status, final_translation } = job;
  return xliffUnit({
    id: unitOfJob,
    version: versionOf(job),
    state: final_translation === null ? 'initial' : stateOf(status),
    subState: status,
    notes: notesOf(job),
    ...codedTexts(job),
  });
}

/**
 * Returns the version of a job: the time of its last change, to which a review refers (docs/decisions/0053), and its
 * text.
 */
function versionOf({ updated_at, final_translation }: TranslationJob): string {
  return `${updated_at}/${textVersion(final_translation)}`;
}

/** @returns `text` is undefined if the version does not contain it */
export function readVersion(version: string): { updatedAt: string; text: string | undefined } {
  const [updatedAt = '', text] = version.split('/');
  return { updatedAt, text };
}

function stateOf(status: JobStatus): XliffState {
  return ['approved', 'human_edited', 'published', 'persistence_failed'].includes(status)
    ? 'final'
    : 'translated';
}

/**
 * The notes of a job: the reasons for a review, then the issues. The reasons come first because reviewers read them
 * first.
 */
function notesOf({ agent_run: run, quality_assessment, verification }: TranslationJob): string[] {
  const issues = [...(quality_assessment?.issues ?? []), ...(verification?.issues ?? [])];
  return [
    ...new Set([
      ...(run.human_review_task ? [run.human_review_task.reason] : []),
      ...(run.quality_gate?.reasons ?? []),
      ...issues.map(
        ({ severity, span, explanation }) =>
          `${severity}: ${explanation}${span === null ? '' : ` (${span})`}`,
      ),
    ]),
  ].slice(0, maxNotes);
}

const maxNotes = 50;
