import { PanelBottom, PanelRight } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { Loading } from '../parts/loading.tsx';
import styles from './editor.module.css';
import { togglePreview, useEditorView } from './editor-view.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { ToolButton } from './view-buttons.tsx';

const Preview = lazy(() => import('./preview/preview.tsx'));

/**
 * The preview of a document's file in one of its two places, if it is there. In the side panel, a line stays when the
 * preview is hidden, with the buttons that show it again.
 */
export function PreviewDock({
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
        <div className={styles['docks']}>
          <DockButtons />
        </div>
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
      <Icon size={16} aria-hidden className={styles['mirrored']} />
    </ToolButton>
  ));
}
