import { type Answered, type ApiPromise, afterwards } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { errorOfResponse, FailedResponse } from './failed-response.ts';
import type { UploadOptions } from './options.ts';
import type { Attempt, Call } from './send.ts';
import { formFields, formRequest, type SourceFile } from './source-file.ts';
import type { MemoryImportRequest, TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';

/** The result of an upload: the stored set, or an import that runs in the background. */
export type Imported = { set: TranslationMemorySet } | { job: TranslationMemoryImportJob };

/**
 * Repeatable, because uploading the same file under the same name again gives the same set. `uploadImport` handles
 * the cases in which a second upload could do harm.
 */
const importCall: Call = { name: 'memory.importTmx', repeatable: true };

/**
 * Uploads a TMX file. If the response is lost, the upload may have started an import. So the next attempt first
 * searches for an import with the same name and languages that was not listed when the call began. If it finds no
 * such import, it sends the file again. If the service responds with 409, the first upload is still in progress, and
 * the attempt searches once more.
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
          // Compare the name in the form in which the service stores it.
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
  // Check only that the ids are there; the rest of the response is trusted like that of other calls.
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
