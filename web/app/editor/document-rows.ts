import { useMemo, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { announce } from '../parts/announcer.tsx';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { useSegmentFindings } from './finding-actions.ts';
import { useOutline } from './outline.ts';
import type { RowSource, SegmentCheck } from './row-source.ts';
import type { Segment, SegmentFilter } from './segment-filter.ts';
import { plainOf, readContent } from './tagged-text.ts';
import { useClaim } from './use-claim.ts';
import { useDecisions } from './use-decisions.ts';
import { useOpenSegment } from './use-open-segment.ts';
import { useSegments } from './use-segments.ts';

/**
 * The segments of a document as rows of the editor.
 * @returns `others`: the names of colleagues in the document; `opening` and `remember`: see `useDecisions`
 */
export function useDocumentRows(
  { id, request, status, approved_at }: TenantDocumentJob,
  filter: SegmentFilter,
  onFilter: (filter: SegmentFilter) => void,
) {
  const languages = useMemo(
    () => ({ source: request.source_lang, target: request.target_lang }),
    [request.source_lang, request.target_lang],
  );
  const check = useMemo(() => checkOf(id), [id]);
  const { saves, opening, remember, ...decisions } = useDecisions(id, request.target_lang);
  const findingsOf = useSegmentFindings(id, saves);
  const { data: outline } = useOutline(id);
  const [visible, onVisible] = useState<readonly [number, number]>([0, 0]);
  const rows = useSegments(id, filter, visible);
  const opened = useOpenSegment(id, filter, rows.data, saves, onFilter);
  const claims = useClaim('document', id, opened.open?.position);
  const holders = useMemo(() => {
    const byPosition = new Map<number, string[]>();
    for (const { holder, position } of claims)
      if (position !== null) byPosition.set(position, [...(byPosition.get(position) ?? []), holder]);
    return byPosition;
  }, [claims]);
  const isReadOnly = status !== 'translated' || approved_at !== null || isVisitor();
  const source = {
    rows,
    outline,
    filter,
    onFilter,
    onVisible,
    languages,
    languagesOf: () => languages,
    holders,
    ...opened,
    goOn(said) {
      announce(said);
      opened.moveToNextOpen();
    },
    saves,
    isReadOnly: () => isReadOnly,
    check,
    findingsOf,
    ...decisions,
  } satisfies RowSource<Segment>;
  return { source, isReadOnly, opening, remember, others: claims.map(({ holder }) => holder) };
}

function checkOf(documentId: string): SegmentCheck<Segment> {
  return {
    queryKey: ({ position }, text) => queryKeys.documents.check(documentId, position, text),
    run: ({ position, source_content: source }, text, signal) =>
      client.documents.check(
        {
          document_id: documentId,
          position,
          text: plainOf(text, source),
          ...(source && { content: readContent(text, source) }),
        },
        { signal },
      ),
  };
}
