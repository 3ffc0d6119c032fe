import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { originalText, type XliffContent, type XliffState } from '#server/formats/xliff/content.ts';
import type { ReadUnit } from '#server/formats/xliff/reader.ts';
import {
  type XliffHead,
  xliffFileTail,
  xliffHead,
  xliffTail,
  xliffUnit,
} from '#server/formats/xliff/writer.ts';
import { cutPieces, type ExportRequest } from '#server/http/exports.ts';
import type { Page } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { contentOf, cursorOf, findJobs } from '#server/texts/find-jobs.ts';
import { reviewableStatuses } from '#server/texts/job-states.ts';
import { getJob, jobOfRow } from '#server/texts/jobs.ts';
import type { JobStatus, ListQuery, TranslationJob } from '#server/texts/schema.ts';
import type { JobSummary } from '#server/texts/search-schema.ts';
import { isPublished } from '#server/texts/tenant-view.ts';
import { runSearch } from '#server/translation/listing/bounded-scan.ts';
import { rawBody, type StreamResponse } from '#server/trpc.ts';
import {
  readXliffBody,
  requireLanguages,
  requireVersion,
  startFile,
  streamXliff,
  textVersion,
  unitError,
} from '../exchange.ts';
import { reviewJob } from './decide.ts';
import { reviewInput } from './schema.ts';
import { JobChanged } from './text.ts';
import { codedTexts } from './text-codes.ts';

/** ID of the only unit in a job's `<file>`. */
const unitOfJob = 'text';

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
): Promise<Page<StreamResponse>> {
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
  const file = await streamXliff(services, tenantId, request, async (read) => {
    const readJobs: ReadJobs = (ids) => read((tx) => selectJobsById(tx, tenantId, ids));
    const ids = jobs.map(({ id }) => id);
    const first: TranslationJob[] = [];
    while (first.length === 0) {
      // All found jobs were deleted since the search, and an XLIFF document needs at least one file.
      if (ids.length === 0) throw noSuchJob();
      first.push(...(await readJobs(ids.splice(0, jobsOfChunk))));
    }
    return {
      fileName: `translations-${languages.sourceLang}-${languages.targetLang}.xlf`,
      pieces: writeJobs(languages, first, ids, readJobs),
    };
  });
  return { content: file, nextCursor };
}

type ReadJobs = (ids: readonly string[]) => Promise<TranslationJob[]>;

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
  read: ReadJobs,
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

/** A review as XLIFF: the body is the XLIFF document, and the query contains the other fields. */
export const xliffReviewInput = z.object({
  job_id: reviewInput.shape.job_id,
  body: rawBody,
  action: z
    .enum(['save', 'approve'])
    .optional()
    .describe(
      'For a review with XLIFF. If omitted, the state of the segment in the file decides: `reviewed` and `final` approve the translation; other states save a draft.',
    ),
  reviewer: reviewInput.shape.reviewer,
  notes: reviewInput.shape.notes,
});

/**
 * Applies the review in an XLIFF document that `exportJobs` wrote and a reviewer has changed. Only the job's `<file>`
 * is read, so a client can send the document of a whole page for each of its jobs. The job does not change if its unit
 * has no translation, if the text is unchanged and the state does not approve it, or if the job is already published
 * with this text.
 * @throws AppError 400 if it is not XLIFF; 404; 409 conflict if the job has changed since the export; 422 if the file is for
 * another job, its
 *   source has changed, or a code of its target is unknown; and like `reviewJob`
 */
export async function reviewJobByXliff(
  services: Parameters<typeof reviewJob>[0] & Pick<Services, 'fileWork'>,
  withTenant: WithTenant,
  origin: Origin,
  { job_id, body, action: asked, reviewer, notes }: z.infer<typeof xliffReviewInput>,
  signal: AbortSignal,
): Promise<TranslationJob> {
  const { tenantId, job } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    job: await getJob(tx, tenant.id, job_id),
  }));
  const file = await readXliffBody(services, { tenantId, signal }, body, job_id);
  const { source_lang: sourceLang, target_lang: targetLang, source_text: source } = job.request;
  requireLanguages(file, { sourceLang, targetLang });
  const [unit, ...others] = file.units;
  const odd = unit?.id === unitOfJob ? others[0] : unit;
  if (odd) throw unitError('unprocessable', odd, 'the job does not have this unit');
  if (!unit?.target) return job;
  const codes = codedTexts(job);
  const ofUnit = originalText(withKnownData(unit, unit.source, codes.source));
  const seen = readVersion(requireVersion(unit, { ofUnit, present: source }));
  const text = textOf(unit, withKnownData(unit, unit.target, [...codes.source, ...(codes.target ?? [])]));
  const action = asked ?? (unit.state === 'reviewed' || unit.state === 'final' ? 'approve' : 'save');
  const isPresent = text === job.final_translation;
  if (asked === undefined && action === 'save' && (isPresent || textVersion(text) === seen.text)) return job;
  // The request was sent again after an interruption: the review is already applied.
  if (action === 'approve' && isPresent && isPublished(job)) return job;
  try {
    const review = { action, reviewer, notes, final_translation: text };
    return await reviewJob(services, withTenant, origin, job_id, review, { seen: seen.updatedAt });
  } catch (error) {
    if (!(error instanceof JobChanged)) throw error;
    throw unitError('conflict', unit, `${error.message}; export it again, then repeat the change`);
  }
}

/**
 * Returns the content with the data of the source's codes. The codes are identified by ID, because a tool may have
 * dropped their data.
 * @throws AppError 422 for an unknown code without data
 */
function withKnownData(unit: ReadUnit, content: XliffContent, codes: XliffContent): XliffContent {
  const known = new Map(codes.flatMap((item) => (typeof item === 'string' ? [] : [[item.id, item.data]])));
  return content.map((item) => {
    if (typeof item === 'string' || item.data !== '') return item;
    const data = known.get(item.id);
    if (data !== undefined) return { ...item, data };
    const id = JSON.stringify(item.id.slice(0, 100));
    throw unitError('unprocessable', unit, `its inline code ${id} has no data and was not in the export`);
  });
}

/** @throws AppError 422 for a text that a review cannot publish */
function textOf(unit: ReadUnit, target: XliffContent): string {
  const text = originalText(target);
  const { error } = reviewInput.shape.final_translation.safeParse(text);
  if (error) throw unitError('unprocessable', unit, `its target ${error.issues[0]?.message ?? 'is invalid'}`);
  return text;
}
