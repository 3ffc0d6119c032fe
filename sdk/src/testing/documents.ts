import { documentTypes } from '../document-types.ts';
import type { TenantDocumentJob } from '../types.ts';
import {
  answer,
  asksForEstimate,
  type DoubleRequest,
  estimateAnswer,
  fileAnswer,
  isSession,
  newId,
  noPart,
  pageAnswer,
  passesFilter,
  Refused,
  requireField,
  requireLanguage,
  requireWithin,
} from './answers.ts';
import { createKeyedJobs, type KeyedJobs } from './keyed-jobs.ts';

/** The documents of a mock. */
export interface Documents {
  /** Responds to a request below /api/documents. @param rest the segments of the path after `/api/documents` */
  answer(request: DoubleRequest, rest: readonly string[]): Promise<Response>;
}

/** Document jobs, each with the bytes of its source file. */
type Jobs = KeyedJobs<TenantDocumentJob, Uint8Array>;

/** The formats whose names differ from the extension. */
const formatNames: Readonly<Record<string, string>> = { arb: 'json', yml: 'yaml', pot: 'po' };

/**
 * Creates documents that are translated while they are polled: each poll moves a document on, from queued to
 * extracted to translated. The file itself does not change, because the mock reads no file formats.
 */
export function createDocuments(): Documents {
  const jobs: Jobs = createKeyedJobs(() => {
    throw new Refused(404, 'document job not found', 'not_found');
  });
  return {
    async answer(request, [id, what]) {
      const { method, query } = request;
      switch (
        `${method} ${id === undefined || id === 'translate' ? (id ?? '') : 'one'}${what ? ` ${what}` : ''}`
      ) {
        case 'POST translate':
          return translate(jobs, request);
        case 'GET ':
          return pageAnswer(
            jobs.all().filter(({ value }) => passesFilter(value, query)),
            query,
          );
        case 'GET one':
          return look(jobs, id);
        case 'GET one artifacts':
          return answer(200, jobs.find(id).value.artifacts);
        case 'GET one download':
          return download(jobs, id);
        case 'POST one approve':
          return approve(jobs, id, request);
        default:
          throw noPart(request);
      }
    },
  };
}

async function translate(jobs: Jobs, { body, headers }: DoubleRequest): Promise<Response> {
  const fields = (body ?? {}) as Record<string, unknown>;
  const key = headers['idempotency-key'] ?? null;
  const file = fields['source_document'];
  if (!(file instanceof File))
    throw new Refused(400, 'source_document upload is required', 'validation_error');
  if (file.size === 0) throw new Refused(400, 'source_document is empty', 'validation_error');
  const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  const format = formatNames[extension] ?? extension;
  const type = documentTypes[`.${extension}`];
  if (type === undefined)
    throw new Refused(
      415,
      `unsupported source_document type; accepted: ${Object.keys(documentTypes).join(', ')}`,
    );
  const target_lang = requireLanguage('target_lang', requireField(fields, 'target_lang'));
  const source_lang = requireLanguage('source_lang', (fields['source_lang'] as string | undefined) ?? 'en');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const source = await sourceOf(bytes, type);
  // The mock reads no file formats: it counts bytes.
  if (asksForEstimate(fields))
    return estimateAnswer([new TextDecoder().decode(bytes)], { characters: file.size, source_lang });
  requireWithin(fields, file.size);
  const { source_document: _, wait: __, dry_run: ___, max_characters: ____, ...asked } = fields;
  const name = JSON.stringify([Object.entries(asked).toSorted(), source.sha256]);
  const known = jobs.ofKey(key, name);
  if (known)
    return answer(known.job.status === 'translated' ? 200 : 202, known.job, {
      'idempotency-replayed': 'true',
      ...(known.differs && { 'idempotency-request-differs': 'true' }),
    });
  const request = { ...fields, source_lang, target_lang, idempotency_key: key };
  const job = documentOf(file.name, format, source, request);
  const now = fields['wait'] === 'true';
  return answer(now ? 200 : 202, jobs.add(now ? translated(job) : job, bytes, key, name));
}

/** Responds to a poll, and moves the document to its next state. */
function look(jobs: Jobs, id: string | undefined): Response {
  const { value } = jobs.find(id);
  const progress = { stage: 'map_translate', translated_segments: 1, total_segments: 2 } as const;
  if (value.status === 'queued') jobs.change({ ...value, status: 'extracted', progress });
  else if (value.status === 'extracted') jobs.change(translated(value));
  return answer(200, jobs.find(id).value);
}

function download(jobs: Jobs, id: string | undefined): Response {
  const { value, content: bytes } = jobs.find(id);
  if (value.status !== 'translated')
    throw new Refused(409, 'document translation is still in progress', 'conflict');
  const { request, source_file_name: name, source_format: format } = value;
  const suggested = name.replace(/(\.[^.]*)?$/, `.${request.target_lang}$1`);
  return fileAnswer(bytes, documentTypes[`.${format}`] ?? '', name, suggested);
}

function approve(jobs: Jobs, id: string | undefined, request: DoubleRequest): Response {
  const { value } = jobs.find(id);
  if (value.status !== 'translated')
    throw new Refused(
      400,
      `document job ${value.id} is not in a completed state (status=${value.status})`,
      'validation_error',
    );
  const said = (request.body as { reviewer?: string | null } | undefined)?.reviewer?.trim();
  const reviewer = isSession(request) ? 'the test double' : said;
  if (!reviewer)
    throw new Refused(
      400,
      'reviewer could not be determined: sign in or supply a reviewer',
      'validation_error',
    );
  const already_approved = value.approved_at !== null;
  const approved_by = value.approved_by ?? reviewer;
  if (!already_approved) jobs.change({ ...value, approved_at: new Date().toISOString(), approved_by });
  const skipped = { fast_path: 0, needs_review: 0, duplicates: 0, empty: 0 };
  const approval_result = {
    approved: true,
    already_approved,
    reviewer: approved_by,
    fed_pairs: 0,
    skipped,
    feed_error: null,
  };
  return answer(200, { job: jobs.find(id).value, approval_result });
}

type Artifact = TenantDocumentJob['artifacts'][number];

async function sourceOf(bytes: Uint8Array<ArrayBuffer>, content_type: string): Promise<Artifact> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return {
    id: newId(),
    kind: 'source',
    revision: 1,
    content_type,
    size_bytes: bytes.length,
    sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    created_at: new Date().toISOString(),
  };
}

/** Returns the document in its translated state. The translated file is equal to the source file. */
function translated(job: TenantDocumentJob): TenantDocumentJob {
  const made = { id: newId(), kind: 'translated', created_at: new Date().toISOString() } as const;
  const artifacts = [...job.artifacts, ...job.artifacts.map((source) => ({ ...source, ...made }))];
  return { ...job, status: 'translated', progress: null, artifacts };
}

/** Returns the fields that select what is translated, as the service stores them. */
function selectionOf({ pages, include, output }: Record<string, unknown>): Record<string, unknown> {
  const list = (field: unknown) =>
    `${field}`.startsWith('[') ? JSON.parse(`${field}`) : `${field}`.split(',').map((one) => one.trim());
  return {
    ...(pages ? { pages: list(pages) } : {}),
    ...(include ? { include: list(include) } : {}),
    ...(output && output !== 'translated' ? { output } : {}),
  };
}

function documentOf(
  fileName: string,
  format: string,
  source: Artifact,
  request: Record<string, unknown>,
): TenantDocumentJob {
  const at = new Date().toISOString();
  const text = (name: string) => (request[name] as string | undefined) ?? null;
  return {
    id: newId(),
    tenant_id: 'double',
    request: {
      source_lang: text('source_lang') ?? 'en',
      target_lang: text('target_lang') ?? '',
      domain: text('domain'),
      idempotency_key: text('idempotency_key'),
      metadata: {},
      text_type: text('text_type') as TenantDocumentJob['request']['text_type'],
      tone: text('tone'),
      gender: text('gender'),
      ...selectionOf(request),
    },
    status: 'queued',
    source_file_name: fileName,
    source_format: format as TenantDocumentJob['source_format'],
    layout: null,
    quality_report: null,
    billable_chars: 0,
    review_history: [],
    artifacts: [source],
    approved_at: null,
    approved_by: null,
    changed_since_approval: null,
    awaits_approval: false,
    approved_via: null,
    feed_manifest: { fed_pairs: [], skipped: {}, golden_skipped_at_cap: 0, last_feed_error: null },
    error: null,
    failure: null,
    warnings: [],
    created_at: at,
    updated_at: at,
    progress: { stage: 'ingest', translated_segments: 0, total_segments: 0 },
    waiting: null,
  };
}
