import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '#sdk/pages.ts';
import type { MemoryUnit } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';

export type MemoryChanges = ReturnType<typeof useMemoryChanges>;

/** Changes that are undone together, and how many segments they deleted or changed. */
export interface LatestChange {
  ids: readonly string[];
  count: number;
}

type TextsOfUnit = Pick<MemoryUnit, 'source_text' | 'target_text'>;

/** Maximum segments of one deletion. */
const maxDeleted = 200;

const isSameUnit = (one: MemoryUnit, other: MemoryUnit) =>
  one.set_id === other.set_id && one.unit_no === other.unit_no;

/** The changes of TM segments. The latest one is offered for undo. */
export function useMemoryChanges() {
  const queries = useQueryClient();
  const [latest, setLatest] = useState<LatestChange>();
  const reload = () => queries.invalidateQueries({ queryKey: queryKeys.memory.all });
  /** Reloads all lists, except that those of problems, whose search takes seconds, only lose the changed segments. */
  const reloadWithout = async (changed: readonly MemoryUnit[]) => {
    queries.setQueriesData<InfiniteData<Page<MemoryUnit>>>(
      { predicate: isOfProblems },
      (list) =>
        list && {
          ...list,
          pages: list.pages.map(
            (page) =>
              ({
                ...page,
                items: page.items.filter((unit) => !changed.some((one) => isSameUnit(one, unit))),
              }) as Page<MemoryUnit>,
          ),
        },
    );
    await queries.invalidateQueries({
      queryKey: queryKeys.memory.all,
      predicate: (query) => !isOfProblems(query),
    });
  };
  return {
    latest,
    /** @param seen the segment that the member saw; throws ConflictError if it has changed since */
    async update(seen: MemoryUnit, texts: TextsOfUnit) {
      const { set_id, unit_no, source_text, target_text } = seen;
      const request = { set_id, unit_no, replaces: { source_text, target_text }, ...texts };
      const { change_id } = await client.memory.updateUnit(request);
      setLatest(change_id === null ? undefined : { ids: [change_id], count: 1 });
      await reloadWithout([seen]);
    },
    /** Deletes segments, also of several TMs. */
    async remove(units: readonly MemoryUnit[]) {
      const made: LatestChange = { ids: [], count: 0 };
      try {
        for (const [set_id, ofSet] of Map.groupBy(units, (unit) => unit.set_id))
          for (let start = 0; start < ofSet.length; start += maxDeleted) {
            const seen = ofSet
              .slice(start, start + maxDeleted)
              .map(({ unit_no, source_text, target_text }) => ({ unit_no, source_text, target_text }));
            const { change_id, deleted } = await client.memory.deleteUnits({ set_id, units: seen });
            if (change_id !== null) made.ids = [...made.ids, change_id];
            made.count += deleted;
          }
      } finally {
        // If a deletion fails, those before it can still be undone.
        setLatest(made.ids.length > 0 ? made : undefined);
        await reloadWithout(units);
      }
    },
    /** Offers a change of many segments for undo. */
    async made({ change_id, segments }: { change_id: string; segments: number }) {
      setLatest({ ids: [change_id], count: segments });
      await reload();
    },
    /** Undoes changes, the latest first. */
    async undo(ids: readonly string[]) {
      const sum = { undone: 0, kept: 0 };
      for (const id of ids.toReversed()) {
        const { undone, kept } = await client.memory.undo(id);
        sum.undone += undone;
        sum.kept += kept;
      }
      setLatest(undefined);
      await reload();
      return sum;
    },
    forget: () => setLatest(undefined),
  };
}

const isOfProblems = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryKey[0] === 'memory' && queryKey[1] === 'problems';
