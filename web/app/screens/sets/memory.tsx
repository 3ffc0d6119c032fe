import { Link, useParams, useSearch } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import type { TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Badge } from '../../kit/text.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { MemoryHistory, UndoChange } from './memory-changes.tsx';
import { Penalty, PenaltyBadge } from './penalty.tsx';
import { BulkActions } from './replace-units.tsx';
import { type ContentFilter, contentRequest } from './search.ts';
import { NoContent, SetActions, SetFilter, SetScreen, SetSummary } from './set-screen.tsx';
import { UnitList } from './unit-list.tsx';
import { ProblemFilters, ProblemUnits } from './unit-problems.tsx';
import { useMemories } from './use-imports.ts';
import { type MemoryChanges, useMemoryChanges } from './use-memory-changes.ts';

/** `/app/memories/{id}`: the segments of a TM. */
export function MemoryScreen() {
  const { setId } = useParams({ from: '/workspace/app/memories/$setId' });
  const memories = useMemories();
  return (
    <SetScreen kind="memory" from={memories} setId={setId}>
      {(set) => <Memory key={set.id} set={set} />}
    </SetScreen>
  );
}

function Memory({ set }: { set: TranslationMemorySet }) {
  const t = useT();
  const filter = useSearch({ from: '/workspace/app/memories/$setId' });
  const changes = useMemoryChanges();
  return (
    <>
      <SetSummary
        kind="memory"
        set={set}
        size={t('sets.units_count', { count: set.entry_count })}
        badge={
          <>
            {set.origin === 'golden_approved' && <Badge tone="good">{t('sets.approved')}</Badge>}{' '}
            <PenaltyBadge setId={set.id} />
          </>
        }
        filters={
          <>
            <Penalty setId={set.id} />
            <ProblemFilters set={set} problem={filter.problem} />
            {!filter.problem && (
              <>
                <SetFilter to="/app/memories/$setId" setId={set.id} filter={filter} />
                <BulkActions set={set} filter={filter} changes={changes} />
                <MemoryHistory set={set} changes={changes} />
              </>
            )}
          </>
        }
      >
        <Link to="/app/memories/$setId/duplicates" params={{ setId: set.id }} className="button">
          <Copy size={16} aria-hidden /> {t('sets.clean_up')}
        </Link>
        {set.origin === 'tmx_import' && (
          <Link to="/app/memories/align" search={{ memory: set.id }} className="button">
            {t('align.open')}
          </Link>
        )}
        <SetActions
          kind="memory"
          set={set}
          formats={[
            ['sets.export', (id) => client.memory.export(id)],
            ['sets.export_csv', (id) => client.memory.exportCsv(id)],
          ]}
          onDelete={(id) => client.memory.delete(id)}
        />
      </SetSummary>
      {filter.problem ? (
        <ProblemUnits key={filter.problem} set={set} problem={filter.problem} changes={changes} />
      ) : (
        <Units set={set} filter={filter} changes={changes} />
      )}
      <UndoChange changes={changes} />
    </>
  );
}

function Units({
  set,
  filter,
  changes,
}: {
  set: TranslationMemorySet;
  filter: ContentFilter;
  changes: MemoryChanges;
}) {
  // An import with the same name replaces the segments, so all pages are then loaded from the start.
  const { reading, more } = usePages(
    queryKeys.memory.units(set.id, set.updated_at, filter),
    (cursor) => client.memory.browsePage(contentRequest(set.id, filter, cursor)),
    { keepsPrevious: true },
  );
  return (
    <>
      <Read from={reading} lines={12}>
        {(units) =>
          units.length === 0 ? (
            <NoContent filter={filter} hasMore={more.hasNextPage} />
          ) : (
            <UnitList units={units} changes={changes} />
          )
        }
      </Read>
      <More of={more} />
    </>
  );
}
