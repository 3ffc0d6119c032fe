import type { TranslationJob } from '../types.ts';
import {
  answer,
  type DoubleRequest,
  fileAnswer,
  newId,
  pageAnswer,
  Refused,
  requireText,
} from './answers.ts';

/** Translates a text as a double does. */
export type Translate = (text: string, sourceLang: string, targetLang: string) => string;

/** The texts of a double, and what became of them. */
export interface Texts {
  /** Answers a request below /api/translations. @param rest the path after that: the job's id, and what is asked of it */
  answer(request: DoubleRequest, rest: readonly string[]): Promise<Response>;
}

interface Kept {
  change: number;
  value: TranslationJob;
  /** The pipeline's own translation. */
  own: string;
}

/** Characters of a page of a file. */
const pageSize = 5_000;

/** @param needsReview whether a person must look at a translation before it is published */
export function createTexts(translate: Translate, needsReview: (job: TranslationJob) => boolean): Texts {
  const jobs = new Map<string, Kept>();
  const byKey = new Map<string, string>();
  let changes = 0;

  const keep = (job: TranslationJob, own: string) => {
    changes += 1;
    const updated_at = new Date().toISOString();
    jobs.set(job.id, { change: changes, value: { ...job, updated_at }, own });
  };
  const find = (id: string | undefined): Kept => {
    const found = jobs.get(id ?? '');
    if (!found) throw new Refused(404, 'job not found', 'not_found');
    return found;
  };

  /** Translates a text, unless its key has been used: then the job of that is the result. */
  const create = (fields: Record<string, unknown>, key: string | null) => {
    const known = jobs.get(byKey.get(key ?? '') ?? '');
    if (known) return { job: known.value, replayed: true };
    const source_text = requireText(fields, 'source_text');
    const target_lang = requireText(fields, 'target_lang');
    if (source_text.trim() === '')
      throw new Refused(400, 'source_text must not be blank', 'validation_error');
    const source_lang = (fields['source_lang'] as string | undefined) ?? 'en';
    const own = translate(source_text, source_lang, target_lang);
    const job = jobOf({ ...fields, source_text, source_lang, target_lang, idempotency_key: key }, own);
    const held = needsReview(job);
    keep({ ...job, status: held ? 'awaiting_review' : 'published' }, own);
    if (key !== null) byKey.set(key, job.id);
    return { job: find(job.id).value, replayed: false };
  };

  const createMany = (texts: Record<string, unknown>[], key: string | null) => {
    const made = texts.map((fields, n) => create(fields, key === null ? null : `${key}:${n + 1}`));
    return answer(
      200,
      made.map(({ job }) => job),
      replayHeader(made.length > 0 && made.every(({ replayed }) => replayed)),
    );
  };

  async function post({ body, headers }: DoubleRequest): Promise<Response> {
    const fields = (body ?? {}) as Record<string, unknown>;
    const given = fields['idempotency_key'] ?? headers['idempotency-key'];
    const key = typeof given === 'string' ? given : null;
    if (Array.isArray(fields['inputs'])) return createMany(textsOfBatch(fields['inputs']), key);
    const file = fields['source_document'];
    if (file instanceof Blob) return createMany(pagesOf(await file.text(), fields), key);
    const named = (fields['metadata'] as { source_document?: unknown } | undefined)?.source_document;
    if (named) return createMany(pagesOf(requireText(fields, 'source_text'), fields), key);
    const { job, replayed } = create(fields, key);
    return answer(200, job, replayHeader(replayed));
  }

  function review(id: string | undefined, { body }: DoubleRequest): Response {
    const { value: job, own } = find(id);
    const { action, final_translation: text } = body as { action: string; final_translation?: string | null };
    if (job.status !== 'awaiting_review')
      throw new Refused(400, `job ${job.id} is not reviewable (status=${job.status})`, 'validation_error');
    if (action === 'modify') requireText(body as Record<string, unknown>, 'final_translation');
    const final = text ?? job.final_translation ?? own;
    if (action === 'reject') keep({ ...job, status: 'rejected' }, own);
    else if (action === 'save') keep({ ...job, final_translation: final }, own);
    else
      keep(
        {
          ...job,
          final_translation: final,
          status: action === 'approve' && final === own ? 'published' : 'human_edited',
        },
        own,
      );
    return answer(200, find(id).value);
  }

  function golden(id: string | undefined, format = 'txt'): Response {
    const { value: job } = find(id);
    if (job.status !== 'published' && job.status !== 'human_edited')
      throw new Refused(409, `job ${job.id} is not published (status=${job.status})`, 'conflict');
    const name = `translation-${job.id}.${job.request.target_lang}.${format}`;
    return format === 'json'
      ? fileAnswer(JSON.stringify(job), 'application/json', name)
      : fileAnswer(job.final_translation ?? '', 'text/plain; charset=utf-8', name);
  }

  return {
    async answer(request, [id, what]) {
      const { method, query } = request;
      switch (`${method}${id === undefined ? '' : ' job'}${what === undefined ? '' : ` ${what}`}`) {
        case 'POST':
          return post(request);
        case 'GET': {
          const wanted = [...jobs.values()].filter(
            ({ value }) => query['status'] === undefined || value.status === query['status'],
          );
          return pageAnswer(wanted, query);
        }
        case 'GET job':
          return answer(200, find(id).value);
        case 'DELETE job': {
          const { value } = find(id);
          jobs.delete(value.id);
          const counts = {
            records_removed: 1,
            artifacts_removed: 0,
            golden_records_deleted: 0,
            tm_pairs_removed: 0,
          };
          return answer(200, { deleted: true, job_id: value.id, ...counts });
        }
        case 'POST job review':
          return review(id, request);
        case 'GET job golden':
          return golden(id, query['format']);
        default:
          throw new Refused(404, 'not found');
      }
    },
  };
}

function replayHeader(replayed: boolean): Record<string, string> {
  return replayed ? { 'idempotency-replayed': 'true' } : {};
}

function textsOfBatch(inputs: unknown[]): Record<string, unknown>[] {
  return (inputs as Record<string, unknown>[]).flatMap((input) =>
    ((input['Targets'] ?? []) as Record<string, unknown>[]).map((target) => ({
      source_text: input['Text'],
      source_lang: input['Language'] ?? undefined,
      target_lang: target['Language'],
    })),
  );
}

function pagesOf(text: string, fields: Record<string, unknown>): Record<string, unknown>[] {
  const { source_document: _, ...others } = fields;
  const starts = Array.from(
    { length: Math.max(1, Math.ceil(text.length / pageSize)) },
    (_, n) => n * pageSize,
  );
  return starts.map((start) => ({ ...others, source_text: text.slice(start, start + pageSize) }));
}

/** A job as the service has it at the end of the pipeline. */
function jobOf(request: Record<string, unknown>, translation: string): TranslationJob {
  const at = new Date().toISOString();
  const nothing = {
    domain: null,
    text_type: null,
    tone: null,
    gender: null,
    deployment_name: null,
    adaptive_dataset_id: null,
    allow_fallback: null,
  };
  const metadata = (request['metadata'] ?? {}) as Record<string, unknown>;
  return {
    id: newId(),
    request: { ...nothing, ...request, metadata } as TranslationJob['request'],
    status: 'published',
    baseline_translation: translation,
    final_translation: translation,
    quality_assessment: { score: 92, issues: [], summary: 'of the double' },
    refinement: null,
    verification: null,
    agent_run: { status: 'completed', steps: [], quality_gate: null, human_review_task: null, error: null },
    created_at: at,
    updated_at: at,
  };
}
