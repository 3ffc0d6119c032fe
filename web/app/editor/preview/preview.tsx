import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Loading } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { SegmentSaves } from '../segment-saves.ts';
import styles from './preview.module.css';
import type { PreviewProps, Side } from './preview-props.ts';

const PdfPages = lazily(() => import('./pdf-pages.tsx'));
const SheetGrid = lazily(() => import('./sheet-grid.tsx'));
const Slides = lazily(() => import('./slides.tsx'));
const TextLines = lazily(() => import('./text-lines.tsx'));
const WordFrame = lazily(() => import('./word-frame.tsx'));

const both = ['source', 'target'] as const;

/** A document's file in its format, with the current segment marked. A click opens a segment. */
export default function Preview({
  canShowBoth,
  tools,
  saves,
  ...props
}: Omit<PreviewProps, 'side'> & {
  /** Whether there is room for both files next to each other. Both are shown then by default. */
  canShowBoth: boolean;
  /** Shown next to the selection of the file. */
  tools: ReactNode;
  /** The edits of the document. The translated file follows them. */
  saves: SegmentSaves;
}) {
  const t = useT();
  const isTranslated = props.document.status === 'translated';
  const [selected, setSelected] = useState<Side | 'both'>(canShowBoth ? 'both' : 'target');
  const shown = isTranslated ? selected : 'source';
  const state = useRendering(props.document.id, saves, shown !== 'source');
  return (
    <div className={styles.preview}>
      <Row justify="end" gap={1}>
        <fieldset className="segmented">
          <legend className="visually-hidden">{t('documents.side')}</legend>
          {(canShowBoth ? [...both, 'both' as const] : both).map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="side"
                checked={shown === one}
                disabled={one !== 'source' && !isTranslated}
                onChange={() => setSelected(one)}
              />
              {t(`documents.side_${one}`)}
            </label>
          ))}
        </fieldset>
        {tools}
      </Row>
      <Suspense fallback={<Loading lines={20} />}>
        <div className={styles.files}>
          <span role="status" className={styles.state}>
            {state !== 'current' && t(`documents.preview_${state}`)}
          </span>
          {(shown === 'both' ? both : [shown]).map((side) => (
            <div key={shown === 'both' ? side : 'one'} className={styles.file}>
              <FilePreview {...props} side={side} />
            </div>
          ))}
        </div>
      </Suspense>
    </div>
  );
}

/** Milliseconds between a saved edit and the rendering of the file. */
const renderAfter = 200;

/**
 * Renders the translated file after each saved edit while it is shown. A file that takes long to render is rendered less
 * often.
 */
function useRendering(id: string, saves: SegmentSaves, isShown: boolean): 'current' | 'updating' | 'stale' {
  const queries = useQueryClient();
  const savedAt = useSyncExternalStore(saves.subscribe, saves.savedAt);
  const rendered = useRef<Date | undefined>(savedAt);
  const lastTook = useRef(0);
  const { mutate, isError } = useMutation({
    mutationFn: async () => {
      const begun = performance.now();
      await client.documents.render(id);
      lastTook.current = performance.now() - begun;
      await queries.invalidateQueries({ queryKey: queryKeys.documents.document(id) });
    },
    // One rendering at a time.
    scope: { id: `render ${id}` },
  });
  const [isUpdating, setUpdating] = useState(false);
  useEffect(() => {
    if (!isShown || rendered.current === savedAt) return;
    setUpdating(true);
    const timer = setTimeout(() => {
      rendered.current = savedAt;
      // Also here, because the end of an earlier rendering may have reset it.
      setUpdating(true);
      mutate(undefined, { onSettled: () => setUpdating(false) });
    }, renderAfter + lastTook.current);
    return () => clearTimeout(timer);
  }, [isShown, savedAt, mutate]);
  if (isUpdating) return 'updating';
  return isError ? 'stale' : 'current';
}

function FilePreview(props: PreviewProps) {
  const t = useT();
  const { source_format: format, request } = props.document;
  if (request.output === 'docx' && props.side === 'target') return <p>{t('documents.preview_word')}</p>;
  if (format === 'pdf') return <PdfPages {...props} />;
  if (format === 'docx') return <WordFrame {...props} />;
  if (format === 'xlsx' || format === 'ods') return <SheetGrid {...props} />;
  if (format === 'pptx' || format === 'odp' || format === 'odt') return <Slides {...props} />;
  return <TextLines {...props} />;
}
