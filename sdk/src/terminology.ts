import { type ApiPromise, afterwards, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions, UploadOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type { OutputOf } from './procedure-types.ts';
import type { Call } from './send.ts';
import { encodedFile, formFields, formRequest, type SourceFile } from './source-file.ts';
import {
  type ExportedText,
  exportText,
  readToEnd,
  type StreamedFile,
  streamedFile,
} from './streamed-file.ts';
import type {
  AddedGlossaryEntry,
  GlossaryEntry,
  GlossaryEntryQuery,
  GlossaryPreview,
  NewGlossary,
  NewGlossaryEntry,
  PreviewedTerminologyUpload,
  RejectCandidatesRequest,
  RejectedCandidates,
  SetListQuery,
  TbxQuery,
  TermCandidates,
  TermCandidatesRequest,
  TerminologyPreviewRequest,
  TerminologySet,
  TerminologyUpload,
  TermMatches,
  TermMatchRequest,
  UploadedTerminologySet,
} from './types.ts';

/** Glossaries: terms that a translation must use. */
export interface Terminology {
  /**
   * Creates a glossary from a CSV, TMX, TBX, XLSX or JSON file, or replaces the glossary with the same name; if that
   * fails, nothing changes. Throws BadRequestError with the invalid line, cell or value, or
   * UnprocessableContentError with the exceeded limit. `warnings` in the result lists possible mistakes in the file. Uploading the same file under the same name
   * again gives the same glossary, so the call is retried like a read.
   */
  upload(
    file: SourceFile,
    request: TerminologyUpload,
    options?: UploadOptions,
  ): ApiPromise<UploadedTerminologySet>;
  /**
   * Creates a glossary without terms, which can then be added with `addEntry`. If the same glossary exists and has no
   * terms, returns it. Throws ConflictError if another glossary has the name.
   */
  create(request: NewGlossary, options?: CallOptions): ApiPromise<TerminologySet>;
  /** Returns all glossaries in one response. */
  list(options?: CallOptions): ApiPromise<TerminologySet[]>;
  /** Lists all glossaries, last changed first. Pages are requested when they are read. */
  sets(query?: SetListQuery, options?: CallOptions): List<TerminologySet>;
  /** Returns one page of `sets`. */
  setPage(query?: SetListQuery, options?: CallOptions): ApiPromise<Page<TerminologySet>>;
  /**
   * Deletes a glossary. Throws NotFoundError if it does not exist. Retried only if the service certainly did nothing.
   */
  delete(setId: string, options?: CallOptions): ApiPromise<void>;
  /** Lists the entries of a glossary, in the order of its file. Pages are requested when they are read. */
  entries(query: GlossaryEntryQuery, options?: CallOptions): List<GlossaryEntry>;
  /** Returns one page of `entries`. */
  entryPage(query: GlossaryEntryQuery, options?: CallOptions): ApiPromise<Page<GlossaryEntry>>;
  /**
   * Exports a glossary as TBX-Basic, in the order of its file; by default in the edition ISO 30042:2019. Case rules
   * and priorities are lost, because TBX cannot represent them.
   */
  exportTbx(setId: string, query?: TbxQuery, options?: CallOptions): ApiPromise<ExportedText>;
  /**
   * Exports a glossary as an Excel workbook (.xlsx), with all properties of its terms. `upload` reads it as the same
   * glossary. All cells with terms are texts, never formulas.
   */
  exportXlsx(setId: string, options?: CallOptions): ApiPromise<StreamedFile>;
  /**
   * Exports a glossary as CSV, with all properties of its terms. `upload` reads it as the same glossary. A cell that a
   * spreadsheet could run as a formula has an apostrophe before it, which `upload` removes.
   */
  exportCsv(setId: string, options?: CallOptions): ApiPromise<StreamedFile>;
  /**
   * Adds a term to a glossary. If the glossary has other translations of the term, the new one takes precedence.
   * Throws ConflictError if the entry already exists. Because of this error, the call is retried only if the service
   * certainly did nothing.
   */
  addEntry(request: NewGlossaryEntry, options?: CallOptions): ApiPromise<AddedGlossaryEntry>;
  /**
   * Returns the glossary terms in a text. If the request includes a translation, also returns the terms that are
   * missing in it.
   */
  matches(request: TermMatchRequest, options?: CallOptions): ApiPromise<TermMatches>;
  /**
   * Finds candidates for terms in the TMs of a language pair and in files, with proposed translations. Terms of glossaries
   * and rejected candidates are left out. Stores nothing.
   */
  candidates(request: TermCandidatesRequest, options?: CallOptions): ApiPromise<TermCandidates>;
  /** Rejects candidates, so that they are not suggested again, or restores them. Returns how many have changed. */
  rejectCandidates(request: RejectCandidatesRequest, options?: CallOptions): ApiPromise<RejectedCandidates>;
  /** @internal Counts the terms of a glossary for each language pair. */
  pairs(setId: string, options?: CallOptions): ApiPromise<OutputOf<'terminology.pairs'>>;
  /** @internal Renames a glossary. Throws ConflictError if another glossary has the name. */
  rename(setId: string, name: string, options?: CallOptions): ApiPromise<TerminologySet>;
  /**
   * Reads a file like `upload` and compares it with the glossary that it would replace, but stores nothing. Returns the
   * changes and warnings about single terms. Throws the same errors as `upload`. The file may have about 7 MB, because
   * it is sent in a JSON body. With `table`, you assign the columns of a CSV file or workbook yourself.
   */
  previewUpload(
    file: SourceFile,
    request: TerminologyPreviewRequest,
    options?: CallOptions,
  ): ApiPromise<GlossaryPreview>;
  /**
   * Uploads a previewed file. Throws ConflictError if the glossary has changed since the preview that returned
   * `revision`.
   */
  applyPreview(
    file: SourceFile,
    request: PreviewedTerminologyUpload,
    options?: CallOptions,
  ): ApiPromise<UploadedTerminologySet>;
}

const uploadCall: Call = { name: 'terminology.upload', repeatable: true, result: ['id'] };
const listCall: Call = { name: 'terminology.list', repeatable: true, result: ['length'] };
const setsCall: Call = { name: 'terminology.sets', repeatable: true, result: ['length'] };
/** Not repeatable: a second deletion would return 404, as if the glossary had never existed. */
const deleteCall: Call = { name: 'terminology.delete', repeatable: false };

const exportXlsxCall: Call = { name: 'terminology.exportXlsx', repeatable: true };
const exportCsvCall: Call = { name: 'terminology.exportCsv', repeatable: true };
const exportTbxCall: Call = { name: 'terminology.exportTbx', repeatable: true };

const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A workbook ends with the last record of a zip without a comment; a CSV file with a line end. */
const workbook = { type: xlsxType, suffix: '.xlsx', isEnd: (last: string) => last.startsWith('PK\x05\x06') };
const csv = { type: 'text/csv', suffix: '.csv', isEnd: (last: string) => last.endsWith('\r\n') };

const types = {
  '.csv': csv.type,
  '.tmx': 'application/xml',
  '.tbx': 'application/xml',
  '.xlsx': xlsxType,
  '.json': 'application/json',
};

const tbxType = 'application/x-tbx+xml';

const path = '/api/terminology';

export function terminology(connection: Connection): Terminology {
  const { done, downloads, json, mutate, mutateOnce, query } = connection;
  /** @param isEnd whether the end of a file shows that the file is complete */
  const exportTable = (
    setId: string,
    call: Call,
    { type, suffix, isEnd }: { type: string; suffix: string; isEnd: (last: string) => boolean },
    options: CallOptions | undefined,
  ) => {
    const request = { method: 'GET', path, query: { set_id: setId }, headers: { accept: type } } as const;
    return mapResult(downloads.open(call, request, type, options), (opened) =>
      streamedFile(
        { ...opened, read: readToEnd(opened, call.name, isEnd) },
        { fileName: `glossary${suffix}`, contentType: type },
      ),
    );
  };
  const { list: entries, listPage: entryPage } = createListing(
    (wanted: GlossaryEntryQuery, options: CallOptions | undefined) =>
      query('terminology.entries', wanted, options),
    (page) => page.entries,
    (page) => page.next_cursor,
  );
  const sets = createListing<SetListQuery, TerminologySet[], TerminologySet, CallOptions>(
    (wanted, options) => json(setsCall, { method: 'GET', path, query: wanted }, options),
    (page) => page,
  );
  return {
    upload(file, { name, source_lang, target_lang }, options) {
      const fields = formFields({ name, source_lang, target_lang });
      return afterwards(formRequest(path, fields, 'terminology_file', file, types), (upload) =>
        json(uploadCall, { ...upload, onUploadProgress: options?.onUploadProgress }, options),
      );
    },
    create: (request, options) => mutate('terminology.create', request, options),
    list: (options) => json(listCall, { method: 'GET', path }, options),
    sets: sets.list,
    setPage: sets.listPage,
    delete: (setId, options) =>
      done(deleteCall, { method: 'DELETE', path: `${path}/${encodeURIComponent(setId)}` }, options),
    entries,
    entryPage,
    exportTbx(setId, { edition } = {}, options) {
      const request = { method: 'GET', path, query: { set_id: setId, edition } } as const;
      const end = edition === '2008' ? '</martif>' : '</tbx>';
      const file = { type: tbxType, end, unnamed: 'glossary.tbx' };
      return exportText(connection, exportTbxCall, request, file, options);
    },
    exportXlsx: (setId, options) => exportTable(setId, exportXlsxCall, workbook, options),
    exportCsv: (setId, options) => exportTable(setId, exportCsvCall, csv, options),
    addEntry: (request, options) => mutateOnce('terminology.addEntry', request, options),
    matches: (request, options) => mutate('terminology.matches', request, options),
    candidates: (request, options) => mutate('terminology.candidates', request, options),
    rejectCandidates: (request, options) => mutate('terminology.rejectCandidates', request, options),
    pairs: (setId, options) => query('terminology.pairs', { set_id: setId }, options),
    rename: (setId, name, options) => mutate('terminology.rename', { set_id: setId, name }, options),
    previewUpload: (file, { name, source_lang, target_lang, table }, options) =>
      afterwards(encodedFile(file), (encoded) =>
        mutate('terminology.previewUpload', { ...encoded, name, source_lang, target_lang, table }, options),
      ),
    applyPreview: (file, { name, source_lang, target_lang, table, revision }, options) =>
      afterwards(encodedFile(file), (encoded) =>
        mutate(
          'terminology.applyPreview',
          { ...encoded, name, source_lang, target_lang, table, revision },
          options,
        ),
      ),
  };
}
