import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Chips } from '../../kit/chips.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { type ProblemFilter, problemFilters } from './search.ts';
import { UnitList } from './unit-list.tsx';
import type { MemoryChanges } from './use-memory-changes.ts';

/** The choice between all segments of a TM and those with a problem. */
export function ProblemFilters({
  set,
  problem,
}: {
  set: TranslationMemorySet;
  problem: ProblemFilter | undefined;
}) {
  const t = useT();
  const navigate = useNavigate();
  return (
    <Chips
      label={t('sets.problems')}
      value={problem ?? 'none'}
      options={(['none', ...problemFilters] as const).map((one) => [one, t(`sets.problem_${one}`)])}
      onChange={(one) =>
        void navigate({
          to: '/app/memories/$setId',
          params: { setId: set.id },
          search: one === 'none' ? {} : { problem: one },
          resetScroll: false,
        })
      }
    />
  );
}

/** The segments of a TM that have a problem. */
export function ProblemUnits({
  set,
  problem,
  changes,
}: {
  set: TranslationMemorySet;
  problem: ProblemFilter;
  changes: MemoryChanges;
}) {
  const t = useT();
  const [isAsking, setAsking] = useState(false);
  const { reading, more } = usePages(queryKeys.memory.problems(set.id, problem), (cursor) =>
    client.memory.problemPage({
      set_id: set.id,
      ...(problem !== 'any' && { kinds: [problem] }),
      ...(cursor && { cursor }),
    }),
  );
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = more;
  const units = reading.data ?? [];
  // A request looks through a part of a large TM. Without a segment so far, the search continues.
  const continues = reading.data?.length === 0 && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (continues) void fetchNextPage();
  }, [continues, fetchNextPage]);
  return (
    <>
      {units.length > 0 && (
        <Row>
          <button type="button" onClick={() => setAsking(true)}>
            <Trash2 size={16} aria-hidden /> {t('sets.delete_listed')}
          </button>
        </Row>
      )}
      <Read from={reading} lines={12}>
        {(found) =>
          found.length > 0 ? (
            <UnitList units={found} changes={changes} />
          ) : (
            <p role="status">{t(hasNextPage ? 'sets.searching' : 'sets.no_problems')}</p>
          )
        }
      </Read>
      <More of={more} />
      {isAsking && (
        <ConfirmDialog
          title={t('sets.delete_listed')}
          action={t('sets.delete')}
          isReady={units.length > 0}
          onConfirm={() => changes.remove(units)}
          onClose={() => setAsking(false)}
        >
          <p>{t('sets.delete_found_why', { count: units.length })}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
