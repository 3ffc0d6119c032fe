import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { SegmentRange } from '../../editor/segment.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import type { CorrectionStore } from './corrections.ts';
import styles from './documents.module.css';
import type { Segment, SegmentFilter } from './search.ts';
import { type Languages, SegmentRow } from './segment-row.tsx';
import { indexOf, maxInDom, useSegments } from './use-segments.ts';

interface ListProps {
  documentId: string;
  filter: SegmentFilter;
  languages: Languages;
  corrections: CorrectionStore;
  /** The position of the current segment. */
  current: number | null;
  mayEdit: boolean;
  onOpen: (position: number) => void;
  /** Called if the current segment does not match the filter. */
  onHidden: () => void;
}

/**
 * The segments in reading order. Up to 2,000 segments are all in the DOM. Of a longer list, only the visible segments
 * are in the DOM, and a search is made by the service.
 */
export const SegmentList = memo(function SegmentList(props: ListProps) {
  const t = useT();
  const { number } = useFormat();
  const { documentId, filter } = props;
  const [visible, setVisible] = useState<readonly [number, number]>([0, 0]);
  const segments = useSegments(documentId, filter, visible);
  return (
    <Read from={segments} lines={20}>
      {(range) => (
        <>
          <p className={styles.found} role="status">
            {t('documents.found', { count: range.total, total: number(range.total) })}
          </p>
          {range.total > 0 && <Rows {...props} range={range} onVisible={setVisible} />}
        </>
      )}
    </Read>
  );
});

function Rows({
  range,
  onVisible,
  ...props
}: ListProps & { range: SegmentRange<Segment>; onVisible: (visible: readonly [number, number]) => void }) {
  const { documentId, filter, languages, corrections, current, mayEdit, onOpen, onHidden } = props;
  const t = useT();
  const isWhole = range.total <= maxInDom;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const virtual = useVirtualizer({
    count: range.total,
    enabled: !isWhole,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onVisible([first, last]), [first, last, onVisible]);

  const show = useCallback(
    (index: number) => {
      if (isWhole) list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
      else virtual.scrollToIndex(index, { align: 'auto' });
    },
    [isWhole, virtual],
  );
  const shown = useRef<number | null>(null);
  const isNew = useRef(true);
  // Scrolls to the current segment, which may have been selected in the preview, by keyboard, or before this filter was
  // set.
  useEffect(() => {
    const isFirst = isNew.current;
    isNew.current = false;
    if (current === null || shown.current === current) return;
    shown.current = current;
    let isLate = false;
    void indexOf(documentId, filter, current).then(
      (index) => {
        if (isLate) return;
        if (index !== undefined) show(index);
        // `onHidden` clears the filter, so it is not called for a filter that was just selected.
        else if (!isFirst) onHidden();
      },
      () => {},
    );
    return () => {
      isLate = true;
    };
  }, [current, documentId, filter, show, onHidden]);

  const known = useRef(range);
  known.current = range;
  const move = useCallback(
    (from: number, step: 1 | -1) => {
      const next = known.current.at(from + step);
      if (next) onOpen(next.position);
    },
    [onOpen],
  );
  const row = (index: number) => {
    const segment = range.at(index);
    if (!segment) return <div className={styles.row} aria-busy="true" />;
    return (
      <SegmentRow
        documentId={documentId}
        segment={segment}
        corrections={corrections}
        languages={languages}
        isCurrent={segment.position === current}
        mayEdit={mayEdit}
        onOpen={onOpen}
        index={index}
        onMove={move}
      />
    );
  };
  const label = t('documents.segments');
  return (
    <div ref={scroller} className={styles.rows}>
      {isWhole ? (
        <ul ref={list} aria-label={label}>
          {Array.from({ length: range.total }, (_, index) => (
            <li key={range.at(index)?.position ?? `index ${index}`} className={styles.item}>
              {row(index)}
            </li>
          ))}
        </ul>
      ) : (
        <ul aria-label={label} className={styles.virtual} style={{ blockSize: virtual.getTotalSize() }}>
          {items.map(({ key, index, start }) => (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={range.total}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row(index)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
