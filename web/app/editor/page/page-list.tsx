import { GripVertical, Pin } from 'lucide-react';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useEditorView } from '../editor-view.ts';
import { type OpenField, OpenSegment } from '../open-segment.tsx';
import type { RowSource } from '../row-source.ts';
import type { Segment } from '../segment-filter.ts';
import { SegmentRow } from '../segment-row.tsx';
import styles from './page.module.css';
import type { Mode, PageText } from './page-texts.ts';
import { SplitText } from './split-text.tsx';

const noHolders: readonly string[] = [];

/** The texts of a page in the reading order, one of them open. A row is dragged to another place by its handle. */
export function PageList({
  source,
  field,
  texts,
  chosen,
  mode,
  isWriting,
  isReadOnly,
  waiting,
  onChoose,
  onWrite,
  onKeyDown,
  onMode,
  onOrder,
  onSplit,
  onCancel,
}: {
  source: RowSource<Segment>;
  field: RefObject<OpenField | null>;
  /** In the reading order, as shown while a text is moved; then those that are not translated. */
  texts: readonly PageText[];
  chosen: readonly string[];
  mode: Mode;
  isWriting: boolean;
  isReadOnly: boolean;
  /** The texts of fixes that are not stored. */
  waiting: ReadonlySet<string>;
  onChoose: (ids: readonly string[], add?: 'toggle' | 'range') => void;
  onWrite: (id: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onMode: (mode: Mode) => void;
  onOrder: (id: string, index: number) => void;
  onSplit: (id: string, at: number[]) => void;
  onCancel: () => void;
}) {
  const t = useT();
  const { saves, holders, languagesOf, open } = source;
  const { showsChanges } = useEditorView();
  const edits = useSyncExternalStore(saves.subscribe, saves.all);
  const grid = useRef<HTMLDivElement>(null);
  const segments = texts.filter(({ segment }) => segment);
  const kept = texts.filter(({ segment }) => !segment);
  const moved = mode.kind === 'order' ? texts.find(({ id }) => id === mode.id) : undefined;
  const before = mode.kind === 'order' ? segments[mode.index - 1]?.segment : undefined;
  const place = mode.kind === 'order' ? mode.index : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step is announced
  useEffect(() => {
    if (place !== undefined)
      announce(before ? t('pageView.after', { number: before.position + 1 }) : t('pageView.first'));
  }, [place]);
  const current = chosen.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a moved row is at another place
  useEffect(() => {
    grid.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current, place, mode.kind]);
  const drag = (event: PointerEvent, { id }: PageText) => {
    event.preventDefault();
    let index = segments.findIndex((one) => one.id === id);
    const from = index;
    const move = ({ clientY }: globalThis.PointerEvent) => {
      const rows = [...(grid.current?.querySelectorAll('[data-row]') ?? [])];
      const over = rows.findIndex((row) => clientY < row.getBoundingClientRect().bottom);
      index = over < 0 ? rows.length - 1 : over;
      onMode({ kind: 'order', id, index });
    };
    const end = ({ type }: Event) => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      if (type === 'pointerup' && index !== from) onOrder(id, index);
      else onCancel();
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  };
  /** A click opens a row; with Shift or Ctrl, it only changes the selection. */
  const click = (event: MouseEvent, { id }: PageText) => {
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return;
    event.stopPropagation();
    onChoose([id], event.shiftKey ? 'range' : 'toggle');
  };
  const rowOf = (text: PageText) => {
    const { id, segment } = text;
    const isChosen = chosen.includes(id);
    const isSplit = mode.kind === 'split' && mode.id === id;
    const isOpen =
      isChosen &&
      chosen.length === 1 &&
      segment?.position === open?.position &&
      (mode.kind === 'select' || mode.id !== id);
    return (
      <div
        key={id}
        role="row"
        aria-selected={isChosen}
        className={styles.item}
        data-row={segment ? id : undefined}
        data-open={isOpen || isSplit || undefined}
        data-chosen={isChosen || undefined}
        data-current={id === current || undefined}
        data-waiting={waiting.has(id) || undefined}
        data-moved={id === moved?.id || undefined}
        onClickCapture={(event) => click(event, text)}
      >
        {!segment && (
          <div className={styles.keptRow} onClick={() => onChoose([id])}>
            <span role="rowheader">
              <Pin size={13} aria-hidden />
              <span className="visually-hidden">{t('pageView.kept')}</span>
            </span>
            <span role="gridcell">
              <LanguageText language={source.languages?.source ?? 'auto'}>{text.text}</LanguageText>
            </span>
          </div>
        )}
        {segment && isSplit && (
          <SplitText
            text={text}
            language={languagesOf(segment).source}
            onSplit={(at) => onSplit(id, at)}
            onCancel={onCancel}
          />
        )}
        {segment && isOpen && (
          <OpenSegment
            key={segment.position}
            {...{ segment, source, field }}
            takesFocus={isWriting}
            onConfirmed={() => source.goOn(t('editor.confirmed', { number: segment.position + 1 }))}
          />
        )}
        {segment && !isOpen && !isSplit && (
          <SegmentRow
            segment={segment}
            edit={edits.get(segment.position)}
            languages={languagesOf(segment)}
            sought={undefined}
            showsChanges={showsChanges}
            holders={holders.get(segment.position) ?? noHolders}
            onOpen={() => onWrite(id)}
          />
        )}
        {segment && text.isKept && !isOpen && (
          <Pin size={13} className={styles.keptMark} aria-label={t('pageView.kept')} />
        )}
        {segment && !isReadOnly && !isOpen && !isSplit && (
          <span
            className={styles.grip}
            title={t('pageView.drag')}
            aria-hidden
            onPointerDown={(event) => drag(event, text)}
          >
            <GripVertical size={14} />
          </span>
        )}
      </div>
    );
  };
  return (
    <div
      ref={grid}
      role="grid"
      aria-multiselectable
      aria-label={t('editor.segments')}
      className={styles.list}
      style={
        {
          '--digits': String(Math.max(...segments.map(({ segment }) => segment!.position + 1))).length,
        } as CSSProperties
      }
      tabIndex={0}
      onKeyDown={(event) => event.target === event.currentTarget && onKeyDown(event)}
    >
      {segments.map(rowOf)}
      {kept.length > 0 && (
        <div role="row" className={styles.keptHead}>
          <span role="columnheader">{t('pageView.kept_texts', { count: kept.length })}</span>
        </div>
      )}
      {kept.map(rowOf)}
    </div>
  );
}
