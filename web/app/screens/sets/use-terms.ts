import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { InputOf } from '#sdk/procedure-types.ts';
import { ConflictError } from '#sdk/status-errors.ts';
import type { GlossaryEntry, TerminologySet } from '#sdk/types.ts';
import { usePages } from '../../parts/more.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { type ContentFilter, contentRequest, type SearchedSide } from './search.ts';

/** Maximum number of terms of a glossary that the service sorts; larger ones are shown in the order of their file. */
export const maxSorted = 20_000;

/** A term as a member enters it. */
export type TermInput = InputOf<'terminology.addTerm'>['term'];

/** A term as the fields contain it: without its place. */
export function termOf({ entry_no: _, ...term }: GlossaryEntry): TermInput {
  return term;
}

/** The present term of a change that was rejected because of it; undefined for other errors. */
export function presentTerm(error: unknown): GlossaryEntry | undefined {
  return error instanceof ConflictError && error.present ? (error.present as GlossaryEntry) : undefined;
}

/** The terms of a glossary, page by page, and the changes of single terms. */
export function useTerms(set: TerminologySet, filter: ContentFilter) {
  const queries = useQueryClient();
  const [deleted, setDeleted] = useState<readonly GlossaryEntry[]>([]);
  const { sort = 'source', descending = false }: { sort?: SearchedSide; descending?: boolean } = filter;
  const order = set.entry_count > maxSorted ? {} : { sort, descending };
  const { reading, more } = usePages(
    queryKeys.terminology.terms(set.id, filter),
    async (cursor) => {
      const { entries: items, next_cursor: nextCursor } = await procedures.terminology.terms.query({
        ...contentRequest(set.id, filter, cursor),
        ...order,
        ...(filter.only && { only: filter.only }),
      });
      return { items, nextCursor };
    },
    // The fields of a new term must stay when the order or the filter changes.
    { keepsPrevious: true },
  );
  // After a change of another member, the pages must be loaded from the start.
  const { error, isFetchNextPageError, refetch } = more;
  useEffect(() => {
    if (isFetchNextPageError && error instanceof ConflictError) void refetch();
  }, [isFetchNextPageError, error, refetch]);
  const reload = () => queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
  const set_id = set.id;
  return {
    reading,
    more,
    /** Deleted terms that can be restored. */
    deleted,
    async add(term: TermInput) {
      const added = await procedures.terminology.addTerm.mutate({ set_id, term });
      await reload();
      return added;
    },
    /** @param seen the term that the member saw; throws ConflictError if it has changed since */
    async update(seen: GlossaryEntry, term: TermInput) {
      const { entry_no } = seen;
      await procedures.terminology.updateTerm.mutate({ set_id, entry_no, replaces: termOf(seen), term });
      await reload();
    },
    async remove(seen: GlossaryEntry) {
      const { entry_no } = seen;
      await procedures.terminology.deleteTerm.mutate({ set_id, entry_no, replaces: termOf(seen) });
      setDeleted((before) => [...before, seen]);
      await reload();
    },
    async restore() {
      // A term that cannot be restored must not stop the others.
      const failed: unknown[] = [];
      for (const entry of deleted)
        await procedures.terminology.addTerm
          .mutate({ set_id, entry_no: entry.entry_no, term: termOf(entry) })
          .then(
            () => setDeleted((before) => before.filter((one) => one !== entry)),
            (error: unknown) => failed.push(error),
          );
      await reload();
      if (failed.length > 0) throw failed[0];
    },
    forget: () => setDeleted([]),
  };
}
