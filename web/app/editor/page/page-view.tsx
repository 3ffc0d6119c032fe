import { useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Minus, Plus } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { personPrefix } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Row } from '../../kit/box.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Segments } from '../../kit/segments.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { problemText } from '../../parts/problem.tsx';
import { procedures } from '../../procedures.ts';
import { isVisitor } from '../../session/keeper.ts';
import { DocumentPanel } from '../document-panel.tsx';
import type { Languages } from '../marks.ts';
import type { OpenField } from '../open-segment.tsx';
import { useRendering } from '../preview/preview.tsx';
import type { Side } from '../preview/preview-props.ts';
import type { RowSource } from '../row-source.ts';
import { segmentAt } from '../segment-cache.ts';
import type { Outline, Segment } from '../segment-filter.ts';
import { UnsavedEdits } from '../store-all.ts';
import type { useDecisions } from '../use-decisions.ts';
import { FixBar, FixStatus } from './fix-bar.tsx';
import styles from './page.module.css';
import { type Act, conflictOf, type Fix, type Fixes, PageFixes, textsOfFix } from './page-fixes.ts';
import { PageList } from './page-list.tsx';
import {
  fixOf,
  isDivided,
  type Mode,
  type PageText,
  type Refusal,
  refusalOf,
  usePageTexts,
} from './page-texts.ts';
import { Paper } from './paper.tsx';
import { Places, usePlaces } from './places.tsx';

interface PageViewProps {
  document: TenantDocumentJob;
  source: RowSource<Segment> & { outline: Outline | undefined; languages: Languages };
  field: RefObject<OpenField | null>;
  fixing: ReturnType<typeof useDecisions>['fixing'];
  isReadOnly: boolean;
  lead: ReactNode;
}

const noTexts: readonly PageText[] = [];

/** The factors by which a page is shown larger. */
const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

/** The pages of a PDF, whose texts a reviewer joins, divides, keeps and orders, with the list of the texts of a page. */
export default function PageView(props: PageViewProps) {
  const t = useT();
  const { document, source, field, isReadOnly, lead } = props;
  const { holders, outline, saves } = source;
  const row = useDeferredValue(source.row);
  const selection = useSelection(document.id, source);
  const { page, lastPage, found, all, chosen, chosenTexts, mode, refusal } = selection;
  const { choose, select, onChoose, turn, setMode, setRefusal } = selection;
  const [isWriting, setWriting] = useState(false);
  const [side, setSide] = useState<Side | 'both'>(document.request.output === 'docx' ? 'source' : 'target');
  const [zoom, setZoom] = useState(1);
  const frames = useRef<HTMLDivElement>(null);
  const fixes = useFixes(props, (segments) => {
    const [first] = segments;
    if (!first) return;
    choose(
      segments.map(({ region_id }) => region_id),
      first.page,
    );
    source.openAt(first.position);
  });
  const rendering = useRendering(document.id, saves, side !== 'source');
  const doubts = usePlaces(document.id, selection, (place) => isReadOnly || fixes.add(place.mend));
  const { places } = doubts;
  const waiting = new Set(fixes.waiting.flatMap(textsOfFix));
  const refuse = (act: Act) => refusalOf(act, chosenTexts, all, { holders, waiting });
  const perform = (act: Act) => {
    if (isReadOnly || chosen.length === 0) return;
    const why = refuse(act);
    setRefusal(why && { act, refusal: why });
    if (why) return;
    const [one] = chosenTexts as [PageText];
    if (act === 'order') setMode({ kind: 'order', id: one.id, index: all.indexOf(one) });
    else if (act !== 'split') fixes.add(fixOf(act, chosenTexts));
    else if (isDivided(one)) fixes.add({ action: 'split', region_id: one.id, at: [] });
    else setMode({ kind: 'split', id: one.id });
  };
  const toPage = () => {
    setMode({ kind: 'select' });
    frames.current?.focus();
  };
  const split = (id: string, at: number[]) => {
    fixes.add({ action: 'split', region_id: id, at });
    toPage();
  };
  /** Stores the place of a text in the list, and returns to the selection. */
  const order = async (id: string, index: number) => {
    toPage();
    const others = all.filter((text) => text.id !== id && text.segment);
    const before = others[index - 1]?.id;
    try {
      const after = before ?? (await lastTextBefore(document.id, page, outline));
      if (all[index]?.id !== id) fixes.add({ action: 'order', region_id: id, after });
    } catch (error) {
      announce(problemText(error, t));
    }
  };
  const write = (id = chosen.at(-1)) => {
    const text = all.find((one) => one.id === id);
    if (!text?.segment) return;
    setWriting(true);
    if (chosen.length !== 1 || chosen[0] !== text.id) select([text.id]);
    field.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget } = event;
    if (altKey) return;
    const isRightToLeft = getComputedStyle(currentTarget).direction === 'rtl';
    const step = {
      ArrowDown: 1,
      ArrowUp: -1,
      ArrowRight: isRightToLeft ? -1 : 1,
      ArrowLeft: isRightToLeft ? 1 : -1,
    }[key];
    const at = all.findIndex(({ id }) => id === chosen.at(-1));
    const goTo = (index: number) => {
      const next = all[Math.max(0, Math.min(all.length - 1, index))];
      if (next) onChoose([next.id], shiftKey ? 'range' : undefined);
    };
    if (mode.kind === 'order' && step !== undefined) {
      const most = all.filter(({ segment }) => segment).length - 1;
      setMode({ ...mode, index: Math.max(0, Math.min(most, mode.index + step)) });
    } else if (mode.kind === 'order' && key === 'Enter') void order(mode.id, mode.index);
    else if (key === 'Escape' && mode.kind !== 'select') toPage();
    else if (key === 'Escape' && chosen.length > 0) choose([]);
    else if (step !== undefined && !ctrlKey && !metaKey) goTo(at < 0 ? 0 : at + step);
    else if (key === 'Home' || key === 'End') goTo(key === 'Home' ? 0 : all.length - 1);
    else if (key === 'a' && (ctrlKey || metaKey))
      choose(all.filter(({ segment }) => segment).map(({ id }) => id));
    else if (key === 'Enter' && !ctrlKey && !metaKey) write();
    else return;
    event.preventDefault();
  };
  useCommands({
    join: () => perform('join'),
    split: () => perform('split'),
    keep: () => perform('keep'),
    translate: () => perform('translate'),
    order: () => perform('order'),
    nextPage: () => turn(1),
    previousPage: () => turn(-1),
    open: () => write(),
    toList: () => frames.current?.focus(),
  });

  const shownTexts = mode.kind === 'order' ? movedTo(all, mode.id, mode.index) : all;
  const shown = side === 'both' ? (['source', 'target'] as const) : [side];
  const made =
    fixes.state.kind === 'done' ? fixes.state.fixed.segments.map(({ region_id }) => region_id) : [];
  const isSetting = fixes.state.kind === 'sending' || rendering === 'updating';
  const touched = new Set([...waiting, ...(rendering === 'updating' ? made : [])]);
  return (
    <>
      <PageTools
        {...{ document, lead, page, lastPage, side, zoom }}
        onTurn={turn}
        onSide={setSide}
        onZoom={setZoom}
      />
      <div className={styles.view} data-writing={isWriting || undefined}>
        <section className={styles.desk} aria-label={t('pageView.page')}>
          <div className={styles.papers} data-scroller>
            {shown.map((one, index) => (
              <Paper
                key={one}
                side={one}
                {...{ document, page, zoom, chosen, touched, holders, onChoose, onKeyDown }}
                texts={shownTexts}
                places={places}
                size={`${zoom} ${side}`}
                isNumbered={mode.kind === 'order'}
                isBusy={isSetting && touched.size > 0}
                focus={index === shown.length - 1 ? frames : null}
                onWrite={write}
                onFocus={() => setWriting(false)}
              />
            ))}
          </div>
          {chosen.length !== 1 && <NotOne />}
          <div className={styles.dock}>
            <FixStatus
              documentId={document.id}
              {...{ fixes, page, rendering }}
              onUndo={source.undo}
              onRetry={saves.touch}
            />
            {!isWriting && mode.kind !== 'split' && (
              <FixBar
                {...{ document, isReadOnly, mode, refusal }}
                chosen={chosenTexts}
                refuse={refuse}
                onAct={perform}
                onSelect={select}
                onWrite={write}
                onDone={() => (mode.kind === 'order' ? void order(mode.id, mode.index) : toPage())}
                onClear={() => choose([])}
              />
            )}
          </div>
        </section>
        <div className={styles.side}>
          <DocumentPanel
            {...{ document, field, outline, saves }}
            segment={row}
            languages={source.languages}
            onOpen={source.openAt}
            onFilter={source.onFilter}
            list={
              <Read from={{ data: found.texts, error: found.error, refetch: found.refetch }} lines={20}>
                {() => (
                  <div className={styles.listTab}>
                    <Places {...doubts} texts={all} />
                    <PageList
                      texts={shownTexts}
                      {...{ source, field, chosen, mode, isWriting, isReadOnly, waiting }}
                      onChoose={onChoose}
                      onWrite={write}
                      onKeyDown={onKeyDown}
                      onMode={setMode}
                      onOrder={order}
                      onSplit={split}
                      onCancel={toPage}
                    />
                  </div>
                )}
              </Read>
            }
          />
        </div>
      </div>
    </>
  );
}

/** The page that is shown, its texts, and the selected ones, of which a single one is open. */
function useSelection(documentId: string, source: PageViewProps['source']) {
  const t = useT();
  const { row, outline } = source;
  const [page, setPage] = useState(row?.page ?? 1);
  const found = usePageTexts(documentId, page);
  const all = found.texts ?? noTexts;
  const [chosen, setChosen] = useState<readonly string[]>(row ? [row.region_id] : []);
  const [mode, setMode] = useState<Mode>({ kind: 'select' });
  const [refusal, setRefusal] = useState<{ act: Act; refusal: Refusal }>();
  const pages = outline?.pages.flatMap(({ page: number }) => (number === null ? [] : [number])) ?? [];
  const choose = (ids: readonly string[], ofPage: number | null = page) => {
    setPage(ofPage ?? page);
    setChosen(ids);
    setMode({ kind: 'select' });
    setRefusal(undefined);
  };
  const select = (ids: readonly string[]) => {
    choose(ids);
    const position = ids.length === 1 && all.find(({ id }) => id === ids[0])?.segment?.position;
    if (typeof position === 'number') source.openAt(position);
  };
  const follow = useEffectEvent(({ region_id, page: next }: Segment) => {
    if (!chosen.includes(region_id)) choose([region_id], next);
  });
  const opened = row?.region_id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row moves the selection
  useEffect(() => {
    if (row) follow(row);
  }, [opened]);
  return {
    ...{ page, found, all, chosen, mode, refusal, choose, select, setMode, setRefusal },
    lastPage: Math.max(1, ...pages),
    chosenTexts: all.filter(({ id }) => chosen.includes(id)),
    onChoose(ids: readonly string[], add?: 'toggle' | 'range') {
      const [id = ''] = ids;
      if (add === 'toggle')
        return select(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
      if (add !== 'range') return select(ids);
      const [from = 0, to = 0] = [chosen[0] ?? id, id].map((one) => all.findIndex((text) => text.id === one));
      const range = all.slice(Math.min(from, to), Math.max(from, to) + 1).map((one) => one.id);
      select(from > to ? range.reverse() : range);
    },
    turn(step: number) {
      const next = step > 0 ? pages.find((one) => one > page) : pages.findLast((one) => one < page);
      if (next === undefined) return false;
      choose([], next);
      announce(t('documents.page_n', { page: next }));
      return true;
    },
  };
}

/** The page, the file and the size that are shown. */
function PageTools({
  document,
  lead,
  page,
  lastPage,
  side,
  zoom,
  onTurn,
  onSide,
  onZoom,
}: {
  document: TenantDocumentJob;
  lead: ReactNode;
  page: number;
  lastPage: number;
  side: Side | 'both';
  zoom: number;
  onTurn: (step: number) => void;
  onSide: (side: Side | 'both') => void;
  onZoom: (zoom: number) => void;
}) {
  const t = useT();
  const { percent } = useFormat();
  const zoomTo = (step: number) => onZoom(zooms[zooms.indexOf(zoom) + step] ?? zoom);
  return (
    <div className={styles.tools}>
      {lead}
      <Row isTight gap={1}>
        <IconButton label={t('pageView.previous_page')} disabled={page <= 1} onClick={() => onTurn(-1)}>
          <ChevronLeft size={16} aria-hidden className="mirrored" />
        </IconButton>
        <span className={styles.number}>{t('pageView.page_of', { page, pages: lastPage })}</span>
        <IconButton label={t('pageView.next_page')} disabled={page >= lastPage} onClick={() => onTurn(1)}>
          <ChevronRight size={16} aria-hidden className="mirrored" />
        </IconButton>
      </Row>
      <span className={styles.space} />
      <Segments
        label={t('documents.side')}
        value={side}
        options={(document.request.output === 'docx'
          ? (['source'] as const)
          : (['source', 'target', 'both'] as const)
        ).map((one) => [one, t(`documents.side_${one}`)])}
        onChange={onSide}
      />
      <Row isTight gap={0}>
        <IconButton label={t('pageView.smaller')} disabled={zoom === zooms[0]} onClick={() => zoomTo(-1)}>
          <Minus size={15} aria-hidden />
        </IconButton>
        <span className={styles.number}>{percent(zoom)}</span>
        <IconButton label={t('pageView.larger')} disabled={zoom === zooms.at(-1)} onClick={() => zoomTo(1)}>
          <Plus size={15} aria-hidden />
        </IconButton>
      </Row>
    </div>
  );
}

/** Confirms nothing: the reviewer must read a text before. */
function NotOne() {
  const t = useT();
  useCommands({ approve: () => announce(t('pageView.select_one')) });
  return null;
}

/** The texts as they are when one of them has another index. */
function movedTo(all: readonly PageText[], id: string, index: number): readonly PageText[] {
  const moved = all.find((one) => one.id === id);
  return moved ? all.filter((one) => one !== moved).toSpliced(index, 0, moved) : all;
}

/** The last text before a page in the reading order; null if the page is the first one. @throws LinguaLoopError */
async function lastTextBefore(
  documentId: string,
  page: number,
  outline: Outline | undefined,
): Promise<string | null> {
  const before = outline?.pages.findLast((one) => one.page !== null && one.page < page);
  if (!before?.page) return null;
  const query = { document_id: documentId, page: before.page, offset: before.segments - 1, limit: 1 };
  return (await client.documents.search(query)).segments[0]?.region_id ?? null;
}

/** The fixes of a document. They are sent also while the list of segments is shown instead of the page. */
function useFixes(
  { document: { id }, source: { saves }, fixing: { queue, setUnsent, remember, reload } }: PageViewProps,
  onShow: (segments: readonly Segment[]) => void,
): Fixes {
  const queries = useQueryClient();
  const show = useEffectEvent(onShow);
  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
    return () => {
      latest.current = () => {};
    };
  });
  const fixes = useMemo(() => {
    queue.current ??= new PageFixes(`${isVisitor() ? '' : personPrefix()}${id}`, {
      async send(fix: Fix) {
        await saves.flush();
        const regionOf = (position: number) => segmentAt(queries, id, position)?.region_id ?? '';
        const left = [...saves.all()].filter(([position]) => textsOfFix(fix).includes(regionOf(position)));
        // The translations of the texts must be stored before they are replaced by others.
        if (left.some(([, { state }]) => state.kind !== 'empty'))
          throw left.some(([, { state }]) => state.kind === 'waiting')
            ? new Error('the service cannot be reached')
            : new UnsavedEdits(left.map(([position]) => position));
        try {
          return await procedures.documents.mend.mutate({ document_id: id, mend: fix });
        } catch (error) {
          // The texts of someone else are shown.
          if (conflictOf(error)) await reload();
          throw conflictOf(error) ?? error;
        }
      },
      onDone: ({ change_id }) => remember(change_id),
      onCount: setUnsent,
    });
    return queue.current;
  }, [id, queue, queries, saves, setUnsent, remember, reload]);
  useEffect(() => fixes.onShow((segments) => latest.current(segments)), [fixes]);
  return {
    add: (fix: Fix) => fixes.add(fix),
    dismiss: () => fixes.dismiss(),
    state: useSyncExternalStore(fixes.subscribe, fixes.state),
    waiting: useSyncExternalStore(fixes.subscribe, fixes.waiting),
  };
}
