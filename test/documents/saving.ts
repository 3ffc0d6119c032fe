import { extract } from '#server/formats/xlsx.ts';
import type { FileWork } from '#server/platform/sandbox/file-work.ts';
import type { Fields, Headers } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered } from '#test/setup/engine.ts';
import { tasks } from '#workers/tasks.ts';
import { type Documents, recordingEngine } from './workspace.ts';

/** An engine that finds a critical issue in texts with "wrong", and gives texts with "doubtful" a low score. */
export const criticalEngine = () =>
  recordingEngine({
    assessEach: async ({ segments }) =>
      answered(
        segments.map((text) => ({
          score: text.includes('doubtful') ? 40 : 92,
          issues: text.includes('wrong')
            ? [
                {
                  severity: 'critical' as const,
                  category: 'accuracy' as const,
                  span: null,
                  explanation: 'wrong',
                  suggestion: null,
                },
              ]
            : [],
          summary: '',
        })),
      ),
  });

/** A text of the request: its position, the translation that it replaces, and its own. */
export type Saved = [position: number, replaces: string | null, target_text: string, confirmed?: boolean];

/** Functions for reviewers who save segments, by default as the administrator. */
export function savingIn(app: TestApp, mine: Documents) {
  const sql = () => openSuperuser(app.superuserUrl);
  return {
    save: (document_id: string, texts: Saved[], fields: Fields = {}, as: Headers = mine.admin) =>
      mine.mutate(
        'save',
        {
          document_id,
          segments: texts.map(([position, replaces, target_text, confirmed]) => ({
            position,
            replaces,
            target_text,
            ...(confirmed !== undefined && { confirmed }),
          })),
          ...fields,
        },
        as,
      ),
    undo: (document_id: string, change_id: string, as: Headers = mine.admin) =>
      mine.mutate('undo', { document_id, change_id }, as),
    redo: (document_id: string, change_id: string, as: Headers = mine.admin) =>
      mine.mutate('redo', { document_id, change_id }, as),
    /** The events of a segment, latest first. */
    history: async (document_id: string, position = 0) =>
      (await mine.query('history', { document_id, position }, mine.admin)).body.events,
    /** The rows of a document's segments, with all columns that a review changes. */
    rows: async (id: string) => [
      ...(await sql()`
        select position, target, target_text, score, needs_review, issues, fast_path, provenance, corrected,
          pipeline_text, feed_pending, confirmed_at, confirmed_by
        from document_segments where document_id = ${id} order by position`),
    ],
    /** The changed segments that the document has, and that the latest file has. */
    edits: async (id: string) => {
      const { edits, rendered_edits } = await mine.row(id);
      return [edits, rendered_edits];
    },
    /** The queued rendering of a document, with the seconds until it runs. */
    queued: async (id: string) => {
      const rows = await sql()`
        select extract(epoch from run_at - now())::float8 as seconds from graphile_worker.jobs
        where key = ${`render_document:${id}`} and locked_at is null`;
      return rows.map(({ seconds }) => seconds as number);
    },
    /** Runs the queued rendering like a worker. */
    runQueued: (id: string) =>
      tasks.render_document.run(app.services, { tenantId: mine.tenantId, documentId: id }),
    /** The texts of the downloaded file. */
    async downloaded(id: string): Promise<string[]> {
      const response = await mine.download(id);
      const { segments } = await extract(new Uint8Array(await response.arrayBuffer()));
      return segments.map(({ source }) => source.join(''));
    },
    /** The translations that the document has added to the TM. */
    learned: async (id: string) =>
      (await sql()`select target_text from memory_segments where job_id = ${id} order by segment_no`).map(
        ({ target_text }) => target_text as string,
      ),
    /** Runs `work` while each rendering calls `happen` before its file is stored. */
    async duringRendering<T>(happen: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
      const { fileWork } = app.services;
      const run = async (...given: Parameters<FileWork['run']>) => {
        const result = await fileWork.run(...given);
        if (given[0] === 'rebuild_document') await happen();
        return result;
      };
      Object.assign(app.services, { fileWork: { ...fileWork, run } });
      try {
        return await work();
      } finally {
        Object.assign(app.services, { fileWork });
      }
    },
  };
}
