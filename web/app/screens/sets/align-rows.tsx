import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, Undo2 } from 'lucide-react';
import {
  Fragment,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { keyLabel } from '../../keys/commands.ts';
import { isComposing } from '../../keys/match-key.ts';
import { Fill, Row, Stack } from '../../kit/box.tsx';
import { Chips } from '../../kit/chips.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useAction } from '../../parts/use-action.ts';
import styles from './align.module.css';
import { EditedLink, LinkCells, statusMarks, statusNames } from './align-cells.tsx';
import { type Link, type LinkStatus, textsOf } from './alignment.ts';
import type { AlignmentWork } from './kept-alignment.ts';
import { actOfKey, type Corrections, type Filter, useCorrections, useKeeping } from './use-corrections.ts';

/** Milliseconds after the last change until its pairs are compared with the memory. */
const pause = 800;

/** Maximum pairs that are sent only to count those that the memory has. */
const maxCompared = 2000;

/** Rows before and after the visible ones that are in the page. */
const overscan = 8;

/**
 * The links of two files, which the member corrects and then adds to a memory.
 * @param first the work as it was aligned, or as it was kept
 * @param isStored whether the pairs were added, so that the work is not kept any longer
 */
export function AlignedRows({
  first,
  isStored,
  onAdd,
}: {
  first: AlignmentWork;
  isStored: RefObject<boolean>;
  onAdd: (
    work: Pick<AlignmentWork, 'into' | 'languages' | 'files'>,
    pairs: { source: string; target: string }[],
  ) => Promise<void>;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const { run, error, isBusy } = useAction();
  const corrections = useCorrections(first, grid);
  const { links, least, statuses } = corrections;
  useKeeping({ ...first, links, least }, isStored);
  const counts = useMemo(() => {
    const found = { all: statuses.length, accepted: 0, check: 0, single: 0, skipped: 0 };
    for (const status of statuses) found[status] += 1;
    return found;
  }, [statuses]);
  const add = run(async () => {
    if (counts.accepted === 0) return;
    const pairs = links.filter((_, index) => statuses[index] === 'accepted');
    await onAdd(
      first,
      pairs.map((one) => textsOf(one, first.languages)),
    );
  });
  const foot = { corrections, counts, work: first, isBusy: isBusy || counts.accepted === 0 };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const native = event.nativeEvent;
    if (isComposing(native) || (event.target as Element).closest('textarea')) return;
    const rowHeight = 58;
    const page = Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / rowHeight) - 1);
    const act = actOfKey(corrections, native, { isInGrid: event.target === grid.current, page });
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <div className={styles.work} onKeyDown={onKeyDown}>
      <Filters corrections={corrections} counts={counts} />
      <LinkGrid grid={grid} corrections={corrections} work={first} />
      {error ? <Problem error={error} retry={() => void add()} /> : null}
      <Foot {...foot} onAdd={() => void add()} />
    </div>
  );
}

type Counts = Record<LinkStatus | 'all', number>;

const filters: readonly Filter[] = ['all', 'accepted', 'check', 'single'];

/** Buttons that show only links of one status, with their numbers, and the least confidence. */
function Filters({
  corrections: { filter, setFilter, least, setLeast },
  counts,
}: {
  corrections: Corrections;
  counts: Counts;
}) {
  const t = useT();
  const { number, percent } = useFormat();
  return (
    <Row pad={2}>
      <Chips
        label={t('align.links')}
        value={filter}
        options={filters.map((one) => [
          one,
          <Fragment key={one}>
            {one !== 'all' && <StatusMark status={statusMarks[one]} size={14} />}
            {t(one === 'all' ? 'align.all' : statusNames[one])} <b>{number(counts[one])}</b>
          </Fragment>,
        ])}
        onChange={setFilter}
      >
        <Row as="label" isTight>
          {t('align.least')}
          <input
            type="range"
            min={50}
            max={100}
            value={Math.round(least * 100)}
            aria-valuetext={percent(least)}
            style={{ inlineSize: 120, padding: 0 }}
            onChange={({ target }) => setLeast(Number(target.value) / 100)}
          />
          <output>{percent(least)}</output>
        </Row>
      </Chips>
    </Row>
  );
}

/** The rows that are in the page: those that are visible, and the active one at `place`. */
function useRows(grid: RefObject<HTMLDivElement | null>, shown: readonly number[], place: number) {
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => grid.current,
    getItemKey: (index) => shown[index]!,
    estimateSize: () => 58,
    overscan,
    // The head covers the first row, and the active row becomes higher.
    scrollPaddingEnd: 96,
    // The active row stays in the page, because the grid refers to it.
    rangeExtractor: useCallback(
      ({ startIndex, endIndex }: { startIndex: number; endIndex: number }) => {
        const [from, to] = [
          Math.max(0, startIndex - overscan),
          Math.min(shown.length - 1, endIndex + overscan),
        ];
        const rows = Array.from({ length: to - from + 1 }, (_, index) => from + index);
        if (place >= 0 && place < from) rows.unshift(place);
        if (place > to) rows.push(place);
        return rows;
      },
      [place, shown.length],
    ),
  });
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: 'auto' });
  }, [place, virtual]);
  return virtual;
}

/** The grid with one tab stop. Only the visible rows and the active one are in the page. */
function LinkGrid({
  grid,
  corrections: { links, statuses, shown, place, current, edited, acts },
  work: { files, languages },
}: {
  grid: RefObject<HTMLDivElement | null>;
  corrections: Corrections;
  work: AlignmentWork;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const id = useId();
  const virtual = useRows(grid, shown, place);
  /** The number of each link's first sentence on both sides, from 1; then one more than that of the last one. */
  const numbers = useMemo(() => numbersOf(links), [links]);
  const ends = numbers.at(-1)!;
  return (
    <div
      ref={grid}
      role="grid"
      tabIndex={0}
      aria-label={t('align.links')}
      aria-rowcount={shown.length + 1}
      aria-colcount={4}
      aria-activedescendant={current === undefined ? undefined : `${id}-${current}`}
      className={styles.grid}
    >
      <div role="row" aria-rowindex={1} tabIndex={-1} className={`${styles.row} ${styles.head}`}>
        {(['source', 'target'] as const).map((side, index) => (
          <span key={side} role="columnheader" tabIndex={-1} className={styles[side]}>
            <bdi translate="no">{files[side]}</bdi>{' '}
            <small>
              {nameOf(languages[side])} · {t('align.sentences', { count: ends[index]! - 1 })}
            </small>
          </span>
        ))}
        <span role="columnheader" tabIndex={-1} className={styles.link}>
          <span className="visually-hidden">{t('align.link_column')}</span>
        </span>
        <span role="columnheader" tabIndex={-1} className={styles.acts}>
          <span className="visually-hidden">{t('sets.actions')}</span>
        </span>
      </div>
      {shown.length === 0 && <p className="hint">{t('align.no_rows')}</p>}
      <div role="rowgroup" className={styles.rows} style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const linkIndex = shown[index]!;
          const isActive = linkIndex === current;
          return (
            <div
              key={key}
              id={`${id}-${linkIndex}`}
              ref={virtual.measureElement}
              role="row"
              tabIndex={-1}
              data-index={index}
              data-active={isActive || undefined}
              data-status={statuses[linkIndex]}
              aria-rowindex={index + 2}
              aria-selected={isActive}
              className={styles.row}
              style={{ transform: `translateY(${start}px)` }}
            >
              {edited === linkIndex ? (
                <EditedLink link={links[linkIndex]!} at={linkIndex} languages={languages} acts={acts} />
              ) : (
                <LinkCells
                  link={links[linkIndex]!}
                  at={linkIndex}
                  status={statuses[linkIndex]!}
                  numbers={numbers[linkIndex]!}
                  isActive={isActive}
                  languages={languages}
                  acts={acts}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The progress, the memory that gets the pairs, and the actions with their keys. */
function Foot({
  corrections: { links, statuses, canUndo, undo, goToCheck },
  counts,
  work,
  isBusy,
  onAdd,
}: {
  corrections: Corrections;
  counts: Counts;
  work: AlignmentWork;
  isBusy: boolean;
  onAdd: () => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const stored = useStored(work, links, statuses);
  const total = counts.all - counts.skipped;
  return (
    <footer className={styles.foot}>
      <Stack gap={1}>
        <Text size="xs" weight="semi">
          {t('align.progress', {
            accepted: number(counts.accepted),
            total: number(total),
          })}
        </Text>
        <div className="status-bar" aria-hidden>
          {(['accepted', 'check'] as const).map((status) => (
            <i
              key={status}
              data-status={status === 'accepted' ? 'confirmed' : 'flagged'}
              style={{
                inlineSize: `${(100 * counts[status]) / Math.max(1, total)}%`,
              }}
            />
          ))}
        </div>
      </Stack>
      <Fill>
        <Text size="sm" tone="soft">
          {t('align.into')} <bdi translate="no">{work.into.name}</bdi>
          {stored !== undefined && `, ${t('align.already', { count: stored })}`}
        </Text>
      </Fill>
      <button type="button" className="ghost" disabled={!canUndo} onClick={undo}>
        <Undo2 size={16} aria-hidden className="mirrored" /> {t('sets.undo')} <kbd>{keyLabel('Mod+z')}</kbd>
      </button>
      <button type="button" disabled={counts.check === 0} onClick={() => goToCheck()}>
        <ArrowDown size={16} aria-hidden /> {t('align.next')} <kbd>F8</kbd>
      </button>
      <button type="button" className="primary" aria-disabled={isBusy} onClick={onAdd}>
        {t('align.add', { count: counts.accepted - (stored ?? 0) })}
      </button>
    </footer>
  );
}

function numbersOf(links: readonly Link[]): [source: number, target: number][] {
  let [source, target] = [1, 1];
  const numbers = links.map(({ sources, targets }): [number, number] => {
    const here: [number, number] = [source, target];
    source += sources.length;
    target += targets.length;
    return here;
  });
  return [...numbers, [source, target]];
}

/** Returns how many of the accepted pairs an existing memory has; undefined if it is not known. */
function useStored(
  { into, languages }: AlignmentWork,
  links: readonly Link[],
  statuses: readonly LinkStatus[],
): number | undefined {
  const [stored, setStored] = useState<number>();
  useEffect(() => {
    const accepted = links.filter((_, index) => statuses[index] === 'accepted');
    setStored(undefined);
    if (into.id === undefined || accepted.length === 0 || accepted.length > maxCompared) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const request = { source_lang: languages.source, target_lang: languages.target, is_preview: true };
      const pairs = accepted.map((one) => textsOf(one, languages));
      client.memory
        .addPairs({ set_id: into.id, pairs, ...request }, { signal: abort.signal })
        .then(({ already_there }) => setStored(already_there))
        // Only a hint: an error is shown when the pairs are added.
        .catch(() => {});
    }, pause);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [into, languages, links, statuses]);
  return stored;
}
