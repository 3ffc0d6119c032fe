import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import { useT } from '../i18n.tsx';
import { useLanguages } from '../parts/languages.tsx';
import { unitMark } from '../terms/selected-words.ts';
import styles from './editor.module.css';
import { useEditorView } from './editor-view.ts';
import type { RowSource } from './row-source.ts';
import type { EditedSegment, SegmentRange } from './segment.ts';
import { SegmentRow } from './segment-row.tsx';

/** Rows before and after the visible ones that are in the page, so that scrolling shows no gaps. */
const overscan = 8;

interface GridProps<Segment extends EditedSegment> {
  source: RowSource<Segment>;
  range: SegmentRange<Segment>;
  /** The open row. */
  renderOpen: (segment: Segment) => ReactNode;
}

const noHolders: readonly string[] = [];

/**
 * The segments as a grid with one tab stop. Only the visible rows and the open one are in the page. Arrow keys in the
 * grid open the next or previous segment, Page Up and Page Down one a page away, Home and End the first and last one. The
 * grid keeps the focus; Enter moves it into the field.
 */
export function SegmentGrid<Segment extends EditedSegment>({
  source,
  range,
  renderOpen,
}: GridProps<Segment>) {
  const { saves, outline, languages, languagesOf, filter, open, holders, openAt, move, onVisible } = source;
  const t = useT();
  const scroller = useRef<HTMLDivElement>(null);
  const edits = useSyncExternalStore(saves.subscribe, saves.all);
  const openIndex = open?.index ?? -1;
  const { isListOpen, showsChanges } = useEditorView();
  const virtual = useVirtualizer({
    count: range.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => 62,
    overscan,
    // The open row stays in the page when it is scrolled out of view: it has the reviewer's text and focus.
    rangeExtractor: useCallback(
      ({ startIndex, endIndex }: { startIndex: number; endIndex: number }) => {
        const first = Math.max(0, startIndex - overscan);
        const last = Math.min(range.total - 1, endIndex + overscan);
        const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
        if (openIndex >= 0 && openIndex < first) indexes.unshift(openIndex);
        if (openIndex > last && openIndex < range.total) indexes.push(openIndex);
        return indexes;
      },
      [openIndex, range.total],
    ),
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onVisible([first, last]), [first, last, onVisible]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have other heights when they are loaded, and a phone scrolls only in the list
  useEffect(() => {
    if (openIndex >= 0) virtual.scrollToIndex(openIndex, { align: 'auto' });
  }, [openIndex, virtual, range.at(openIndex) === undefined, isListOpen]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = stepOf(event, virtual.range ? virtual.range.endIndex - virtual.range.startIndex : 1);
    if (step === undefined) return;
    event.preventDefault();
    // The focused cell may leave the page.
    scroller.current?.focus();
    move(step, false);
  };

  return (
    <div
      {...unitMark}
      role="grid"
      onKeyDown={onKeyDown}
      aria-label={t('editor.segments')}
      aria-rowcount={range.total + 1}
      aria-colcount={3}
      className={styles['grid']}
      style={{ '--digits': String(outline?.segments ?? range.total).length } as CSSProperties}
      tabIndex={0}
      ref={scroller}
    >
      <GridHead languages={languages} />
      <div role="rowgroup" className={styles['rows']} style={{ blockSize: virtual.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const segment = range.at(index);
          const isOpen = segment !== undefined && segment.position === open?.position;
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              role="row"
              data-index={index}
              data-open={isOpen || undefined}
              aria-rowindex={index + 2}
              aria-selected={isOpen}
              aria-busy={segment === undefined || undefined}
              className={styles['item']}
              style={{ transform: `translateY(${start}px)` }}
            >
              {segment === undefined && <div className={styles['skeleton']} />}
              {segment && isOpen && renderOpen(segment)}
              {segment && !isOpen && (
                <SegmentRow
                  segment={segment}
                  edit={edits.get(segment.position)}
                  languages={languagesOf(segment)}
                  sought={filter.text}
                  showsChanges={showsChanges}
                  holders={holders.get(segment.position) ?? noHolders}
                  onOpen={openAt}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function GridHead({ languages }: Pick<RowSource, 'languages'>) {
  const t = useT();
  const { nameOf } = useLanguages();
  const [source, target] = languages
    ? [
        t('editor.source_in', { language: nameOf(languages.source) }),
        t('editor.translation_in', { language: nameOf(languages.target) }),
      ]
    : [t('editor.source'), t('editor.translation')];
  return (
    <div role="row" aria-rowindex={1} className={styles['gridHead']}>
      <span role="columnheader">
        <span className="visually-hidden">{t('editor.number')}</span>
      </span>
      <span role="columnheader">{source}</span>
      <span role="columnheader">{target}</span>
    </div>
  );
}

/** The number of rows by which a key moves; undefined for other keys, and in a field or on a button. */
function stepOf(
  { key, target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent<HTMLDivElement>,
  page: number,
): number | undefined {
  const role = (target as Element).getAttribute('role');
  if ((role !== 'grid' && role !== 'gridcell') || altKey || ctrlKey || metaKey || shiftKey) return undefined;
  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: Math.max(1, page),
    PageUp: -Math.max(1, page),
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  return steps[key];
}
