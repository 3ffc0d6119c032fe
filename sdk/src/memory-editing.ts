import { type ApiPromise, mapResult } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type {
  AddedMemoryPairs,
  AddMemoryPairsRequest,
  DeletedMemoryUnits,
  DeleteFoundUnitsRequest,
  DeleteMemoryUnitsRequest,
  FoundUnits,
  FoundUnitsQuery,
  MemoryBulkChange,
  MemoryChange,
  MemoryChangePage,
  MemoryChangesQuery,
  MemoryDuplicates,
  MemoryPenalty,
  MemoryProblemPage,
  MemoryProblemsQuery,
  MemoryProblemUnit,
  MemoryReplacementPreview,
  MemoryReplacementQuery,
  MemoryReplacementRequest,
  MergeDuplicatesRequest,
  OtherTranslations,
  OtherTranslationsPage,
  OtherTranslationsQuery,
  UndoneMemoryChange,
  UpdatedMemoryUnit,
  UpdateMemoryUnitRequest,
} from './types.ts';

/** Changes of stored TM segments. They take effect immediately. All but `addPairs` can be undone for 30 days. */
export interface MemoryEditing {
  /**
   * Adds sentence pairs to an imported TM. Pairs whose source the TM has are left out, so that the same pairs again change
   * nothing; `is_preview` only counts them. Cannot be undone.
   */
  addPairs(request: AddMemoryPairsRequest, options?: CallOptions): ApiPromise<AddedMemoryPairs>;
  /**
   * Replaces the texts of a segment. Throws ConflictError with the present segment in `present` if someone else has
   * changed it, and ConflictError while an import into the TM is in progress. The same edit again changes nothing.
   */
  updateUnit(request: UpdateMemoryUnitRequest, options?: CallOptions): ApiPromise<UpdatedMemoryUnit>;
  /** Deletes up to 200 segments. Throws ConflictError, and deletes none, if someone else has changed one of them. */
  deleteUnits(request: DeleteMemoryUnitsRequest, options?: CallOptions): ApiPromise<DeletedMemoryUnits>;
  /** Counts the segments of a TM that contain a text, and returns the `version` for `deleteFound`. */
  countFound(query: FoundUnitsQuery, options?: CallOptions): ApiPromise<FoundUnits>;
  /**
   * Deletes the segments of a TM that contain a text, at most 10,000. Throws ConflictError, and deletes none, if they
   * have changed since `countFound`. Not retried.
   */
  deleteFound(request: DeleteFoundUnitsRequest, options?: CallOptions): ApiPromise<MemoryBulkChange>;
  /** Returns what `replace` would change: the number of segments, and the first 50 of them. */
  previewReplace(query: MemoryReplacementQuery, options?: CallOptions): ApiPromise<MemoryReplacementPreview>;
  /**
   * Replaces a text in the segments of a TM, at most 10,000. Throws ConflictError, and changes none, if the
   * segments have changed since the preview. Not retried.
   */
  replace(request: MemoryReplacementRequest, options?: CallOptions): ApiPromise<MemoryBulkChange>;
  /**
   * Lists the segments of a TM that have problems, such as a lost number or another translation of the same source. Pages
   * are requested when they are read.
   */
  problems(query: MemoryProblemsQuery, options?: CallOptions): List<MemoryProblemUnit>;
  /** Returns one page of `problems`. Its work is limited, so a page with few or no segments may have a next page. */
  problemPage(query: MemoryProblemsQuery, options?: CallOptions): ApiPromise<Page<MemoryProblemUnit>>;
  /** Counts the identical segments of a TM, and its sources with several translations. */
  duplicates(setId: string, options?: CallOptions): ApiPromise<MemoryDuplicates>;
  /**
   * Merges the identical segments of a TM, at most 10,000: the latest of them stays. Throws ConflictError, and changes
   * none, if the number of segments is not `segments` any longer. Not retried.
   */
  mergeDuplicates(request: MergeDuplicatesRequest, options?: CallOptions): ApiPromise<MemoryBulkChange>;
  /** Lists the sources of a TM that have several translations. Pages are requested when they are read. */
  otherTranslations(query: OtherTranslationsQuery, options?: CallOptions): List<OtherTranslations>;
  /** Returns one page of `otherTranslations`. */
  otherTranslationsPage(
    query: OtherTranslationsQuery,
    options?: CallOptions,
  ): ApiPromise<Page<OtherTranslations>>;
  /** Lists the changes of the last 30 days, latest first. Pages are requested when they are read. */
  changes(query?: MemoryChangesQuery, options?: CallOptions): List<MemoryChange>;
  /** Returns one page of `changes`. */
  changePage(query?: MemoryChangesQuery, options?: CallOptions): ApiPromise<Page<MemoryChange>>;
  /**
   * Undoes a change. The response names the segments that have changed since; these stay as they are. Throws
   * ConflictError if the change is undone already. Not retried.
   */
  undo(changeId: string, options?: CallOptions): ApiPromise<UndoneMemoryChange>;
  /** Returns the TMs whose matches lose points. */
  penalties(options?: CallOptions): ApiPromise<MemoryPenalty[]>;
  /** Sets the points that the matches of a TM lose. A match with a penalty is a fuzzy match, even of an equal text. */
  setPenalty(penalty: MemoryPenalty, options?: CallOptions): ApiPromise<MemoryPenalty>;
}

export function memoryEditing({ mutate, mutateOnce, query }: Connection): MemoryEditing {
  const changes = createListing<MemoryChangesQuery, MemoryChangePage, MemoryChange, CallOptions>(
    (wanted, options) => query('memory.changes', wanted, options),
    (page) => page.changes,
    (page) => page.next_cursor,
  );
  const problems = createListing<MemoryProblemsQuery, MemoryProblemPage, MemoryProblemUnit, CallOptions>(
    (wanted, options) => query('memory.problems', wanted, options),
    (page) => page.units,
    (page) => page.next_cursor,
  );
  const others = createListing<OtherTranslationsQuery, OtherTranslationsPage, OtherTranslations, CallOptions>(
    (wanted, options) => query('memory.otherTranslations', wanted, options),
    (page) => page.sources,
    (page) => page.next_cursor,
  );
  return {
    addPairs: (request, options) => mutate('memory.addPairs', request, options),
    updateUnit: (request, options) => mutate('memory.updateUnit', request, options),
    deleteUnits: (request, options) => mutate('memory.deleteUnits', request, options),
    countFound: (wanted, options) => query('memory.countFound', wanted, options),
    // Not repeatable: a repeat would find nothing to do, and return an error.
    deleteFound: (request, options) => mutateOnce('memory.deleteFound', request, options),
    previewReplace: (wanted, options) => query('memory.previewReplace', wanted, options),
    replace: (request, options) => mutateOnce('memory.replace', request, options),
    problems: problems.list,
    problemPage: problems.listPage,
    duplicates: (set_id, options) => query('memory.duplicates', { set_id }, options),
    mergeDuplicates: (request, options) => mutateOnce('memory.mergeDuplicates', request, options),
    otherTranslations: others.list,
    otherTranslationsPage: others.listPage,
    changes: changes.list,
    changePage: changes.listPage,
    undo: (changeId, options) => mutateOnce('memory.undo', { change_id: changeId }, options),
    penalties: (options) =>
      mapResult(query('memory.penalties', undefined, options), (found) => found.penalties),
    setPenalty: (penalty, options) => mutate('memory.setPenalty', penalty, options),
  };
}
