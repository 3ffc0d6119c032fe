import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import bars from '../bars.module.css';
import styles from '../editor.module.css';
import { EditorFoot } from '../editor-foot.tsx';
import type { OpenField } from '../open-segment.tsx';
import { OpeningBars } from '../opening-bars.tsx';
import { SegmentGrid } from '../segment-grid.tsx';
import { StatusFilters } from '../status-filters.tsx';
import { ApproveTexts } from './approve-texts.tsx';
import type { TextFilter, TextSearch } from './filters.ts';
import { OpenText } from './open-text.tsx';
import { RejectText } from './reject-text.tsx';
import { RejectTexts } from './reject-texts.tsx';
import { TextFilters } from './text-filters.tsx';
import { TextHead } from './text-head.tsx';
import { isDecidable, type TextList, type TextSegment } from './text-list.ts';
import { TextPanel } from './text-panel.tsx';
import { useClaims } from './use-claims.ts';
import { useOpenText } from './use-open-text.ts';
import { commonLanguages, countStatuses, holdersOf, type Shown, useShown } from './use-shown.ts';
import { useTextDecisions } from './use-text-decisions.ts';
import { lookAgain, useTexts } from './use-texts.ts';
import { useWorkTime } from './work-time.ts';

/** Maximum number of texts that are updated, in one request. */
const maxFresh = 100;

/**
 * Updates the visible texts regularly, and those that colleagues have open: their claims end. This is for a list that is
 * not refreshed as a whole, because each of its pages costs a request.
 * @param range the rows of the grid
 * @returns a function to call with the first and last visible row
 */
function useFresh(list: TextList, filter: TextFilter, range: Shown, isNeeded: boolean) {
  const visible = useRef<readonly [first: number, last: number]>([0, 0]);
  useQuery({
    queryKey: queryKeys.reviews.fresh(filter),
    enabled: isNeeded,
    async queryFn({ signal }) {
      const ids = freshIds(range, visible.current);
      if (ids.length > 0) list.take((await client.reviews.texts({ job_ids: ids }, { signal })).texts);
      return ids.length;
    },
    refetchInterval: lookAgain,
    refetchOnReconnect: 'always',
    gcTime: 0,
  });
  return useCallback((rows: readonly [first: number, last: number]) => {
    visible.current = rows;
  }, []);
}

/** The IDs of the texts in these rows, then of those that colleagues have open. */
function freshIds({ segments }: Pick<Shown, 'segments'>, [first, last]: readonly [number, number]) {
  const held = segments.filter(({ holders, confirmed_at }) => holders.length > 0 && confirmed_at === null);
  const ids = [...segments.slice(first, last + 1), ...held].map(({ id }) => id);
  return [...new Set(ids)].slice(0, maxFresh);
}

/** `/app/edit/texts`: the texts that await review, one of them open in its place. */
export function TextsEditorScreen() {
  const t = useT();
  const search = useSearch({ from: '/workspace/app/edit/texts' });
  const { item: _, status: __, ...filter } = search;
  return (
    <>
      <title>{`${t('review.title')} · LinguaLoop`}</title>
      <TextsEditor key={JSON.stringify(filter)} search={search} filter={filter} />
    </>
  );
}

const noop = () => undefined;

function TextsEditor({ search, filter }: { search: TextSearch; filter: TextFilter }) {
  const t = useT();
  const navigate = useNavigate();
  const { item, status } = search;
  const texts = useTexts(filter, item);
  const { list, segments } = texts;
  const mayFollow = !texts.isComplete && segments.length > 0;
  const range = useShown(segments, status);
  const decisions = useTextDecisions(list);
  const { saves, drafts } = decisions;
  const opener = useOpenText({ list, range, filter, saves, search });
  const { open, segment, upcoming, openAt, move } = opener;
  const goOn = useGoingOn(texts, opener);
  const setVisible = useFresh(list, filter, range, texts.isLong);
  const { others, held } = useClaims(segment?.id, upcoming?.id);
  useWorkTime(segment?.id);
  const field = useRef<OpenField>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [dialog, setDialog] = useState<Parameters<typeof TextDialog>[0]['kind']>();
  const holders = useMemo(() => holdersOf(segments, held), [segments, held]);
  const outline = useMemo(() => countStatuses(segments), [segments]);
  const languages = useMemo(() => commonLanguages(segments), [segments]);
  const askWhy = () => segment && isDecidable(segment) && setDialog('reject');
  useCommands({
    nextItem: () => move(1),
    previousItem: () => move(-1),
    listDown: () => move(1, false),
    listUp: () => move(-1, false),
    open: () => field.current?.focus(),
    reject: askWhy,
    undoDecision: () => void decisions.undo(),
    redoDecision: () => void decisions.redo(),
    save: () => void saves.flush(),
    find: () => searchField.current?.focus(),
    findText: () => searchField.current?.focus(),
    toList: () => body.current?.querySelector<HTMLElement>('[role=grid]')?.focus(),
  });
  const setFilter = (next: Omit<TextSearch, 'item'>) =>
    void navigate({ to: '/app/edit/texts', search: next, replace: true });
  return (
    <div className={styles['editor']} data-editor>
      <TextHead
        segments={segments}
        languages={languages}
        hasMore={texts.hasMore && mayFollow}
        others={others}
        onApprove={() => setDialog('approve')}
        onReject={() => setDialog('rejectAll')}
      />
      <div className={bars['bars']}>
        <OpeningBars
          saves={saves}
          openPosition={segment?.position}
          next="none"
          late={null}
          onOpen={openAt}
          onRetry={noop}
        />
      </div>
      <StatusFilters
        outline={outline}
        filter={{ ...(status && { status }), ...(filter.text && { text: filter.text }) }}
        search={searchField}
        onChange={({ status: wanted, text }) => {
          const { text: _, ...rest } = filter;
          setFilter({ ...rest, ...(wanted && { status: wanted }), ...(text && { text }) });
        }}
      >
        <TextFilters filter={filter} onChange={setFilter} />
        {texts.hasMore && (
          <button type="button" className="small" onClick={texts.loadMore}>
            {t('review.more')}
          </button>
        )}
      </StatusFilters>
      <div ref={body} className={styles['body']}>
        <Read
          from={{ data: texts.isLoading ? undefined : range, error: texts.error, refetch: texts.refetch }}
          lines={20}
        >
          {(range) =>
            range.total === 0 ? (
              <NoTexts search={search} onMore={texts.hasMore ? texts.loadMore : null} />
            ) : (
              <SegmentGrid
                key={status}
                range={range}
                saves={saves}
                languages={languages}
                languagesOf={({ languages }) => languages}
                sought={filter.text}
                open={open}
                holders={holders}
                onOpen={openAt}
                onMove={(step) => move(step, false)}
                onVisible={setVisible}
                renderOpen={(one) => (
                  <OpenText
                    key={one.id}
                    segment={one}
                    list={list}
                    saves={saves}
                    drafts={drafts}
                    sought={filter.text}
                    field={field}
                    takesFocus={open?.takesFocus}
                    onReject={askWhy}
                    onConfirmed={() => goOn(t('editor.confirmed', { number: one.position + 1 }))}
                  />
                )}
              />
            )
          }
        </Read>
        <TextPanel segment={segment} segments={segments} field={field} onOpen={openAt} />
      </div>
      <EditorFoot
        outline={outline}
        hasMore={mayFollow}
        saves={saves}
        canUndo={decisions.canUndo}
        canConfirm={segment !== undefined}
      />
      {dialog && (
        <TextDialog
          kind={dialog}
          list={list}
          segments={range.segments}
          segment={segment}
          decisions={decisions}
          hasMore={!texts.isComplete}
          onRejected={({ position }) => goOn(t('editor.rejected', { number: position + 1 }))}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}

/** Shown if no text awaits review, or none matches the filters. @param onMore null if all texts were searched */
function NoTexts({
  search: { item: _, ...filters },
  onMore,
}: {
  search: TextSearch;
  onMore: (() => void) | null;
}) {
  const t = useT();
  if (onMore)
    return (
      <p className={styles['empty']}>
        {t('editor.none_so_far')}{' '}
        <button type="button" onClick={onMore}>
          {t('editor.search_on')}
        </button>
      </p>
    );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <p className={styles['empty']}>
      {t(isFiltered ? 'review.none_found' : 'review.nothing_waits')}{' '}
      {isFiltered ? (
        <Link to="/app/edit/texts" search={{}}>
          {t('review.clear_filters')}
        </Link>
      ) : (
        <Link to="/app">{t('editor.back')}</Link>
      )}
    </p>
  );
}

/** The dialog of a decision about the open text, or about all shown ones. */
function TextDialog({
  kind,
  segment,
  onRejected,
  hasMore,
  ...all
}: {
  kind: 'approve' | 'reject' | 'rejectAll';
  list: TextList;
  segments: readonly TextSegment[];
  /** The open text. */
  segment: TextSegment | undefined;
  decisions: ReturnType<typeof useTextDecisions>;
  /** Whether texts follow that are not loaded. */
  hasMore: boolean;
  /** Called after the open text was rejected. */
  onRejected: (segment: TextSegment) => void;
  onClose: () => void;
}) {
  if (kind === 'approve') return <ApproveTexts {...all} hasMore={hasMore} />;
  if (kind === 'rejectAll') return <RejectTexts {...all} />;
  return (
    segment && (
      <RejectText
        onReject={async (notes) => {
          await all.decisions.reject(segment.position, notes);
          all.onClose();
          onRejected(segment);
        }}
        onClose={all.onClose}
      />
    )
  );
}

/**
 * Opens the next text after a decision. If all loaded ones are decided, further ones are loaded, and the next text is
 * opened when it arrives, unless the reviewer has opened another one.
 * @returns a function to call with the announcement of the decision
 */
function useGoingOn(
  { segments, isComplete, hasMore, loadMore }: ReturnType<typeof useTexts>,
  { segment, moveToNextOpen }: Pick<ReturnType<typeof useOpenText>, 'segment' | 'moveToNextOpen'>,
) {
  const t = useT();
  /** The text after which the next one is opened. */
  const [after, setAfter] = useState<string>();
  const goOn = useEffectEvent(() => {
    if (after === undefined) return;
    if (segment?.id !== after || moveToNextOpen()) setAfter(undefined);
    else if (isComplete) {
      setAfter(undefined);
      announce(t('review.all_done'));
    } else if (hasMore) loadMore();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: further texts have arrived
  useEffect(() => goOn(), [segments]);
  return (said: string) => {
    if (moveToNextOpen()) return announce(said);
    if (isComplete) return announce(`${said} ${t('review.all_done')}`);
    announce(`${said} ${t('editor.loading_texts')}`);
    setAfter(segment?.id);
    if (hasMore) loadMore();
  };
}
