import { useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useT } from '../../i18n.tsx';
import { Problem } from '../../parts/problem.tsx';
import { queryKeys } from '../../query-keys.ts';
import styles from '../editor.module.css';
import { OpenSegment, type OpenSegmentProps } from '../open-segment.tsx';
import { FoundDrafts } from './found-drafts.tsx';
import { readWhole } from './send-review.ts';
import type { TextDrafts } from './text-drafts.ts';
import type { TextList, TextSegment } from './text-list.ts';

/** The open text in the grid, with the edits of earlier visits. A long text is loaded whole before it can be edited. */
export function OpenText({
  list,
  drafts,
  onReject,
  ...props
}: OpenSegmentProps<TextSegment> & { list: TextList; drafts: TextDrafts; onReject: () => void }) {
  const t = useT();
  const { segment, source } = props;
  const { id, version, is_cut: isCut } = segment;
  const found = useSyncExternalStore(drafts.subscribe, drafts.found).get(segment.id) ?? [];
  const whole = useQuery({
    queryKey: queryKeys.reviews.whole(id, version),
    queryFn: () => readWhole(list, segment.position),
    enabled: isCut,
    gcTime: 0,
    staleTime: 0,
  });
  useEffect(() => {
    // A draft is compared with the whole text.
    if (!isCut) void drafts.find(segment).catch(() => undefined);
  }, [drafts, segment, isCut]);
  const isOpened = useRef(false);
  useEffect(() => {
    isOpened.current = true;
  }, []);
  return (
    <OpenSegment
      // The field of a text that was loaded whole starts again with it.
      key={String(isCut)}
      {...props}
      takesFocus={props.takesFocus !== false && (!isOpened.current || !isTypingElsewhere())}
      tools={
        <button
          type="button"
          className="ghost small"
          disabled={source.isReadOnly(segment)}
          onClick={onReject}
        >
          <CircleSlash size={14} aria-hidden /> {t('review.reject')}
        </button>
      }
    >
      {isCut && whole.error ? (
        <div role="gridcell" tabIndex={-1} className={styles['conflict']}>
          <Problem error={whole.error} retry={() => void whole.refetch()} />
        </div>
      ) : null}
      <FoundDrafts segment={segment} found={found} drafts={drafts} saves={source.saves} />
    </OpenSegment>
  );
}

/** Whether the focus is outside of the grid, such as in the search field, and must stay there. */
function isTypingElsewhere(): boolean {
  const { activeElement: focused, body } = document;
  return focused !== null && focused !== body && focused.closest('[role=grid]') === null;
}
