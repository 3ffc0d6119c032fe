import { useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Draft } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { Card } from '../../kit/card.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { TextDiff } from '../../parts/text-diff.tsx';
import { queryKeys } from '../../query-keys.ts';
import styles from '../editor.module.css';
import { OpenSegment, type OpenSegmentProps } from '../open-segment.tsx';
import type { SegmentSaves } from '../segment-saves.ts';
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
        <div role="gridcell" tabIndex={-1} className={styles['below']}>
          <Problem error={whole.error} retry={() => void whole.refetch()} />
        </div>
      ) : null}
      <FoundDrafts
        segment={segment}
        found={found}
        drafts={drafts}
        saves={source.saves}
        isReadOnly={source.isReadOnly(segment)}
      />
    </OpenSegment>
  );
}

/** Whether the focus is outside of the grid, such as in the search field, and must stay there. */
function isTypingElsewhere(): boolean {
  const { activeElement: focused, body } = document;
  return focused !== null && focused !== body && focused.closest('[role=grid]') === null;
}

/** Shows edits of an earlier visit as differences, and offers to restore them. None is restored automatically. */
function FoundDrafts({
  segment,
  found,
  drafts,
  saves,
  isReadOnly,
}: {
  segment: TextSegment;
  found: readonly Draft[];
  drafts: TextDrafts;
  saves: SegmentSaves;
  isReadOnly: boolean;
}) {
  const t = useT();
  const { moment } = useFormat();
  const { position, target_text: stored, languages } = segment;
  const remove = (draft: Draft) => drafts.remove(segment, draft, saves.all().get(position));
  return found.map((draft) => (
    <div key={draft.changedAt} role="gridcell" tabIndex={-1} className={styles['below']}>
      <Card as="section" tone="warn" pad={3} data-found aria-label={t('review.found_draft')}>
        <p>{t('review.found_draft_of', { when: moment(new Date(draft.changedAt).toISOString()) })}</p>
        {draft.base !== stored && <p>{t('review.found_draft_older')}</p>}
        <TextDiff before={stored ?? ''} after={draft.text} language={languages.target} />
        <div className="actions">
          {!isReadOnly && (
            <button
              type="button"
              className="small"
              onClick={() => {
                // The text is restored before the draft is removed, so that it is always stored somewhere.
                saves.edit(position, draft.text, stored);
                remove(draft);
              }}
            >
              {t('review.use_draft')}
            </button>
          )}
          <button type="button" className="small" onClick={() => remove(draft)}>
            {t('review.discard_draft')}
          </button>
        </div>
      </Card>
    </div>
  ));
}
