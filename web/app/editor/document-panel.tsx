import { lazy, memo, type RefObject, useCallback } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { showOpenSegment } from './editor-view.ts';
import type { Languages } from './marks.ts';
import type { OpenField } from './open-segment.tsx';
import { PreviewDock } from './preview-dock.tsx';
import type { Counts } from './row-source.ts';
import type { Segment, SegmentFilter } from './segment-filter.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { SidePanel } from './side-panel.tsx';

const HistoryTab = lazy(async () => ({ default: (await import('./history-tab.tsx')).HistoryTab }));
const IssuesTab = lazy(async () => ({ default: (await import('./issues-tab.tsx')).IssuesTab }));
const QualityReport = lazy(() => import('./quality-report.tsx'));

/**
 * The side panel of a document: information about the open segment, and the page of the file. It is only rendered again
 * if its own data changes, so that the editor can show the next segment before the panel follows.
 */
export const DocumentPanel = memo(function DocumentPanel({
  document,
  segment,
  languages,
  outline,
  field,
  saves,
  onOpen: openAt,
  onFilter,
  hasPreview,
}: {
  document: TenantDocumentJob;
  segment: Segment | undefined;
  languages: Languages;
  outline: Counts | undefined;
  field: RefObject<OpenField | null>;
  saves: SegmentSaves;
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
  const preview = { document, saves, current: segment?.position ?? null, isReady: hasPreview };
  return (
    <>
      <PreviewDock at="below" {...preview} onOpen={onOpen} />
      <SidePanel
        segment={segment && { ...segment, document_id: document.id }}
        languages={languages}
        field={field}
        outline={outline}
        about={segment && { kind: 'document', id: document.id, position: segment.position }}
        issues={
          <>
            <QualityReport document={document} onFilter={onFilter} onOpen={onOpen} />
            <IssuesTab documentId={document.id} onOpen={onOpen} />
          </>
        }
        history={
          segment && <HistoryTab documentId={document.id} segment={segment} language={languages.target} />
        }
      >
        <PreviewDock at="panel" {...preview} onOpen={onOpen} />
      </SidePanel>
    </>
  );
});
