import type { CallOptions } from './options.ts';
import type { Rest } from './rest.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import { formFields, formRequest, type SourceFile } from './source-file.ts';
import type { TerminologySet, TerminologyUpload, UploadedTerminologySet } from './types.ts';

/** Glossaries: terms that a translation must use. */
export interface Terminology {
  /**
   * Creates a glossary from a CSV or TMX file, or replaces the one of this name, whole or not at all. BadRequestError names
   * the line that is wrong, UnprocessableContentError what does not fit; `warnings` say what may not be meant so. The same file under the same name is the same
   * glossary, so it is sent again like a read.
   */
  upload(
    file: SourceFile,
    request: TerminologyUpload,
    options?: CallOptions,
  ): Promise<UploadedTerminologySet>;
  /** All of them. */
  list(options?: CallOptions): Promise<TerminologySet[]>;
  /** Deletes one; NotFoundError where there is none. Sent again only where the service certainly did nothing. */
  delete(setId: string, options?: CallOptions): Promise<void>;
}

const uploadCall: Call = { name: 'terminology.upload', repeatable: true };
const listCall: Call = { name: 'terminology.list', repeatable: true };
/** Not repeatable: the second one would return 404, as if there had been nothing to delete. */
const deleteCall: Call = { name: 'terminology.delete', repeatable: false };

const types = { '.csv': 'text/csv', '.tmx': 'application/xml' };

export function terminology(rpc: Rpc, rest: Rest, send: Send): Terminology {
  const { list, delete: remove } = rpc.terminology;
  return {
    async upload(file, { name, source_lang, target_lang }, options) {
      const fields = formFields({ name, source_lang, target_lang });
      const upload = await formRequest('/api/terminology', fields, 'terminology_file', file, types);
      return send(uploadCall, (attempt) => rest.result(upload, readSet, attempt), options);
    },
    list: (options) => send(listCall, (attempt) => list.query(undefined, attempt), options),
    async delete(setId, options) {
      await send(deleteCall, (attempt) => remove.mutate({ set_id: setId }, attempt), options);
    },
  };
}

function readSet(status: number, body: unknown): UploadedTerminologySet | undefined {
  const { id } = (body ?? {}) as { id?: unknown };
  // The service's own: more than the id is not looked at, as in every other answer.
  return status === 200 && typeof id === 'string' ? (body as UploadedTerminologySet) : undefined;
}
