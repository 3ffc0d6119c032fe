import { type ApiPromise, mapAnswer } from './api-promise.ts';
import type { Connection } from './connection.ts';
import {
  type ImportOptions,
  type ImportPoller,
  pollImport,
  storedAtOnce,
  storedSetOf,
} from './import-poller.ts';
import { uploadImport } from './import-upload.ts';
import { type MemoryExport, memoryExport, tmxType } from './memory-export.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import { maxPollIntervalMs } from './polling.ts';
import type { Call } from './send.ts';
import type { SourceFile } from './source-file.ts';
import { NotFoundError } from './status-errors.ts';
import type {
  ConcordancePage,
  ConcordanceQuery,
  ConcordanceUnit,
  GoldenMemoryQuery,
  MemoryBrowseQuery,
  MemoryImportRequest,
  MemoryMatches,
  MemoryMatchRequest,
  MemoryUnit,
  MemoryUnitPage,
  SetListQuery,
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
  importTmx(
    file: SourceFile,
    request: MemoryImportRequest,
    options?: ImportOptions,
  ): ApiPromise<ImportPoller>;
  /**
   * Continues to wait for an import, by its id or by what its poller was written as (`toString`), in whichever process. NotFoundError if
   * there is none. A set that was stored at once is as `list` returns it: the counts of its import are in the first result alone.
   */
  resumeImport(written: string, options?: ImportOptions): ApiPromise<ImportPoller>;
  /** All memories, in one response. */
  list(options?: CallOptions): ApiPromise<TranslationMemorySet[]>;
  /** The same, last changed first, page after page as they are asked for. */
  sets(query?: SetListQuery, options?: CallOptions): List<TranslationMemorySet>;
  /** One page of `sets`. */
  setPage(query?: SetListQuery, options?: CallOptions): ApiPromise<Page<TranslationMemorySet>>;
  /** The latest 50 imports that went on in the background, latest first. */
  imports(options?: CallOptions): ApiPromise<TranslationMemoryImportJob[]>;
  /** Such an import as it stands; NotFoundError where there is none. */
  getImport(importId: string, options?: CallOptions): ApiPromise<TranslationMemoryImportJob>;
  /**
   * Deletes a memory, one of approved translations too; NotFoundError where there is none, ConflictError while an import into
   * it runs. Sent again only where the service certainly did nothing.
   */
  delete(setId: string, options?: CallOptions): ApiPromise<void>;
  /**
   * A memory as TMX 1.4b; NotFoundError where there is none, or nothing in it. What fails before the first piece is tried
   * again; nothing after it.
   */
  export(setId: string, options?: CallOptions): ApiPromise<MemoryExport>;
  /** The approved translations of two languages in the same way; NotFoundError where nothing was approved yet. */
  exportGolden(query: GoldenMemoryQuery, options?: CallOptions): ApiPromise<MemoryExport>;
  /** The units of a memory, or of all of them, page after page as they are asked for. */
  browse(query?: MemoryBrowseQuery, options?: CallOptions): List<MemoryUnit>;
  /** One page of `browse`. */
  browsePage(query?: MemoryBrowseQuery, options?: CallOptions): ApiPromise<Page<MemoryUnit>>;
  /** The units in which a text occurs, page after page as they are asked for. */
  concordance(query: ConcordanceQuery, options?: CallOptions): List<ConcordanceUnit>;
  /** One page of `concordance`. */
  concordancePage(query: ConcordanceQuery, options?: CallOptions): ApiPromise<Page<ConcordanceUnit>>;
  /** What the memories have for a text: the same one, and those close to it. */
  matches(request: MemoryMatchRequest, options?: CallOptions): ApiPromise<MemoryMatches>;
}

const listCall: Call = { name: 'memory.list', repeatable: true, result: ['length'] };
const setsCall: Call = { name: 'memory.sets', repeatable: true, result: ['length'] };
const importsCall: Call = { name: 'memory.imports', repeatable: true, result: ['length'] };
const getImportCall: Call = { name: 'memory.getImport', repeatable: true, result: ['job'] };
const resumeCall: Call = { name: 'memory.resumeImport', repeatable: true, result: ['job'] };
const resumeSetCall: Call = { name: 'memory.resumeImport', repeatable: true, result: ['length'] };
/** Not repeatable: the second one would return 404, as if there had been nothing to delete. */
const deleteCall: Call = { name: 'memory.delete', repeatable: false };
const exportCall: Call = { name: 'memory.export', repeatable: true };
const exportGoldenCall: Call = { name: 'memory.exportGolden', repeatable: true };

const browseCall: Call = { name: 'memory.browse', repeatable: true };
const concordanceCall: Call = { name: 'memory.concordance', repeatable: true };
const matchesCall: Call = { name: 'memory.matches', repeatable: true };

const path = '/api/tm';

export function memory(connection: Connection): Memory {
  const { done, downloads, json, mutate, query, settings } = connection;
  const upload = uploadImport(connection);

  const read = (call: Call, importId: string, options: CallOptions | undefined) => {
    const at = `${path}/imports/${encodeURIComponent(importId)}`;
    const answer = json<{ job: TranslationMemoryImportJob }>(call, { method: 'GET', path: at }, options);
    return mapAnswer(answer, ({ job }) => job);
  };
  const poll = (first: TranslationMemoryImportJob, options: ImportOptions = {}) => {
    const { timeout = settings.timeout, requestId, headers } = options;
    const patience = { requestId, headers, timeout: Math.min(timeout, maxPollIntervalMs), maxRetries: 0 };
    return pollImport(first, (signal) => read(resumeCall, first.id, { ...patience, signal }), options);
  };
  const findStored = (setId: string, options: ImportOptions | undefined) =>
    mapAnswer(json<TranslationMemorySet[]>(resumeSetCall, { method: 'GET', path }, options), (sets) => {
      const set = sets.find(({ id }) => id === setId);
      if (set) return storedAtOnce(set);
      throw new NotFoundError({ status: 404, detail: 'translation memory set not found' });
    });
  const sets = createListing<SetListQuery, TranslationMemorySet[], TranslationMemorySet, CallOptions>(
    (wanted, options) => json(setsCall, { method: 'GET', path, query: wanted }, options),
    (page) => page,
  );
  const units = createListing<MemoryBrowseQuery, MemoryUnitPage, MemoryUnit, CallOptions>(
    (wanted, options) => query(browseCall, wanted ?? {}, options),
    (page) => page.units,
    (page) => page.next_cursor,
  );
  const occurrences = createListing<ConcordanceQuery, ConcordancePage, ConcordanceUnit, CallOptions>(
    (wanted, options) => query(concordanceCall, wanted ?? {}, options),
    (page) => page.units,
    (page) => page.next_cursor,
  );

  return {
    importTmx: (file, request, options) =>
      mapAnswer(upload(file, request, options), (imported) =>
        'set' in imported ? storedAtOnce(imported.set) : poll(imported.job, options),
      ),
    resumeImport(written, options) {
      const stored = storedSetOf(written);
      if (stored !== undefined) return findStored(stored, options);
      return mapAnswer(read(resumeCall, written, options), (job) => poll(job, options));
    },
    list: (options) => json(listCall, { method: 'GET', path }, options),
    sets: sets.list,
    setPage: sets.listPage,
    imports: (options) => json(importsCall, { method: 'GET', path: `${path}/imports` }, options),
    getImport: (importId, options) => read(getImportCall, importId, options),
    delete: (setId, options) =>
      done(deleteCall, { method: 'DELETE', path: `${path}/${encodeURIComponent(setId)}` }, options),
    export(setId, options) {
      const request = { method: 'GET', path: `${path}/${encodeURIComponent(setId)}/export` } as const;
      return mapAnswer(downloads.open(exportCall, request, tmxType, options), (opened) =>
        memoryExport(opened, exportCall.name, 'memory.tmx'),
      );
    },
    exportGolden({ source_lang, target_lang }, options) {
      const request = {
        method: 'GET',
        path: `${path}/export/golden`,
        query: { source_lang, target_lang },
      } as const;
      return mapAnswer(downloads.open(exportGoldenCall, request, tmxType, options), (opened) =>
        memoryExport(opened, exportGoldenCall.name, 'golden-approved.tmx'),
      );
    },
    browse: units.list,
    browsePage: units.listPage,
    concordance: occurrences.list,
    concordancePage: occurrences.listPage,
    matches: (request, options) => mutate(matchesCall, request, options),
  };
}
