import { type Answered, type ApiPromise, afterwards } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { errorOfResponse, FailedResponse } from './failed-response.ts';
import type { UploadOptions } from './options.ts';
import type { Attempt, Call } from './send.ts';
import { formFields, formRequest, type SourceFile } from './source-file.ts';
import type { MemoryImportRequest, TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';

/** The result of an upload: a set immediately, or an import in the background. */
export type Imported = { set: TranslationMemorySet } | { job: TranslationMemoryImportJob };

/**
 * Repeatable, because the same file under the same name is the same set. `uploadImport` handles the cases in which a
 * second upload could do harm.
 */
const importCall: Call = { name: 'memory.importTmx', repeatable: true };

/**
 * Uploads a TMX file. If a response is lost, the next attempt first looks for the import that the lost one may have
 * started: one with the same name and languages that was not listed when the call began. If there is none, it sends the
 * file again. If that shows that the first upload is still in progress (409), it looks for the import once more.
 */
export function uploadImport({ rest, run }: Connection) {
  const list = (attempt: Attempt) => rest.json({ method: 'GET', path: '/api/tm/imports' }, attempt, readJobs);

  return (
    file: SourceFile,
    { name, source_lang, target_lang }: MemoryImportRequest,
    options: UploadOptions | undefined,
  ): ApiPromise<Imported> => {
    const fields = formFields({ name, source_lang, target_lang });
    const form = formRequest('/api/tm', fields, 'tmx_file', file, { '.tmx': 'application/xml' });
    let before: ReadonlySet<string> | undefined;
    let sent = false;
    const begunSince = async (attempt: Attempt): Promise<Answered<Imported> | undefined> => {
      const { data: jobs, response } = await list(attempt);
      const lost = jobs.find(
        (job) =>
          before?.has(job.id) === false &&
          // In the form in which the service stores them.
          job.set_name === name.trim() &&
          job.source_lang === source_lang.trim() &&
          job.target_lang === target_lang.trim(),
      );
      before ??= new Set(jobs.map(({ id }) => id));
      return lost && { data: { job: lost }, response };
    };

    return afterwards(form, (upload) =>
      run(
        importCall,
        async (attempt) => {
          const lost = await begunSince(attempt);
          if (lost) return lost;
          const again = sent;
          sent = true;
          try {
            const request = { ...upload, onUploadProgress: options?.onUploadProgress };
            return await rest.json(request, attempt, readImported);
          } catch (thrown) {
            const found = again && isInProgress(thrown) ? await begunSince(attempt) : undefined;
            if (!found) throw thrown;
            return found;
          }
        },
        options,
      ),
    );
  };
}

function readJobs(status: number, body: unknown): TranslationMemoryImportJob[] | undefined {
  return status === 200 && Array.isArray(body) ? body : undefined;
}

function readImported(status: number, body: unknown): Imported | undefined {
  // Check only the ids: like all other responses, this one comes from the service.
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
