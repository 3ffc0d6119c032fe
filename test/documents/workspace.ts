import { beforeEach, expect } from 'vitest';
import { runDocument } from '#server/documents/run-document.ts';
import type { Engine, TranslationTask } from '#server/platform/engines/engine.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { documentForm, type Fields, type Headers } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { answerOf, openWorkspace } from '#test/translations/workspace.ts';
import { viaRpc } from '../contract/call.ts';

export const PATH = '/api/documents';

/** An engine that translates a text to `fr of …` and records its tasks. A test may replace `reply`. */
export interface RecordingEngine extends Engine {
  asked: TranslationTask[];
  /** The texts of all tasks, in order. */
  texts(): string[];
  reply: (task: TranslationTask, signal: AbortSignal | undefined) => Promise<string[]> | string[];
  /** Deletes the recorded tasks, and restores the default replies. */
  reset(): void;
}

export function recordingEngine(overrides: Partial<Engine> = {}): RecordingEngine {
  const byDefault: RecordingEngine['reply'] = ({ segments, targetLang }) =>
    segments.map((segment) => `${targetLang} of ${segment}`);
  const engine: RecordingEngine = {
    asked: [],
    texts: () => engine.asked.flatMap(({ segments }) => segments),
    reply: byDefault,
    reset() {
      engine.asked.length = 0;
      engine.reply = byDefault;
    },
    ...engineOf(async (task, { signal }) => {
      engine.asked.push(task);
      return answered(await engine.reply(task, signal), 10);
    }, overrides),
  };
  return engine;
}

/**
 * Lets a test stop the application's process: `stop` begins the drain, and `restore` replaces the process by a running
 * one.
 */
export function stoppable(app: TestApp) {
  const { backgroundWork } = app.services;
  const stopping = new AbortController();
  Object.assign(app.services, { backgroundWork: { ...backgroundWork, stopping: stopping.signal } });
  return {
    stop: () => stopping.abort(),
    restore: () => void Object.assign(app.services, { backgroundWork }),
  };
}

/** Creates a tenant, and functions that send its requests for documents; by default with its API key. */
export async function openDocuments(app: TestApp, fields?: Fields) {
  const workspace = await openWorkspace(app, fields);
  const { headers: key, tenantId } = workspace;
  const at = (id: string, rest = '') => `${PATH}/${id}${rest}`;
  const get = (path: string, as: Headers = key) => app.json('GET', path, { headers: as });

  /** Sends a form with two texts to translate into French, unless `form` contains other fields. */
  const send = (form: Fields = {}, headers: Headers = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(documentForm(form)))
      if (value !== undefined) body.append(name, value as Blob);
    return answerOf(
      app.request(`${PATH}/translate`, { method: 'POST', headers: { ...key, ...headers }, body }),
    );
  };
  const read = async (id: string, as: Headers = key) => {
    const { status, body } = await get(at(id), as);
    expect(status).toBe(200);
    return body;
  };
  const segments = async (id: string, query = '') => {
    const { status, body } = await get(at(id, `/segments${query}`));
    expect([status, body.detail]).toEqual([200, undefined]);
    return body;
  };
  const review = (id: string, body: Fields, headers: Headers = key) =>
    app.json('POST', at(id, '/review'), { headers, body });
  return {
    ...workspace,
    send,
    /** Queues a document with these cells. */
    async queue(cells: (string | number)[] = ['Hello'], form: Fields = {}): Promise<string> {
      const { status, body } = await send({ source_document: workbookFile(cells), ...form });
      expect([status, body.detail]).toEqual([202, undefined]);
      return body.id;
    },
    /** Translates a document with these cells. */
    async translate(cells: (string | number)[] = ['Hello'], form: Fields = {}) {
      const { status, body } = await send({ source_document: workbookFile(cells), wait: 'true', ...form });
      expect([status, body.detail]).toEqual([200, undefined]);
      return body;
    },
    /** Runs the job of a queued document once, like a worker. */
    run: (id: string) => runDocument(app.services, tenantId, id),
    read,
    /** Calls procedures that are only served over /trpc. */
    query: (name: string, input: Fields, as: Headers = key) =>
      viaRpc(app, { path: `documents.${name}`, type: 'query' }, { input, headers: as }),
    /** For a rejected call, the body is the complete error that /trpc returns. */
    async mutate(name: string, input: Fields, as: Headers = key) {
      const { status, body } = await app.json('POST', `/trpc/documents.${name}`, {
        headers: as,
        body: { json: input },
      });
      return { status, body: body.result ? body.result.data.json : body.error.json.data };
    },
    listDocuments: (query = '') => get(`${PATH}${query}`),
    segments,
    /** The translations of all segments, in reading order. */
    targets: async (id: string) =>
      (await segments(id, '?limit=500')).segments.map((one: { target_text: string }) => one.target_text),
    artifacts: async (id: string) => (await get(at(id, '/artifacts'))).body,
    download: (id: string, as: Headers = key) => app.request(at(id, '/download'), { headers: as }),
    reviewDocument: review,
    /** Corrects cells of the first sheet by their references. */
    async correct(id: string, texts: Record<string, string>, fields: Fields = {}, headers: Headers = key) {
      const { region_id } = (await segments(id)).segments[0];
      const corrections = Object.entries(texts).map(([cell_id, target_text]) => ({
        region_id,
        cell_id,
        target_text,
      }));
      return review(id, { corrections, ...fields }, headers);
    },
    approve: (id: string, body: Fields = { reviewer: 'Rev' }, headers: Headers = key) =>
      app.json('POST', at(id, '/approve'), { headers, body }),
    removeDocument: (id: string, headers: Headers = workspace.admin) =>
      app.json('DELETE', at(id), { headers }),
    summary: (query = '', as: Headers = key) => get(`${PATH}/summary${query}`, as),
    /** The stored row of a document. */
    async row(id: string) {
      const [row] = await openSuperuser(app.superuserUrl)`
        select * from document_jobs where document_id = ${id}`;
      return row as Record<string, unknown>;
    },
    /** Changes fields of the stored row. */
    change: (id: string, fields: Fields) =>
      openSuperuser(app.superuserUrl)`
        update document_jobs set ${openSuperuser(app.superuserUrl)(fields)} where document_id = ${id}`,
    records: async () => [
      ...(await openSuperuser(app.superuserUrl)`
        select * from usage_records where tenant_id = ${tenantId} order by recorded_at`),
    ],
  };
}

export type Documents = Awaited<ReturnType<typeof openDocuments>>;

/** For each test, creates a tenant and deletes the engine's recorded data. */
export function useDocuments(app: TestApp, engine?: RecordingEngine): Documents {
  const mine = {} as Documents;
  beforeEach(async () => {
    engine?.reset();
    Object.assign(mine, await openDocuments(app));
  });
  return mine;
}

/** Runs `work` while nothing can be added to the TM. */
export async function withBrokenMemory<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`alter table memory_segments add constraint broken check (target_text = '') not valid`;
  try {
    return await work();
  } finally {
    await sql`alter table memory_segments drop constraint broken`;
  }
}

/** A recording engine. Texts with "doubtful" have a score below the threshold. */
export const doubtingEngine = () =>
  recordingEngine({
    assessEach: async ({ segments }) =>
      answered(
        segments.map((text) => ({
          score: text.includes('doubtful') ? 40 : 92,
          issues: [],
          summary: 'judged',
        })),
      ),
  });
