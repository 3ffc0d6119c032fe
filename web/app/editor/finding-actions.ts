import { useQueryClient } from '@tanstack/react-query';
import type { QualityIssue } from '#sdk/types.ts';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';
import { storeSegments } from './segment-cache.ts';
import type { Segment } from './segment-filter.ts';
import type { SegmentSaves } from './segment-saves.ts';

/** Minimum number of characters in the note of a reason. */
export const minNote = 10;

/** How a reviewer resolves a finding. */
export interface Decision {
  resolution: 'fixed' | 'not_an_error' | 'accepted';
  reason: string | null;
}

/** The actions of a reviewer on the findings of a segment. Both reject with the error of the request. */
export interface FindingActions {
  resolve(finding: QualityIssue, decision: Decision): Promise<void>;
  /** Lets the judge model see the present text. */
  recheck(): Promise<void>;
}

/** Whether neither a person nor the judge model has settled the finding. */
export function isOpen({ status = 'open' }: QualityIssue): boolean {
  return status === 'open' || status === 'not_rechecked';
}

/** The actions on the findings of a document's segment. Its text is saved first, so that they are about what is shown. */
export function useSegmentFindings(
  documentId: string,
  saves: SegmentSaves,
): (segment: Segment) => FindingActions {
  const queries = useQueryClient();
  const act = async (
    { position }: Segment,
    call: (segment: Segment) => Promise<{ segments: Segment[] }>,
  ): Promise<void> => {
    await saves.flush();
    const { segments } = await client.documents.search({ document_id: documentId, position, limit: 1 });
    const [present] = segments;
    if (!present) return;
    const { segments: changed } = await call(present);
    storeSegments(queries, documentId, changed);
    void queries.invalidateQueries({ queryKey: queryKeys.documents.outline(documentId) });
    void queries.invalidateQueries({ queryKey: queryKeys.documents.issues(documentId) });
    void queries.invalidateQueries({ queryKey: queryKeys.documents.allHistory(documentId) });
  };
  return (segment) => ({
    resolve: (finding, decision) =>
      act(segment, ({ position, target_text }) =>
        client.documents.resolve({
          document_id: documentId,
          position,
          target_text: target_text ?? '',
          finding_id: finding.id ?? '',
          ...decision,
        }),
      ),
    recheck: () =>
      act(segment, ({ position }) =>
        client.documents.recheck({ document_id: documentId, positions: [position] }),
      ),
  });
}
