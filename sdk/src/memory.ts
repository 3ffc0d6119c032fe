import type { Downloads } from './downloads.ts';
import { type ImportOptions, type ImportPoller, pollImport, storedAtOnce } from './import-poller.ts';
import { uploadImport } from './import-upload.ts';
import { type MemoryExport, memoryExport, tmxType } from './memory-export.ts';
import type { CallOptions, Settings } from './options.ts';
import type { Rest } from './rest.ts';
import type { Rpc } from './rpc.ts';
import type { Attempt, Call, Send } from './send.ts';
import type { SourceFile } from './source-file.ts';
import type {
  GoldenMemoryQuery,
  MemoryImportRequest,
  TranslationMemoryImportJob,
  TranslationMemorySet,
} from './types.ts';

/** Translation memories: what was translated before, and is served again where a text repeats it. */
export interface Memory {
  /**
   * Creates a memory from a TMX file, or replaces the one of this name, whole or not at all. It resolves as soon as the
   * service has read and accepted the file: up to 5,000 segments are stored by then, more of them in the background. What is
   * wrong with the file is thrown here at either size; ConflictError where an import of this name runs (`imports` tells
   * its id).
   *
   * The call has no idempotency key. After a lost answer it looks for an import of the name and languages that was not there
   * before, and goes on with that; there being none it sends the file again, which comes to the same memory. Who imports
   * under one name from two processes at once may so be answered the other's import.
   */
  importTmx(file: SourceFile, request: MemoryImportRequest, options?: ImportOptions): Promise<ImportPoller>;
  /** Goes on waiting for an import, by its id, in whichever process; NotFoundError where there is none. */
  resumeImport(importId: string, options?: ImportOptions): Promise<ImportPoller>;
  /** All memories. */
  list(options?: CallOptions): Promise<TranslationMemorySet[]>;
  /** The newest 50 imports that went on in the background, newest first. */
  imports(options?: CallOptions): Promise<TranslationMemoryImportJob[]>;
  /** Such an import as it stands; NotFoundError where there is none. */
  getImport(importId: string, options?: CallOptions): Promise<TranslationMemoryImportJob>;
  /**
   * Deletes a memory, one of approved translations too; NotFoundError where there is none, ConflictError while an import into
   * it runs. Sent again only where the service certainly did nothing.
   */
  delete(setId: string, options?: CallOptions): Promise<void>;
  /**
   * A memory as TMX 1.4b; NotFoundError where there is none, or nothing in it. What fails before the first piece is tried
   * again; nothing after it.
   */
  export(setId: string, options?: CallOptions): Promise<MemoryExport>;
  /** The approved translations of two languages in the same way; NotFoundError where nothing was approved yet. */
  exportGolden(query: GoldenMemoryQuery, options?: CallOptions): Promise<MemoryExport>;
}

const listCall: Call = { name: 'memory.list', repeatable: true };
const importsCall: Call = { name: 'memory.imports', repeatable: true };
const getImportCall: Call = { name: 'memory.getImport', repeatable: true };
const resumeCall: Call = { name: 'memory.resumeImport', repeatable: true };
/** Not repeatable: the second one would return 404, as if there had been nothing to delete. */
const deleteCall: Call = { name: 'memory.delete', repeatable: false };
const exportCall: Call = { name: 'memory.export', repeatable: true };
const exportGoldenCall: Call = { name: 'memory.exportGolden', repeatable: true };

/** Maximum milliseconds of one poll of an import. A poll translates nothing, and the next one follows soon. */
const longestLook = 30_000;

export function memory(
  rpc: Rpc,
  rest: Rest,
  send: Send,
  downloads: Downloads,
  settings: Pick<Settings, 'timeoutMs'>,
): Memory {
  const { delete: remove, getImport, list, listImports } = rpc.memory;
  const upload = uploadImport(rpc, rest, send);

  const read = (call: Call, importId: string, options: CallOptions | undefined) => {
    const ask = async (attempt: Attempt) => (await getImport.query({ job_id: importId }, attempt)).job;
    return send(call, ask, options);
  };
  const poll = (first: TranslationMemoryImportJob, options: ImportOptions = {}) => {
    const { timeoutMs = settings.timeoutMs, signal, requestId } = options;
    const patience = { signal, requestId, timeoutMs: Math.min(timeoutMs, longestLook), maxRetries: 0 };
    return pollImport(first, () => read(resumeCall, first.id, patience), options);
  };

  return {
    async importTmx(file, request, options) {
      const imported = await upload(file, request, options);
      return 'set' in imported ? storedAtOnce(imported.set) : poll(imported.job, options);
    },
    resumeImport: async (importId, options) => poll(await read(resumeCall, importId, options), options),
    list: (options) => send(listCall, (attempt) => list.query(undefined, attempt), options),
    imports: (options) => send(importsCall, (attempt) => listImports.query(undefined, attempt), options),
    getImport: (importId, options) => read(getImportCall, importId, options),
    async delete(setId, options) {
      await send(deleteCall, (attempt) => remove.mutate({ set_id: setId }, attempt), options);
    },
    async export(setId, options) {
      const request = { method: 'GET', path: `/api/tm/${encodeURIComponent(setId)}/export` } as const;
      const opened = await downloads.open(exportCall, request, tmxType, options);
      return memoryExport(opened, exportCall.name, 'memory.tmx');
    },
    async exportGolden({ source_lang, target_lang }, options) {
      const query = new URLSearchParams({ source_lang, target_lang });
      const request = { method: 'GET', path: `/api/tm/export/golden?${query}` } as const;
      const opened = await downloads.open(exportGoldenCall, request, tmxType, options);
      return memoryExport(opened, exportGoldenCall.name, 'golden-approved.tmx');
    },
  };
}
