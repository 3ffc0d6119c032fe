import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { workbook } from '#test/factories/workbook.ts';
import { paragraph, run, wordFile } from '#test/formats/docx-file.ts';
import type { Signup } from '#test/setup/app.ts';
import type { Queries } from './cluster.ts';
import type { Client } from './load.ts';

const PATH = '/api/documents';

const corpus = join(import.meta.dirname, '../corpus');
/** Small files of other programs. */
const realFiles = [
  'docx/tracked-changes.docx',
  'pdf/made-form-xobject-english.pdf',
  'docx/header-footer-fields.docx',
  'pdf/made-rotations-labels-links.pdf',
  'docx/form-footnotes-tables.docx',
];

/** Records the documents that clients have sent, and the responses. The responses must stay true after each kill. */
export class DocumentAnswers {
  /** The documents that were accepted, by ID, with their tenants. */
  readonly accepted = new Map<string, Signup>();
  /** The documents of which a client has received the status `translated`. */
  readonly translated = new Set<string>();
  /** The documents whose approval the service has confirmed. */
  readonly approved = new Set<string>();
  readonly deleting = new Set<string>();
  readonly deleted = new Set<string>();

  /** The latest document of a tenant that was not deleted. */
  newestOf(tenant: Signup): string | undefined {
    return [...this.accepted].filter(([id, owner]) => owner === tenant && !this.deleting.has(id)).at(-1)?.[0];
  }
}

/**
 * Sends a Word file or a workbook with some texts, or a file of the corpus, and an idempotency key. Half of the clients wait for the translation.
 * If a request has no response, it is repeated.
 * @returns the last status; 0 if there was no response
 */
export async function sendDocument(
  app: Client,
  answers: DocumentAnswers,
  tenant: Signup,
  { key, texts, isStopped }: { key: number; texts: string[]; isStopped: () => boolean },
): Promise<number> {
  const kinds = [
    () => new File([workbook(...texts)], 'Book.xlsx'),
    () =>
      new File([new Uint8Array(wordFile(texts.map((text) => paragraph(run(text))).join('')))], 'Text.docx'),
    async () => {
      const path = realFiles[key % realFiles.length] as string;
      return new File([await readFile(join(corpus, path))], path.replace(/.*\//, ''));
    },
  ];
  const file = await kinds[key % kinds.length]!();
  const headers = { ...tenant.headers, 'idempotency-key': `document-${key}` };
  for (let attempt = 0; ; attempt++) {
    const form = new FormData();
    form.set('target_lang', 'de');
    form.set('wait', String(key % 4 < 2));
    form.set('source_document', file);
    const response = await app
      .request(`${PATH}/translate`, { method: 'POST', headers, body: form })
      .catch(() => undefined);
    const body = await response?.json().catch(() => undefined);
    if (response && (response.status === 200 || response.status === 202)) {
      const { id, status } = body as { id: string; status: string };
      answers.accepted.set(id, tenant);
      if (status === 'translated') answers.translated.add(id);
    }
    if (body !== undefined && response!.status < 500) return response!.status;
    if (attempt === 20 || isStopped()) return response?.status ?? 0;
    await delay(200);
  }
}

/** Downloads a translated document. */
export async function downloadDocument(
  app: Client,
  answers: DocumentAnswers,
  tenant: Signup,
): Promise<number> {
  const id = answers.newestOf(tenant);
  if (!id) return 0;
  const response = await app.request(`${PATH}/${id}/download`, { headers: tenant.headers });
  await response.arrayBuffer();
  return response.status;
}

/** Approves a document, which writes a golden record. */
export async function approveDocument(
  app: Client,
  answers: DocumentAnswers,
  tenant: Signup,
): Promise<number> {
  const id = answers.newestOf(tenant);
  if (!id || !answers.translated.has(id)) return 0;
  const { status } = await app.json('POST', `${PATH}/${id}/approve`, {
    headers: tenant.headers,
    body: { reviewer: 'Rev' },
  });
  if (status === 200) answers.approved.add(id);
  return status;
}

/** Deletes a document in any state. */
export async function deleteDocument(app: Client, answers: DocumentAnswers, tenant: Signup): Promise<number> {
  const id = answers.newestOf(tenant);
  if (!id) return 0;
  answers.deleting.add(id);
  const headers = { authorization: `Bearer ${tenant.accessToken}` };
  const { status } = await app.json('DELETE', `${PATH}/${id}`, { headers });
  if (status === 200) answers.deleted.add(id);
  return status;
}

interface StoredDocument {
  document_id: string;
  status: string;
  failure: { code: string } | null;
  running: boolean;
  reserved_chars: number;
  records: number;
  untranslated: number;
  outputs: number;
  golden_uri: string | null;
}

/** The documents that are still queued or in progress. */
export const unfinishedDocuments = (cluster: Queries) =>
  cluster.query(
    (sql) =>
      sql`select document_id, status, stage from document_jobs where status in ('queued', 'extracted')`,
  );

/**
 * Verifies the documents after the load, and returns the errors. Each accepted document must exist and have ended. A
 * translated document must be complete, downloadable and billed once. A failed document must not be billed, and a
 * deleted document must be gone.
 */
export async function verifyDocuments(
  cluster: Queries,
  app: Client,
  answers: DocumentAnswers,
): Promise<string[]> {
  const wrong: string[] = [];
  const rows = await cluster.query(
    (sql) => sql<StoredDocument[]>`
      select d.document_id, d.status, d.failure, d.running, d.golden_uri, d.reserved_chars::int,
        (select count(*)::int from usage_records u where u.tenant_id = d.tenant_id and u.job_id = d.document_id) as records,
        (select count(*)::int from document_segments s where s.tenant_id = d.tenant_id
          and s.document_id = d.document_id and s.target is null) as untranslated,
        (select count(*)::int from document_artifacts a where a.tenant_id = d.tenant_id
          and a.document_id = d.document_id and a.kind = 'translated') as outputs
      from document_jobs d`,
  );
  const stored = new Map(rows.map((row) => [row.document_id, row]));
  for (const { document_id: id, ...row } of rows) {
    const isTranslated = row.status === 'translated';
    const expected = {
      running: false,
      reserved_chars: 0,
      records: Number(isTranslated),
      outputs: Number(isTranslated),
    };
    for (const [name, value] of Object.entries(expected))
      if (row[name as keyof typeof expected] !== value)
        wrong.push(`document ${id} is ${row.status} and has ${name} ${row[name as keyof typeof expected]}`);
    if (isTranslated && row.untranslated > 0)
      wrong.push(`document ${id} lacks ${row.untranslated} translations`);
    if (row.failure?.code === 'interrupted') wrong.push(`document ${id} was interrupted`);
  }
  for (const [id, { headers }] of answers.accepted) {
    const row = stored.get(id);
    if (answers.deleting.has(id)) continue;
    if (!row) wrong.push(`document ${id} is gone`);
    else if (answers.translated.has(id) && row.status !== 'translated')
      wrong.push(`document ${id} was translated and is ${row.status}`);
    else if (answers.approved.has(id) && row.golden_uri === null)
      wrong.push(`document ${id} was approved and has no record`);
    else if (row.status === 'translated') {
      const { status } = await app.request(`${PATH}/${id}/download`, { headers });
      if (status !== 200) wrong.push(`the download of document ${id} is ${status}`);
    }
  }
  for (const id of answers.deleted) if (stored.has(id)) wrong.push(`document ${id} was deleted and is there`);
  return wrong;
}
