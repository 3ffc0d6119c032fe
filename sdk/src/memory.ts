import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import {
  type ImportOptions,
  type ImportPoller,
  pollImport,
  storedImmediately,
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

/** Translation memories: earlier translations, which are served again for the same text. */
export interface Memory {
  /**
   * Creates a memory from a TMX file, or replaces the one of this name, completely or not at all. It resolves as soon
   * as the service has read and accepted the file: up to 5,000 segments are stored by then, larger files in the
   * background. An invalid file is thrown here in both cases; ConflictError while an import of this name is running
   * (`imports` has its id).
   *
   * The call has no idempotency key. After a lost response it looks for an import of the name and languages that did
   * not exist before, and continues with that; without one it sends the file again, which results in the same memory.
   * If two processes import under one name at the same time, one may get the other's import.
   */
  importTmx(
    file: SourceFile,
    request: MemoryImportRequest,
    options?: ImportOptions,
  ): ApiPromise<ImportPoller>;
  /**
   * Continues to wait for an import, by its id or its poller's text (`toString`), in any process. NotFoundError if it
   * does not exist. A set that was stored immediately is returned as by `list`: only the first result has the counts
   * of its import.
   */
  resumeImport(written: string, options?: ImportOptions): ApiPromise<ImportPoller>;
  /** All memories, in one response. */
  list(options?: CallOptions): ApiPromise<TranslationMemorySet[]>;
  /** The same, last changed first; pages are read on demand. */
  sets(query?: SetListQuery, options?: CallOptions): List<TranslationMemorySet>;
  /** One page of `sets`. */
  setPage(query?: SetListQuery, options?: CallOptions): ApiPromise<Page<TranslationMemorySet>>;
  /** The latest 50 imports in the background, latest first. */
  imports(options?: CallOptions): ApiPromise<TranslationMemoryImportJob[]>;
  /** The current state of such an import; NotFoundError if it does not exist. */
  getImport(importId: string, options?: CallOptions): ApiPromise<TranslationMemoryImportJob>;
  /**
   * Deletes a memory, including one of approved translations; NotFoundError if it does not exist, ConflictError while
   * an import into it is running. Sent again only if the service certainly did nothing.
   */
  delete(setId: string, options?: CallOptions): ApiPromise<void>;
  /**
   * A memory as TMX 1.4b; NotFoundError if it does not exist or is empty. A failure before the first piece is
   * retried; later failures are not.
   */
  export(setId: string, options?: CallOptions): ApiPromise<MemoryExport>;
  /** The approved translations of two languages in the same way; NotFoundError if nothing has been approved yet. */
  exportGolden(query: GoldenMemoryQuery, options?: CallOptions): ApiPromise<MemoryExport>;
  /** The units of a memory, or of all of them; pages are read on demand. */
  browse(query?: MemoryBrowseQuery, options?: CallOptions): List<MemoryUnit>;
  /** One page of `browse`. */
  browsePage(query?: MemoryBrowseQuery, options?: CallOptions): ApiPromise<Page<MemoryUnit>>;
  /** The units in which a text occurs; pages are read on demand. */
  concordance(query: ConcordanceQuery, options?: CallOptions): List<ConcordanceUnit>;
  /** One page of `concordance`. */
  concordancePage(query: ConcordanceQuery, options?: CallOptions): ApiPromise<Page<ConcordanceUnit>>;
  /** The matches of the memories for a text: exact and close ones. */
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
    matches: (request, options) => mutate(matchesCall, request, options),
  };
}
