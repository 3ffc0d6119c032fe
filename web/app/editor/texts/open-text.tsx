import { useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Problem } from '../../parts/problem.tsx';
import { queryKeys } from '../../query-keys.ts';
import styles from '../editor.module.css';
import type { FindingActions } from '../finding-actions.ts';
import { type OpenField, OpenSegment } from '../open-segment.tsx';
import type { SegmentSaves } from '../segment-saves.ts';
import type { SegmentCheck } from '../use-segment-data.ts';
import { FoundDrafts } from './found-drafts.tsx';
import { readWhole } from './send-review.ts';
import type { TextDrafts } from './text-drafts.ts';
import { isDecidable, type TextList, type TextSegment } from './text-list.ts';

const check: SegmentCheck<TextSegment> = {
  queryKey: ({ id }, text) => queryKeys.jobs.check(id, text ?? ''),
  run: ({ id }, text, signal) => client.translations.check({ job_id: id, text }, { signal }),
  // The stored findings are those of the machine translation.
  isChecked: ({ pipeline_text }) => pipeline_text === null,
};

/** The open text in the grid, with the edits of earlier visits. A long text is loaded whole before it can be edited. */
export function OpenText({
  segment,
  list,
  saves,
  drafts,
  sought,
  field,
  takesFocus,
  onReject,
  onConfirmed,
}: {
  segment: TextSegment;
  list: TextList;
  saves: SegmentSaves;
  drafts: TextDrafts;
  sought: string | undefined;
  field: RefObject<OpenField | null>;
  takesFocus: boolean | undefined;
  onReject: () => void;
  onConfirmed: () => void;
}) {
  const t = useT();
  const found = useSyncExternalStore(drafts.subscribe, drafts.found).get(segment.id) ?? [];
  const { id, version, is_cut: isCut } = segment;
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
  const isReadOnly = !isDecidable(segment);
  return (
    <OpenSegment
      // The field of a text that was loaded whole starts again with it.
      key={String(isCut)}
      segment={segment}
      check={check}
      saves={saves}
      languages={segment.languages}
      sought={sought}
      isReadOnly={isReadOnly}
      findings={(one) => findingsOf(one, list, saves)}
      field={field}
      takesFocus={takesFocus !== false && (!isOpened.current || !isTypingElsewhere())}
      tools={
        <button type="button" className="ghost small" disabled={isReadOnly} onClick={onReject}>
          <CircleSlash size={14} aria-hidden /> {t('review.reject')}
        </button>
      }
      onConfirmed={onConfirmed}
    >
      {isCut && whole.error ? (
        <div role="gridcell" tabIndex={-1} className={styles['conflict']}>
          <Problem error={whole.error} retry={() => void whole.refetch()} />
        </div>
      ) : null}
      <FoundDrafts segment={segment} found={found} drafts={drafts} saves={saves} />
    </OpenSegment>
  );
}

/** The actions on the findings of a text. Its draft is saved first, so that they are about what is shown. */
function findingsOf({ id }: TextSegment, list: TextList, saves: SegmentSaves): FindingActions {
  const act = async (call: (version: { job_id: string; updated_at: string }) => Promise<unknown>) => {
    await saves.flush();
    const read = async () => list.take((await client.reviews.texts({ job_ids: [id] })).texts);
    await read();
    const position = list.positionOf(id);
    if (position === undefined) return;
    await call({ job_id: id, updated_at: list.at(position).version });
    await read();
  };
  return {
    resolve: (finding, decision) =>
      act((version) =>
        client.translations.resolve({ ...version, finding_id: finding.id ?? '', ...decision }),
      ),
    recheck: () => act((version) => client.translations.recheck(version)),
  };
}

/** Whether the focus is outside of the grid, such as in the search field, and must stay there. */
function isTypingElsewhere(): boolean {
  const { activeElement: focused, body } = document;
  return focused !== null && focused !== body && focused.closest('[role=grid]') === null;
}
