import { type ApiPromise, afterwards } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { type ExportedText, exportText } from './exported-text.ts';
import type { CallOptions, UploadOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type { Call } from './send.ts';
import { formFields, formRequest, type SourceFile } from './source-file.ts';
import type {
  AddedGlossaryEntry,
  GlossaryEntry,
  GlossaryEntryPage,
  GlossaryEntryQuery,
  NewGlossaryEntry,
  SetListQuery,
  TbxQuery,
  TerminologySet,
  TerminologyUpload,
  TermMatches,
  TermMatchRequest,
  UploadedTerminologySet,
} from './types.ts';

/** Glossaries: terms that a translation must use. */
export interface Terminology {
  /**
   * Creates a glossary from a CSV, TMX or TBX file, or replaces the one of this name, completely or not at all.
   * BadRequestError names the invalid line, UnprocessableContentError the exceeded limit; `warnings` list possible
   * mistakes. The same file under the same name is the same glossary, so it is sent again like a read.
   */
  upload(
    file: SourceFile,
    request: TerminologyUpload,
    options?: UploadOptions,
  ): ApiPromise<UploadedTerminologySet>;
  /** All of them, in one response. */
  list(options?: CallOptions): ApiPromise<TerminologySet[]>;
  /** The same, last changed first; pages are read on demand. */
  sets(query?: SetListQuery, options?: CallOptions): List<TerminologySet>;
  /** One page of `sets`. */
  setPage(query?: SetListQuery, options?: CallOptions): ApiPromise<Page<TerminologySet>>;
  /** Deletes one; NotFoundError if it does not exist. Sent again only if the service certainly did nothing. */
  delete(setId: string, options?: CallOptions): ApiPromise<void>;
  /** Its entries in the order of the file; pages are read on demand. */
  entries(query: GlossaryEntryQuery, options?: CallOptions): List<GlossaryEntry>;
  /** One page of `entries`. */
  entryPage(query: GlossaryEntryQuery, options?: CallOptions): ApiPromise<Page<GlossaryEntry>>;
  /**
   * A glossary as TBX-Basic, in the order of its file; by default ISO 30042:2019. TBX has no case rules and
   * priorities.
   */
  exportTbx(setId: string, query?: TbxQuery, options?: CallOptions): ApiPromise<ExportedText>;
  /**
   * Adds one term to a glossary, before other translations that it has for the term. An existing entry is a
   * ConflictError, so it is sent again only if the service certainly did nothing.
   */
  addEntry(request: NewGlossaryEntry, options?: CallOptions): ApiPromise<AddedGlossaryEntry>;
  /** The terms of a text, and, if its translation is given, the ones that the translation misses. */
  matches(request: TermMatchRequest, options?: CallOptions): ApiPromise<TermMatches>;
}

const uploadCall: Call = { name: 'terminology.upload', repeatable: true, result: ['id'] };
const listCall: Call = { name: 'terminology.list', repeatable: true, result: ['length'] };
const setsCall: Call = { name: 'terminology.sets', repeatable: true, result: ['length'] };
/** Not repeatable: the second one would return 404, as if there had been nothing to delete. */
const deleteCall: Call = { name: 'terminology.delete', repeatable: false };

const entriesCall: Call = { name: 'terminology.entries', repeatable: true };
const addEntryCall: Call = { name: 'terminology.addEntry', repeatable: false };
const matchesCall: Call = { name: 'terminology.matches', repeatable: true };

const exportTbxCall: Call = { name: 'terminology.exportTbx', repeatable: true };

const types = { '.csv': 'text/csv', '.tmx': 'application/xml', '.tbx': 'application/xml' };

const tbxType = 'application/x-tbx+xml';

const path = '/api/terminology';

export function terminology(connection: Connection): Terminology {
  const { done, json, mutate, query } = connection;
  const { list: entries, listPage: entryPage } = createListing(
    (wanted: GlossaryEntryQuery | undefined, options: CallOptions | undefined) =>
      query<GlossaryEntryPage>(entriesCall, wanted ?? {}, options),
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
    addEntry: (request, options) => mutate(addEntryCall, request, options),
    matches: (request, options) => mutate(matchesCall, request, options),
  };
}
