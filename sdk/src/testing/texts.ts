import type { TranslationJob } from '../types.ts';
import {
  answer,
  asksForEstimate,
  type DoubleRequest,
  estimateAnswer,
  fileAnswer,
  isSession,
  misfit,
  newId,
  noPart,
  pageAnswer,
  passesFilter,
  Refused,
  requireWithin,
} from './answers.ts';
import { createKeyedJobs, type KeyedJobs } from './keyed-jobs.ts';
import { requestOf, type TextRequest, textsOfBatch, textsOfDocument, textsOfFile } from './requests.ts';

/** Returns the translation that the mock produces for a text. */
export type Translate = (text: string, sourceLang: string, targetLang: string) => string;

/** The texts of a mock, and their translation jobs. */
export interface Texts {
  /**
   * Responds to a request below /api/translations. @param rest the segments of the path after `/api/translations`:
   * the job's id, and the operation
   */
  answer(request: DoubleRequest, rest: readonly string[]): Promise<Response>;
}

/** Translation jobs, each with its machine translation. */
type Jobs = KeyedJobs<TranslationJob, string>;

const goldenTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

const reviewActions: readonly unknown[] = ['approve', 'modify', 'reject', 'save'];

/** @param needsReview whether a translation needs a human review before it is published */
export function createTexts(translate: Translate, needsReview: (job: TranslationJob) => boolean): Texts {
  const jobs: Jobs = createKeyedJobs(() => {
    throw new Refused(404, 'job not found', 'not_found');
  });

  /** Translates a text. If its idempotency key has been used before, returns the job of the key instead. */
  const create = (request: TextRequest, key: string | null) => {
    const requested = JSON.stringify(request);
    const known = jobs.ofKey(key, requested);
    if (known) return { ...known, replayed: true };
    const own = translate(request.source_text, request.source_lang, request.target_lang);
    const job = jobOf({ ...request, idempotency_key: key }, own);
    const made: TranslationJob = needsReview(job)
      ? { ...job, status: 'awaiting_review', published_text: null }
      : job;
    return { job: jobs.add(made, own, key, requested), replayed: false, differs: false };
  };

  /** @param first number of the first text in the idempotency keys */
  const createMany = (texts: TextRequest[], key: string | null, first: number, isAsync: boolean) => {
    const made = texts.map((request, n) => create(request, key === null ? null : `${key}:${first + n}`));
    const shown = made.map(({ job, replayed }) => (isAsync && !replayed ? pending(job) : job));
    return answer(
      shown.some(({ status }) => status === 'pending') ? 202 : 200,
      shown,
      keyHeaders(
        made.length > 0 && made.every(({ replayed }) => replayed),
        made.some(({ differs }) => differs),
      ),
    );
  };

  async function post(request: DoubleRequest): Promise<Response> {
    if (request.body === undefined) throw new Refused(400, 'invalid JSON body: empty');
    const { headers, query } = request;
    const isRaw = request.body instanceof Uint8Array;
    const fields = (isRaw ? query : (request.body ?? {})) as Record<string, unknown>;
    const given = fields['idempotency_key'] ?? headers['idempotency-key'];
    const key = typeof given === 'string' ? given : null;
    const isAsync = headers['prefer'] === 'respond-async';
    if (key === '') throw misfit(['body', 'idempotency_key'], 'must not be empty');
    /** Responds with the jobs of several texts, or with an estimate of them. */
    const respond = (texts: TextRequest[], first: number) => {
      if (asksForEstimate(fields)) return estimate(texts);
      requireWithin(fields, countOf(texts));
      return createMany(texts, key, first, isAsync);
    };
    if (Array.isArray(fields['inputs'])) return respond(textsOfBatch(fields['inputs']), 0);
    const file = isRaw ? rawFile(request) : fields['source_document'];
    if (file instanceof File) {
      if (!isRaw && /\.(pdf|docx|xlsx)$/i.test(file.name))
        throw noPart(request, ' with a file in its layout');
      return respond(await textsOfFile(file, fields), 1);
    }
    const said = (fields['metadata'] as Record<string, unknown> | undefined)?.['source_document'];
    if (typeof said === 'object' && said !== null) return respond(textsOfDocument(fields, said), 1);
    const text = requestOf(fields);
    if (asksForEstimate(fields)) return estimate([text]);
    requireWithin(fields, countOf([text]));
    const { job, replayed, differs } = create(text, key);
    if (isAsync && !replayed) return answer(202, pending(job), keyHeaders(replayed, differs));
    return answer(200, job, keyHeaders(replayed, differs));
  }

  return {
    async answer(request, [id, what]) {
      const { method, query } = request;
      switch (`${method}${id === undefined ? '' : ' job'}${what === undefined ? '' : ` ${what}`}`) {
        case 'POST':
          return post(request);
        case 'GET': {
          const wanted = jobs.all().filter(({ value }) => passesFilter(value, query));
          return pageAnswer(wanted, query);
        }
        case 'GET job':
          return answer(200, jobs.find(id).value);
        case 'DELETE job': {
          if (!isSession(request)) throw new Refused(401, 'admin credentials required');
          const { value } = jobs.find(id);
          jobs.remove(value.id);
          const counts = {
            records_removed: 1,
            artifacts_removed: 0,
            golden_records_deleted: 0,
            tm_pairs_removed: 0,
          };
          return answer(200, { deleted: true, job_id: value.id, ...counts });
        }
        case 'POST job review':
          return review(jobs, id, request);
        case 'GET job golden':
          return golden(jobs, id, query['format']);
        default:
          throw noPart(request);
      }
    },
  };
}

const countOf = (texts: TextRequest[]) =>
  texts.reduce((sum, { source_text }) => sum + [...source_text].length, 0);

function estimate(texts: TextRequest[]): Response {
  return estimateAnswer(
    texts.map(({ source_text }) => source_text),
    { characters: countOf(texts), source_lang: texts[0]?.source_lang ?? 'en' },
  );
}

function review(jobs: Jobs, id: string | undefined, { body }: DoubleRequest): Response {
  const { action, final_translation: text } = (body ?? {}) as {
    action: string;
    final_translation?: string | null;
  };
  if (!reviewActions.includes(action))
    throw misfit(['body', 'action'], `must be one of ${reviewActions.join(', ')}`);
  if (text?.trim() === '') throw misfit(['body', 'final_translation'], 'must not be blank');
  if (action === 'modify' && !text) throw misfit(['body', 'final_translation'], 'is required to modify');
  const { value: job, content: own } = jobs.find(id);
  if (job.status !== 'awaiting_review')
    throw new Refused(400, `job ${job.id} is not reviewable (status=${job.status})`, 'validation_error');
  const final_translation = text ?? job.final_translation ?? own;
  const next = (): TranslationJob => {
    if (action === 'reject') return { ...job, status: 'rejected' };
    if (action === 'save') return { ...job, final_translation };
    const isUnchanged = action === 'approve' && final_translation === own;
    const status = isUnchanged ? 'published' : 'human_edited';
    return { ...job, final_translation, published_text: final_translation, status };
  };
  return answer(200, jobs.change(next()));
}

function golden(jobs: Jobs, id: string | undefined, format = 'txt'): Response {
  const type = goldenTypes[format];
  if (type === undefined) throw misfit(['query', 'format'], 'must be one of txt, docx, pdf');
  const { value: job } = jobs.find(id);
  if (job.status !== 'published' && job.status !== 'human_edited') {
    const then = job.status === 'awaiting_review' ? '; review it first' : '';
    const detail = `the translation of job ${job.id} is not published (status=${job.status})${then}`;
    throw new Refused(409, detail, 'conflict');
  }
  return fileAnswer(job.final_translation ?? '', type, goldenName(job, format));
}

/** Returns a job as the response to an asynchronous request shows it. When it is read again, it has ended. */
function pending(job: TranslationJob): TranslationJob {
  const agent_run = { ...job.agent_run, status: 'pending' as const };
  const none = { baseline_translation: null, final_translation: null, published_text: null };
  return { ...job, ...none, status: 'pending', agent_run };
}

function keyHeaders(replayed: boolean, differs: boolean): Record<string, string> {
  return {
    ...(replayed && { 'idempotency-replayed': 'true' }),
    ...(differs && { 'idempotency-request-differs': 'true' }),
  };
}

/** Returns the file of a request whose whole body is the file. The file's name is in a header. */
function rawFile({ body, headers }: DoubleRequest): File {
  const name = decodeURIComponent(headers['x-source-filename'] ?? '');
  return new File([body as Uint8Array<ArrayBuffer>], name, { type: headers['content-type'] ?? '' });
}

/** Returns the file name for a published translation: the name of the source document, with page and language. */
function goldenName({ id, request }: TranslationJob, format: string): string {
  const { name, page_number, page_count } = (request.metadata['source_document'] ?? {}) as {
    name?: string;
    page_number?: number;
    page_count?: number;
  };
  const stem = name?.replace(/\.[A-Za-z0-9]{1,5}$/, '') || `translation-${id}`;
  const page = page_count !== undefined && page_count > 1 ? `-page-${page_number}` : '';
  return `${stem}${page}.${request.target_lang}.${format}`;
}

/** Returns a job in the state at the end of the pipeline. */
function jobOf(request: TranslationJob['request'], translation: string): TranslationJob {
  const at = new Date().toISOString();
  return {
    id: newId(),
    request,
    status: 'published',
    baseline_translation: translation,
    final_translation: translation,
    published_text: translation,
    quality_assessment: { score: 92, issues: [], summary: 'made by the test double' },
    refinement: null,
    verification: null,
    agent_run: { status: 'completed', steps: [], quality_gate: null, human_review_task: null, error: null },
    warnings: [],
    created_at: at,
    updated_at: at,
  };
}
