import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemoryUnit, TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';

export type MemoryChanges = ReturnType<typeof useMemoryChanges>;

/** A change that can be undone, and how many segments it deleted or changed. */
interface LatestChange {
  id: string;
  count: number;
}

/** The changes of the segments of a TM. The latest one is offered for undo. */
export function useMemoryChanges({ id: set_id }: TranslationMemorySet) {
  const queries = useQueryClient();
  const [latest, setLatest] = useState<LatestChange>();
  const reload = () => queries.invalidateQueries({ queryKey: queryKeys.memory.all });
  return {
    latest,
    /** @param seen the segment that the member saw; throws ConflictError if it has changed since */
    async update(seen: MemoryUnit, texts: Pick<MemoryUnit, 'source_text' | 'target_text'>) {
      const { unit_no, source_text, target_text } = seen;
      await client.memory.updateUnit({ set_id, unit_no, replaces: { source_text, target_text }, ...texts });
      await reload();
    },
    async remove({ unit_no, source_text, target_text }: MemoryUnit) {
      const units = [{ unit_no, source_text, target_text }];
      const { change_id, deleted } = await client.memory.deleteUnits({ set_id, units });
      setLatest(change_id === null ? undefined : { id: change_id, count: deleted });
      await reload();
    },
    /** Offers a change of many segments for undo. */
    async made({ change_id, segments }: { change_id: string; segments: number }) {
      setLatest({ id: change_id, count: segments });
      await reload();
    },
    async undo(changeId: string) {
      const undone = await client.memory.undo(changeId);
      setLatest(undefined);
      await reload();
      return undone;
    },
    forget: () => setLatest(undefined),
  };
}
