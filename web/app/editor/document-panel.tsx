import { lazy, memo, type RefObject, useCallback } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useFormat } from '../parts/format.ts';
import { isVisitor } from '../session/keeper.ts';
import { NewTerm } from '../terms/new-term.tsx';
import { showOpenSegment } from './editor-view.ts';
import type { Languages } from './marks.ts';
import { MemoryTab } from './memory-tab.tsx';
import type { OpenField } from './open-segment.tsx';
import { useOutline } from './outline.ts';
import { PreviewDock } from './preview-dock.tsx';
import type { EditedSegment } from './segment.ts';
import type { Segment, SegmentFilter } from './segment-filter.ts';
import { SidePanel } from './side-panel.tsx';
import { TermsTab } from './terms-tab.tsx';
import { useMatches, useTerms } from './use-segment-data.ts';

const CommentsTab = lazy(async () => ({ default: (await import('./comments-tab.tsx')).CommentsTab }));
const HistoryTab = lazy(async () => ({ default: (await import('./history-tab.tsx')).HistoryTab }));
const IssuesTab = lazy(() => import('./issues-tab.tsx'));
const QualityReport = lazy(() => import('./quality-report.tsx'));

/**
 * The side panel of a document: information about the open segment, and the page of the file. It is only rendered again
 * if its own data changes, so that the editor can show the next segment before the panel follows.
 */
export const DocumentPanel = memo(function DocumentPanel({
  document,
  segment,
  languages,
  field,
  onOpen: openAt,
  onFilter,
  hasPreview,
}: {
  document: TenantDocumentJob;
  segment: Segment | undefined;
  languages: Languages;
  field: RefObject<OpenField | null>;
  onOpen: (position: number) => void;
  onFilter: (filter: SegmentFilter) => void;
  /** False until the segments are shown, so that the file does not delay them. */
  hasPreview: boolean;
}) {
  const onOpen = useCallback(
    (position: number) => {
      showOpenSegment();
      openAt(position);
    },
    [openAt],
  );
  const about = segment && ({ kind: 'document', id: document.id, position: segment.position } as const);
  const preview = { document, current: segment?.position ?? null, isReady: hasPreview };
  return (
    <>
      {segment && !isVisitor() && <NewTerm key={segment.position} {...languages} />}
      <PreviewDock at="below" {...preview} onOpen={onOpen} />
      <SidePanel
        counts={{
          terms: segment && <TermCount segment={segment} languages={languages} />,
          memory: segment && <MatchCount segment={segment} languages={languages} />,
          issues: <IssueCount documentId={document.id} />,
        }}
        contents={{
          terms: segment && <TermsTab segment={segment} languages={languages} field={field} />,
          memory: segment && <MemoryTab segment={segment} languages={languages} field={field} />,
          issues: (
            <>
              <QualityReport document={document} onFilter={onFilter} onOpen={onOpen} />
              <IssuesTab documentId={document.id} onOpen={onOpen} />
            </>
          ),
          comments: about && <CommentsTab key={about.position} about={about} />,
          history: segment && (
            <HistoryTab documentId={document.id} segment={segment} language={languages.target} />
          ),
        }}
      >
        <PreviewDock at="panel" {...preview} onOpen={onOpen} />
      </SidePanel>
    </>
  );
});

interface OfSegment {
  segment: EditedSegment;
  languages: Languages;
}

/** The number of glossary terms in a segment. */
function TermCount({ segment, languages }: OfSegment) {
  return <Count of={useTerms(segment, languages).length} />;
}

/** The number of TM matches of a segment. */
function MatchCount({ segment, languages }: OfSegment) {
  return <Count of={useMatches(segment, languages).data?.matches.length ?? 0} />;
}

/** The number of segments of a document with findings; red if some are critical. */
function IssueCount({ documentId }: { documentId: string }) {
  const { critical = 0, warning = 0 } = useOutline(documentId).data?.statuses ?? {};
  return <Count of={critical + warning} isCritical={critical > 0} />;
}

/** A number in the label of a tab; nothing for 0. */
function Count({ of, isCritical = false }: { of: number; isCritical?: boolean }) {
  const { number } = useFormat();
  return of > 0 ? <b data-critical={isCritical || undefined}>{number(of)}</b> : null;
}
