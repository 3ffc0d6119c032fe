import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { plainName } from '../../parts/language-text.tsx';
import { Heading, Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { ContentFilterFields } from './content-filter.tsx';
import { PairName } from './pair-name.tsx';
import { RemoveSet } from './remove-set.tsx';
import type { ContentFilter } from './search.ts';
import styles from './sets.module.css';
import { UnitTable } from './unit-table.tsx';
import { useMemories } from './use-imports.ts';

/** `/app/memories/{id}`: the segments of a TM. */
export function MemoryScreen() {
  const t = useT();
  const { setId } = useParams({ from: '/workspace/app/memories/$setId' });
  const memories = useMemories();
  return (
    <>
      <p className={styles.back}>
        <Link to="/app/memories">{t('sets.all_memories')}</Link>
      </p>
      <Read from={memories} lines={12} heading="sets.memories">
        {(sets) => {
          const set = sets.find(({ id }) => id === setId);
          if (set) return <Memory key={set.id} set={set} />;
          return (
            <>
              <Heading of="sets.memories" />
              <p>{t('sets.gone')}</p>
            </>
          );
        }}
      </Read>
    </>
  );
}

function Memory({ set }: { set: TranslationMemorySet }) {
  const t = useT();
  const { moment } = useFormat();
  const navigate = useNavigate();
  const filter = useSearch({ from: '/workspace/app/memories/$setId' });
  return (
    <>
      <title>{`${plainName(set.name)} · LinguaLoop`}</title>
      <h1 className={styles.title}>
        <bdi translate="no">{set.name}</bdi>
      </h1>
      <div className={styles.summary}>
        {set.origin === 'golden_approved' && <span className="badge good">{t('sets.approved')}</span>}
        <PairName source={set.source_lang} target={set.target_lang} />
        <span>{t('sets.units_count', { count: set.entry_count })}</span>
        <span className={styles.soft}>
          {t('sets.changed')} <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
        </span>
      </div>
      <Actions set={set} />
      <ContentFilterFields
        filter={filter}
        onChange={(search) =>
          void navigate({
            to: '/app/memories/$setId',
            params: { setId: set.id },
            search,
            replace: true,
            resetScroll: false,
          })
        }
      />
      <Units set={set} filter={filter} />
    </>
  );
}

/** The actions on a whole TM: export, delete. */
function Actions({ set }: { set: TranslationMemorySet }) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const save = run(async () => {
    const file = await client.memory.export(set.id);
    await saveFile(file);
    announce(t('sets.exported', { name: file.fileName }));
  });
  const remove = async () => {
    await client.memory.delete(set.id);
    announce(t('sets.deleted', { name: set.name }));
    await navigate({ to: '/app/memories' });
    // The list must not show it before it is reloaded.
    queries.setQueryData<TranslationMemorySet[]>(queryKeys.memory.sets, (sets) =>
      sets?.filter(({ id }) => id !== set.id),
    );
    await queries.invalidateQueries({ queryKey: queryKeys.memory.all });
  };
  return (
    <>
      <div className="actions">
        <button type="button" disabled={isBusy} onClick={save}>
          <Icon of="download" /> {t(isBusy ? 'sets.exporting' : 'sets.export')}
        </button>
        <RemoveSet question={t('sets.delete_memory')} why={t('sets.delete_memory_why')} remove={remove} />
      </div>
      {error ? <Problem error={error} retry={() => void save()} /> : null}
    </>
  );
}

function Units({ set, filter }: { set: TranslationMemorySet; filter: ContentFilter }) {
  const t = useT();
  const { text, side, starts } = filter;
  // An import with the same name replaces the segments, so their pages are reloaded from the start.
  const { reading, more } = usePages(queryKeys.memory.units(set.id, set.updated_at, filter), (cursor) =>
    client.memory.browsePage({
      set_id: set.id,
      ...(text && { text, match: starts ? 'prefix' : 'contains' }),
      ...(side && { side }),
      ...(cursor && { cursor }),
    }),
  );
  return (
    <>
      <Read from={reading} lines={12}>
        {(units) =>
          units.length === 0 ? (
            <p>{t(more.hasNextPage ? 'sets.none_so_far' : text ? 'sets.none_found' : 'sets.empty_set')}</p>
          ) : (
            <UnitTable units={units} />
          )
        }
      </Read>
      <More of={more} />
    </>
  );
}
