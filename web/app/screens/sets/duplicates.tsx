import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Copy, Split } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { MemoryDuplicates, MemoryUnit, OtherTranslations, TranslationMemorySet } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Fill, Row, Stack } from '../../kit/box.tsx';
import { Card, Sides } from '../../kit/card.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText, plainName } from '../../parts/language-text.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './duplicates.module.css';
import { UndoChange } from './memory-changes.tsx';
import { SetScreen } from './set-screen.tsx';
import grid from './terms.module.css';
import { UnitOrigin } from './unit-list.tsx';
import { useMemories } from './use-imports.ts';
import { type MemoryChanges, useMemoryChanges } from './use-memory-changes.ts';

/** `/app/memories/{id}/duplicates`: merges identical segments, and decides between translations of one source. */
export function DuplicatesScreen() {
  const { setId } = useParams({ from: '/workspace/app/memories/$setId/duplicates' });
  const memories = useMemories();
  return (
    <SetScreen kind="memory" from={memories} setId={setId}>
      {(set) => <Duplicates key={set.id} set={set} />}
    </SetScreen>
  );
}

function Duplicates({ set }: { set: TranslationMemorySet }) {
  const t = useT();
  const changes = useMemoryChanges();
  const counts = useQuery({
    queryKey: queryKeys.memory.duplicates(set.id),
    queryFn: () => client.memory.duplicates(set.id),
  });
  /** The sources for which the member keeps all translations, until the screen is left. */
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  return (
    <>
      <title>{`${t('sets.duplicates')} · ${plainName(set.name)} · LinguaLoop`}</title>
      <PageHead title={t('sets.duplicates')} aside={<bdi translate="no">{set.name}</bdi>}>
        <Link to="/app/memories/$setId" params={{ setId: set.id }} className="button">
          {t('sets.done')}
        </Link>
      </PageHead>
      <Sides
        side={
          <Read from={{ ...counts, refetch: counts.refetch }} lines={5}>
            {(counted) => <Summary set={set} counts={counted} changes={changes} />}
          </Read>
        }
        main={
          <Sources
            set={set}
            changes={changes}
            kept={kept}
            onKeep={(source) => setKept((before) => new Set([...before, source]))}
          />
        }
      />
      <UndoChange changes={changes} />
    </>
  );
}

function Summary({
  set,
  counts: { segments, sources },
  changes,
}: {
  set: TranslationMemorySet;
  counts: MemoryDuplicates;
  changes: MemoryChanges;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const merge = run(async () =>
    changes.made(await client.memory.mergeDuplicates({ set_id: set.id, segments })),
  );
  return (
    <Stack gap={4}>
      <Figure
        title={
          <>
            <Copy size={16} aria-hidden /> {t('sets.identical')}
          </>
        }
        count={segments}
        why={t('sets.identical_why')}
      >
        <button type="button" aria-disabled={isBusy} disabled={segments === 0} onClick={merge}>
          {t('sets.merge', { count: segments })}
        </button>
        {error ? <Problem error={error} /> : null}
      </Figure>
      <Figure
        title={
          <>
            <Split size={16} aria-hidden /> {t('sets.others')}
          </>
        }
        count={sources}
        why={t('sets.others_why')}
      />
    </Stack>
  );
}

function Figure({
  title,
  count,
  why,
  children,
}: {
  title: ReactNode;
  count: number;
  why: string;
  children?: ReactNode;
}) {
  const { number } = useFormat();
  return (
    <Card gap={2}>
      <Row as="h2">
        <Text size="md">{title}</Text>
      </Row>
      <Text as="p" size="2xl" weight="bold">
        {number(count)}
      </Text>
      <Text as="p" size="sm" tone="soft">
        {why}
      </Text>
      {children}
    </Card>
  );
}

/** The sources with several translations. The first one that is not decided is open, unless the member moves on. */
function Sources({
  set,
  changes,
  kept,
  onKeep,
}: {
  set: TranslationMemorySet;
  changes: MemoryChanges;
  kept: ReadonlySet<string>;
  onKeep: (source: string) => void;
}) {
  const t = useT();
  const [place, setPlace] = useState(0);
  const { reading, more } = usePages(queryKeys.memory.otherTranslations(set.id), (cursor) =>
    client.memory.otherTranslationsPage({ set_id: set.id, ...(cursor && { cursor }) }),
  );
  const open = (reading.data ?? []).filter((source) => !kept.has(keyOf(source)));
  const active = Math.min(place, open.length - 1);
  useCommands({
    listDown: () => setPlace(Math.min(active + 1, open.length - 1)),
    listUp: () => setPlace(Math.max(active - 1, 0)),
  });
  return (
    <Stack gap={4}>
      <Read from={reading} lines={12}>
        {() =>
          open.length === 0 ? (
            <p role="status">{t(more.hasNextPage ? 'sets.none_so_far' : 'sets.no_others')}</p>
          ) : (
            open.map((source, at) => (
              <Source
                key={keyOf(source)}
                source={source}
                isActive={at === active}
                changes={changes}
                onActivate={() => setPlace(at)}
                onKeepAll={() => onKeep(keyOf(source))}
              />
            ))
          )
        }
      </Read>
      <More of={more} />
    </Stack>
  );
}

const keyOf = ({ units }: OtherTranslations) => units[0]?.source_text ?? '';

/** The letters of the translations that have a key. */
const letters = ['A', 'B', 'C', 'D'];

function Source({
  source: { units },
  isActive,
  changes,
  onActivate,
  onKeepAll,
}: {
  source: OtherTranslations;
  isActive: boolean;
  changes: MemoryChanges;
  onActivate: () => void;
  onKeepAll: () => void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [chosen, setChosen] = useState(0);
  const [first] = units;
  const target = units[chosen]?.target_text;
  const others = units.filter((unit) => unit.target_text !== target);
  const keep = run(() => changes.remove(others));
  const select = (at: number) => {
    setChosen(Math.min(at, units.length - 1));
    onActivate();
  };
  if (!first) return null;
  return (
    <Card as="section" pad={0} gap={0} isChosen={isActive}>
      {isActive && <Keys onSelect={select} onKeep={() => void keep()} onKeepAll={onKeepAll} />}
      <LanguageText as="h3" language={first.source_lang} className={`${grid.text} ${styles.source}`}>
        {first.source_text}
      </LanguageText>
      <Choices units={units} chosen={chosen} onSelect={select} />
      <Row pad={4}>
        <button type="button" className={isActive ? 'primary' : ''} aria-disabled={isBusy} onClick={keep}>
          {t('sets.keep_one', { letter: letterOf(chosen), count: others.length })} {isActive && <kbd>⏎</kbd>}
        </button>
        <button type="button" disabled={isBusy} onClick={onKeepAll}>
          {t('sets.keep_all')} {isActive && <kbd>S</kbd>}
        </button>
      </Row>
      {error ? <Problem error={error} /> : null}
    </Card>
  );
}

/** The keys of the open source. */
function Keys({
  onSelect,
  onKeep,
  onKeepAll,
}: {
  onSelect: (at: number) => void;
  onKeep: () => void;
  onKeepAll: () => void;
}) {
  useCommands({
    selectA: () => onSelect(0),
    selectB: () => onSelect(1),
    selectC: () => onSelect(2),
    selectD: () => onSelect(3),
    keepAll: onKeepAll,
    open: onKeep,
  });
  return null;
}

const letterOf = (at: number) => String.fromCharCode(65 + at);

function Choices({
  units,
  chosen,
  onSelect,
}: {
  units: readonly MemoryUnit[];
  chosen: number;
  onSelect: (at: number) => void;
}) {
  const t = useT();
  const { day, number } = useFormat();
  const name = useId();
  return (
    <ul className="bare">
      {units.map((unit, at) => (
        <li
          key={`${unit.set_id} ${unit.unit_no}`}
          className={styles.choice}
          data-chosen={at === chosen || undefined}
        >
          <Row as="label" gap={3} align="start" isTight>
            {letters[at] && <kbd>{letters[at]}</kbd>}
            <input type="radio" name={name} checked={at === chosen} onChange={() => onSelect(at)} />
            <Fill>
              <LanguageText as="span" language={unit.target_lang} className={grid.text}>
                {unit.target_text}
              </LanguageText>
              {at === 0 && (
                <Text as="small" tone="soft">
                  {t('sets.served_now')}
                </Text>
              )}
            </Fill>
          </Row>
          <Text size="xs" tone="soft">
            <bdi translate="no">{unit.set_name}</bdi> ·{' '}
            <time dateTime={unit.changed_at}>{day(unit.changed_at)}</time> · <UnitOrigin unit={unit} />
          </Text>
          <span title={t('sets.used')}>{number(unit.served)}</span>
        </li>
      ))}
    </ul>
  );
}
