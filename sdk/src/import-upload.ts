import { errorOfResponse, FailedResponse } from './failed-response.ts';
import type { CallOptions } from './options.ts';
import type { Rest } from './rest.ts';
import type { Rpc } from './rpc.ts';
import type { Attempt, Call, Send } from './send.ts';
import { formFields, formRequest, type SourceFile } from './source-file.ts';
import type { MemoryImportRequest, TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';

/** What the service made of a file: a set at once, or an import in the background. */
export type Imported = { set: TranslationMemorySet } | { job: TranslationMemoryImportJob };

/** The same file under the same name is the same set; what a second one could spoil, `uploadImport` looks after. */
const importCall: Call = { name: 'memory.importTmx', repeatable: true };

/**
 * Sends a TMX file. Where an answer is lost, the next attempt first looks for the import that it may have been about: one of
 * the name and languages that was not listed when the call began. There being none, the file is sent again; where the first
 * sending then proves to be at work all the same (409), its import is looked for once more.
 */
export function uploadImport(rpc: Rpc, rest: Rest, send: Send) {
  const list = (attempt: Attempt) => rpc.memory.listImports.query(undefined, attempt);

  return async (
    file: SourceFile,
    { name, source_lang, target_lang }: MemoryImportRequest,
    options: CallOptions | undefined,
  ): Promise<Imported> => {
    const fields = formFields({ name, source_lang, target_lang });
    const upload = await formRequest('/api/tm', fields, 'tmx_file', file, { '.tmx': 'application/xml' });
    let before: ReadonlySet<string> | undefined;
    let sent = false;
    const begunSince = (jobs: TranslationMemoryImportJob[]) =>
      jobs.find(
        (job) =>
          before?.has(job.id) === false &&
          // As the service keeps them.
          job.set_name === name.trim() &&
          job.source_lang === source_lang.trim() &&
          job.target_lang === target_lang.trim(),
      );

    const attemptOnce = async (attempt: Attempt): Promise<Imported> => {
      const jobs = await list(attempt);
      const lost = begunSince(jobs);
      if (lost) return { job: lost };
      before ??= new Set(jobs.map(({ id }) => id));
      const again = sent;
      sent = true;
      try {
        return await rest.result(upload, readImported, attempt);
      } catch (thrown) {
        const found = again && isInProgress(thrown) ? begunSince(await list(attempt)) : undefined;
        if (!found) throw thrown;
        return { job: found };
      }
    };
    return send(importCall, attemptOnce, options);
  };
}

function readImported(status: number, body: unknown): Imported | undefined {
  // Of the service's own: more than the ids is not looked at, as in every other answer.
  const { id, job } = (body ?? {}) as { id?: unknown; job?: { id?: unknown } };
  if (status === 200 && typeof id === 'string') return { set: body as TranslationMemorySet };
  if (status === 202 && typeof job?.id === 'string') return { job: job as TranslationMemoryImportJob };
  return undefined;
}

function isInProgress(thrown: unknown): boolean {
  if (!(thrown instanceof FailedResponse) || thrown.status !== 409) return false;
  const { detail } = errorOfResponse(thrown);
  return typeof detail === 'string' && detail.startsWith('tm_import_in_progress');
}
