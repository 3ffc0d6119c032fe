import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useIsOthersTurn } from '../../assignments/assignments.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { translationService } from '../../translation-service.ts';
import type { FindingActions } from '../finding-actions.ts';
import type { RowFilter, RowSource, SegmentCheck } from '../row-source.ts';
import type { SegmentSaves } from '../segment-saves.ts';
import { useClaim } from '../use-claim.ts';
import type { TextFilter, TextSearch } from './filters.ts';
import { isDecidable, type TextList, type TextSegment } from './text-list.ts';
import { useUpcomingClaim } from './use-claims.ts';
import { useOpenText } from './use-open-text.ts';
import { commonLanguages, countStatuses, holdersOf, type Shown, useShown } from './use-shown.ts';
import { useTextDecisions } from './use-text-decisions.ts';
import { lookAgain, useTexts } from './use-texts.ts';
import { useWorkTime } from './work-time.ts';

/**
 * The texts that await review as rows of the editor.
 * @param filter the texts that the service is asked for
 * @returns `others`: the names of colleagues who have the open text open; `mayFollow`: whether texts follow that are not
 * loaded
 */
export function useTextRows(search: TextSearch, filter: TextFilter, onFilter: (filter: RowFilter) => void) {
  const { item, ...shownFilter } = search;
  const texts = useTexts(filter, item);
  const { list, segments } = texts;
  const range = useShown(segments, search.status);
  const decisions = useTextDecisions(list, !texts.isLoading);
  const { saves, canUndo, undo, redo } = decisions;
  const { upcoming, ...opened } = useOpenText({ list, range, filter, saves, search });
  const onVisible = useFresh(list, filter, range, texts.isLong);
  const claims = useClaim('job', opened.row?.id);
  const held = useUpcomingClaim(upcoming?.id);
  useWorkTime(opened.row?.id);
  const isOthersTurn = useIsOthersTurn(opened.row && { kind: 'job', id: opened.row.id });
  const mayFollow = !texts.isComplete && segments.length > 0;
  const source = {
    rows: { data: texts.isLoading ? undefined : range, error: texts.error, refetch: texts.refetch },
    outline: useMemo(() => countStatuses(segments), [segments]),
    hasMore: mayFollow,
    filter: shownFilter,
    onFilter,
    onVisible,
    languages: useMemo(() => commonLanguages(segments), [segments]),
    languagesOf: ({ languages }) => languages,
    holders: useMemo(() => holdersOf(segments, held), [segments, held]),
    ...opened,
    next: 'none',
    late: null,
    goOn: useGoingOn(texts, opened),
    saves,
    // Only the open row can be changed.
    isReadOnly: (row) => !isDecidable(row) || isOthersTurn,
    check,
    findingsOf: (row) => findingsOf(row, list, saves),
    canUndo,
    undo,
    redo,
  } satisfies RowSource<TextSegment>;
  return { source, texts, range, decisions, mayFollow, others: claims.map(({ holder }) => holder) };
}

const check: SegmentCheck<TextSegment> = {
  queryKey: ({ id }, text) => queryKeys.jobs.check(id, text ?? ''),
  run: ({ id }, text, signal) => translationService.check({ job_id: id, text }, { signal }),
  // The stored findings are those of the machine translation.
  isChecked: ({ pipeline_text }) => pipeline_text === null,
};

/** The actions on the findings of a text. Its draft is saved first, so that they are about what is shown. */
function findingsOf({ id }: TextSegment, list: TextList, saves: SegmentSaves): FindingActions {
  const act = async (call: (version: { job_id: string; updated_at: string }) => Promise<unknown>) => {
    await saves.flush();
    const read = async () => list.take((await procedures.reviews.texts.query({ job_ids: [id] })).texts);
    await read();
    const position = list.positionOf(id);
    if (position === undefined) return;
    await call({ job_id: id, updated_at: list.at(position).version });
    await read();
  };
  return {
    resolve: (finding, decision) =>
      act((version) => translationService.resolve({ ...version, finding_id: finding.id ?? '', ...decision })),
    recheck: () => act((version) => translationService.recheck(version)),
  };
}

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
      if (ids.length > 0)
        list.take((await procedures.reviews.texts.query({ job_ids: ids }, { signal })).texts);
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

/**
 * Opens the next text after a decision. If all loaded ones are decided, further ones are loaded, and the next text is
 * opened when it arrives, unless the reviewer has opened another one.
 * @returns a function to call with the announcement of the decision
 */
function useGoingOn(
  { segments, isComplete, hasMore, loadMore }: ReturnType<typeof useTexts>,
  { row, moveToNextOpen }: Pick<ReturnType<typeof useOpenText>, 'row' | 'moveToNextOpen'>,
) {
  const t = useT();
  /** The text after which the next one is opened. */
  const [after, setAfter] = useState<string>();
  const goOn = useEffectEvent(() => {
    if (after === undefined) return;
    if (row?.id !== after || moveToNextOpen()) setAfter(undefined);
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
    setAfter(row?.id);
    if (hasMore) loadMore();
  };
}
