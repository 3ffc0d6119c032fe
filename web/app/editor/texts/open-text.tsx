import { CircleSlash } from 'lucide-react';
import { type RefObject, useEffect, useSyncExternalStore } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { queryKeys } from '../../query-keys.ts';
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
  useEffect(() => {
    if (segment.is_cut) readWhole(list, segment.position).catch(() => undefined);
    void drafts.find(segment).catch(() => undefined);
  }, [list, drafts, segment]);
  const isReadOnly = !isDecidable(segment);
  return (
    <OpenSegment
      // The field of a text that was loaded whole starts again with it.
      key={String(segment.is_cut)}
      segment={segment}
      check={check}
      saves={saves}
      languages={segment.languages}
      sought={sought}
      isReadOnly={isReadOnly}
      field={field}
      takesFocus={takesFocus}
      tools={
        <button type="button" className="ghost small" disabled={isReadOnly} onClick={onReject}>
          <CircleSlash size={14} aria-hidden /> {t('review.reject')}
        </button>
      }
      onConfirmed={onConfirmed}
    >
      <FoundDrafts segment={segment} found={found} drafts={drafts} saves={saves} />
    </OpenSegment>
  );
}
