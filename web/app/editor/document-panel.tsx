import { PanelBottom, PanelRight } from 'lucide-react';
import { memo, type RefObject, Suspense, useCallback } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { Row } from '../kit/box.tsx';
import { lazily } from '../parts/lazily.tsx';
import { Loading } from '../parts/loading.tsx';
import styles from './editor.module.css';
import { showOpenSegment, togglePreview, useEditorView } from './editor-view.ts';
import type { Languages } from './marks.ts';
import type { OpenField } from './open-segment.tsx';
import type { Counts } from './row-source.ts';
import type { Segment, SegmentFilter } from './segment-filter.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { SidePanel } from './side-panel.tsx';
import { ToolButton } from './view-buttons.tsx';

const HistoryTab = lazily(async () => ({ default: (await import('./history-tab.tsx')).HistoryTab }));
const IssuesTab = lazily(async () => ({ default: (await import('./issues-tab.tsx')).IssuesTab }));
const QualityReport = lazily(() => import('./quality-report.tsx'));

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

const Preview = lazily(() => import('./preview/preview.tsx'));

/**
 * The preview of a document's file in one of its two places, if it is there. In the side panel, a line stays when the
 * preview is hidden, with the buttons that show it again.
 */
function PreviewDock({
  at,
  document,
  saves,
  current,
  onOpen,
  isReady,
}: {
  at: 'panel' | 'below';
  document: TenantDocumentJob;
  saves: SegmentSaves;
  /** The position of the open segment. */
  current: number | null;
  onOpen: (position: number) => void;
  /** False until the segments are shown, so that the file does not delay them. */
  isReady: boolean;
}) {
  const t = useT();
  const { preview: place } = useEditorView();
  const isHidden = at === 'panel' && place === 'hidden';
  if (place !== at && !isHidden) return null;
  return (
    <section
      className={styles['preview']}
      data-at={isHidden ? 'hidden' : at}
      aria-label={t('editor.preview')}
    >
      <h2 className={styles['previewTitle']}>{t('editor.preview')}</h2>
      {isHidden && (
        <Row justify="end" gap={1}>
          <DockButtons />
        </Row>
      )}
      {!isHidden && isReady && (
        <Suspense fallback={<Loading lines={12} />}>
          <Preview
            document={document}
            saves={saves}
            current={current}
            onOpen={onOpen}
            canShowBoth={at === 'below'}
            tools={<DockButtons />}
          />
        </Suspense>
      )}
    </section>
  );
}

const docks = [
  { place: 'panel', label: 'editor.preview_panel', icon: PanelRight },
  { place: 'below', label: 'editor.preview_below', icon: PanelBottom },
] as const;

/** Moves the preview, or hides it. Only wide windows have two places. */
function DockButtons() {
  const { preview } = useEditorView();
  return docks.map(({ place, label, icon: Icon }) => (
    <ToolButton
      key={place}
      label={label}
      aria-pressed={preview === place}
      data-dock
      onClick={() => togglePreview(place)}
    >
      <Icon size={16} aria-hidden className="mirrored" />
    </ToolButton>
  ));
}
