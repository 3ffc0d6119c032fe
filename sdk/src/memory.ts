import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import {
  type ImportOptions,
  type ImportPoller,
  pollImport,
  storedImmediately,
  storedSetOf,
} from './import-poller.ts';
import { uploadImport } from './import-upload.ts';
import { type MemoryEditing, memoryEditing } from './memory-editing.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import { maxPollIntervalMs } from './polling.ts';
import type { Call } from './send.ts';
import { encodedFile, type SourceFile } from './source-file.ts';
import { NotFoundError } from './status-errors.ts';
import { type MemoryExport, memoryExport, readToEnd, streamedFile, tmxType } from './streamed-file.ts';
import type {
  ConcordancePage,
  ConcordanceQuery,
  ConcordanceUnit,
  FileAlignment,
  GoldenMemoryQuery,
  MemoryAlignRequest,
  MemoryBrowseQuery,
  MemoryImportRequest,
  MemoryMatches,
  MemoryMatchRequest,
  MemoryPairsRequest,
  MemoryPairsResult,
  MemoryUnit,
  MemoryUnitPage,
  SetListQuery,
  TranslationMemoryImportJob,
  TranslationMemorySet,
} from './types.ts';

/** Translation memories (TMs): stored translations, which the service uses again for the same source text. */
export interface Memory extends MemoryEditing {
  /**
   * Creates a TM from a TMX file, or replaces the TM with the same name; if that fails, nothing changes. Resolves
   * with a poller as soon as the service has read and accepted the file. Up to 5,000 segments are stored by then;
   * larger files are stored in the background. Throws BadRequestError for an invalid file of any size, and
   * ConflictError while an import with this name is in progress (`imports` has its id).
   *
   * The call has no idempotency key. If a response is lost, the client searches for an import with this name and
   * these languages that did not exist before, and continues with it. If it finds no such import, it sends the file
   * again, which results in the same TM. If two processes import under one name at the same time, one may get the
   * other's import.
   */
  importTmx(
    file: SourceFile,
    request: MemoryImportRequest,
    options?: ImportOptions,
  ): ApiPromise<ImportPoller>;
  /**
   * Returns a poller for an import, from the import's id or from the text of a poller (`toString`), in any process.
   * Throws NotFoundError if the import does not exist. If the set was stored immediately, the result is the set as in
   * `list`; only the call that uploaded the file gets the counts of the import.
   */
  resumeImport(written: string, options?: ImportOptions): ApiPromise<ImportPoller>;
  /** Returns all TMs in one response. */
  list(options?: CallOptions): ApiPromise<TranslationMemorySet[]>;
  /** Lists all TMs, last changed first. Pages are requested when they are read. */
  sets(query?: SetListQuery, options?: CallOptions): List<TranslationMemorySet>;
  /** Returns one page of `sets`. */
  setPage(query?: SetListQuery, options?: CallOptions): ApiPromise<Page<TranslationMemorySet>>;
  /** Returns the latest 50 background imports, latest first. */
  imports(options?: CallOptions): ApiPromise<TranslationMemoryImportJob[]>;
  /** Returns the current state of a background import. Throws NotFoundError if the import does not exist. */
  getImport(importId: string, options?: CallOptions): ApiPromise<TranslationMemoryImportJob>;
  /**
   * Deletes a TM; also one with approved translations. Throws NotFoundError if it does not exist, and ConflictError
   * while an import into it is in progress. Retried only if the service certainly did nothing.
   */
  delete(setId: string, options?: CallOptions): ApiPromise<void>;
  /**
   * Exports a TM as TMX 1.4b. Throws NotFoundError if the TM does not exist or is empty. A failure is retried only
   * before the first bytes have arrived.
   */
  export(setId: string, options?: CallOptions): ApiPromise<MemoryExport>;
  /**
   * Exports a TM as CSV, for spreadsheets. A cell that could be run as a formula has an apostrophe before it. Throws
   * NotFoundError if the TM does not exist or is empty.
   */
  exportCsv(setId: string, options?: CallOptions): ApiPromise<MemoryExport>;
  /**
   * Exports the approved translations of a language pair as TMX 1.4b. Throws NotFoundError if no translation has been
   * approved yet. A failure is retried only before the first bytes have arrived.
   */
  exportGolden(query: GoldenMemoryQuery, options?: CallOptions): ApiPromise<MemoryExport>;
  /** Lists the segments of a TM, or of all TMs. Pages are requested when they are read. */
  browse(query?: MemoryBrowseQuery, options?: CallOptions): List<MemoryUnit>;
  /** Returns one page of `browse`. */
  browsePage(query?: MemoryBrowseQuery, options?: CallOptions): ApiPromise<Page<MemoryUnit>>;
  /** Lists the segments in which a text occurs. Pages are requested when they are read. */
  concordance(query: ConcordanceQuery, options?: CallOptions): List<ConcordanceUnit>;
  /** Returns one page of `concordance`. */
  concordancePage(query: ConcordanceQuery, options?: CallOptions): ApiPromise<Page<ConcordanceUnit>>;
  /** Returns the exact and fuzzy matches of the TMs for a text. */
  matches(request: MemoryMatchRequest, options?: CallOptions): ApiPromise<MemoryMatches>;
  /**
   * Aligns a file and its translation by sentence; they may have different formats. Stores nothing: `importPairs` stores
   * the links that are good enough. Throws ValidationError if the files do not belong together.
   */
  align(
    source: SourceFile,
    target: SourceFile,
    request: MemoryAlignRequest,
    options?: CallOptions,
  ): ApiPromise<FileAlignment>;
  /**
   * Creates or replaces a TM from sentence pairs. The result is the TM or, above 5000 pairs, a background import for
   * `resumeImport`.
   */
  importPairs(request: MemoryPairsRequest, options?: CallOptions): ApiPromise<MemoryPairsResult>;
}

const listCall: Call = { name: 'memory.list', repeatable: true, result: ['length'] };
const setsCall: Call = { name: 'memory.sets', repeatable: true, result: ['length'] };
const importsCall: Call = { name: 'memory.imports', repeatable: true, result: ['length'] };
const getImportCall: Call = { name: 'memory.getImport', repeatable: true, result: ['job'] };
const resumeCall: Call = { name: 'memory.resumeImport', repeatable: true, result: ['job'] };
const resumeSetCall: Call = { name: 'memory.resumeImport', repeatable: true, result: ['length'] };
/** Not repeatable: a second deletion would return 404, as if the TM had never existed. */
const deleteCall: Call = { name: 'memory.delete', repeatable: false };
const exportCall: Call = { name: 'memory.export', repeatable: true };
const exportCsvCall: Call = { name: 'memory.exportCsv', repeatable: true };
const exportGoldenCall: Call = { name: 'memory.exportGolden', repeatable: true };

const path = '/api/tm';

export function memory(connection: Connection): Memory {
  const { done, downloads, json, mutate, query, settings } = connection;
  const upload = uploadImport(connection);

  const read = (call: Call, importId: string, options: CallOptions | undefined) => {
    const at = `${path}/imports/${encodeURIComponent(importId)}`;
    const answer = json<{ job: TranslationMemoryImportJob }>(call, { method: 'GET', path: at }, options);
    return mapResult(answer, ({ job }) => job);
  };
  const poll = (first: TranslationMemoryImportJob, options: ImportOptions = {}) => {
    const { timeout = settings.timeout, requestId, headers } = options;
    const patience = { requestId, headers, timeout: Math.min(timeout, maxPollIntervalMs), maxRetries: 0 };
    return pollImport(first, (signal) => read(resumeCall, first.id, { ...patience, signal }), options);
  };
  const findStored = (setId: string, options: ImportOptions | undefined) =>
    mapResult(json<TranslationMemorySet[]>(resumeSetCall, { method: 'GET', path }, options), (sets) => {
      const set = sets.find(({ id }) => id === setId);
      if (set) return storedImmediately(set);
      throw new NotFoundError({ status: 404, detail: 'translation memory set not found' });
    });
  const sets = createListing<SetListQuery, TranslationMemorySet[], TranslationMemorySet, CallOptions>(
    (wanted, options) => json(setsCall, { method: 'GET', path, query: wanted }, options),
    (page) => page,
  );
  const units = createListing<MemoryBrowseQuery, MemoryUnitPage, MemoryUnit, CallOptions>(
    (wanted, options) => query('memory.browse', wanted, options),
    (page) => page.units,
    (page) => page.next_cursor,
  );
  const occurrences = createListing<ConcordanceQuery, ConcordancePage, ConcordanceUnit, CallOptions>(
    (wanted, options) => query('memory.concordance', wanted, options),
    (page) => page.units,
    (page) => page.next_cursor,
  );

  return {
    importTmx: (file, request, options) =>
      mapResult(upload(file, request, options), (imported) =>
        'set' in imported ? storedImmediately(imported.set) : poll(imported.job, options),
      ),
    resumeImport(written, options) {
      const stored = storedSetOf(written);
      if (stored !== undefined) return findStored(stored, options);
      return mapResult(read(resumeCall, written, options), (job) => poll(job, options));
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
      return mapResult(downloads.open(exportCall, request, tmxType, options), (opened) =>
        memoryExport(opened, exportCall.name, 'memory.tmx'),
      );
    },
    exportCsv(setId, options) {
      const file = `${path}/${encodeURIComponent(setId)}/export`;
      const request = { method: 'GET', path: file, headers: { accept: 'text/csv' } } as const;
      return mapResult(downloads.open(exportCsvCall, request, 'text/csv', options), (opened) =>
        streamedFile(
          { ...opened, read: readToEnd(opened, exportCsvCall.name, (last) => last.endsWith('\r\n')) },
          { fileName: 'memory.csv', contentType: 'text/csv' },
        ),
      );
    },
    exportGolden({ source_lang, target_lang }, options) {
      const request = {
        method: 'GET',
        path: `${path}/export/golden`,
        query: { source_lang, target_lang },
      } as const;
      return mapResult(downloads.open(exportGoldenCall, request, tmxType, options), (opened) =>
        memoryExport(opened, exportGoldenCall.name, 'golden-approved.tmx'),
      );
    },
    browse: units.list,
    browsePage: units.listPage,
    concordance: occurrences.list,
    concordancePage: occurrences.listPage,
    matches: (request, options) => mutate('memory.matches', request, options),
    align: (source, target, languages, options) =>
      afterwards(Promise.all([encodedFile(source), encodedFile(target)]), ([source_file, target_file]) =>
        mutate('memory.align', { ...languages, source_file, target_file }, options),
      ),
    importPairs: (request, options) => mutate('memory.importPairs', request, options),
    ...memoryEditing(connection),
  };
}
