import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Loading } from '../../parts/loading.tsx';
import styles from './preview.module.css';
import type { PreviewProps, Side } from './preview-props.ts';

const PdfPages = lazy(() => import('./pdf-pages.tsx'));
const SheetGrid = lazy(() => import('./sheet-grid.tsx'));
const Slides = lazy(() => import('./slides.tsx'));
const TextLines = lazy(() => import('./text-lines.tsx'));
const WordFrame = lazy(() => import('./word-frame.tsx'));

const both = ['source', 'target'] as const;

/** A document's file in its format, with the current segment marked. A click opens a segment. */
export default function Preview({
  canShowBoth,
  tools,
  ...props
}: Omit<PreviewProps, 'side'> & {
  /** Whether there is room for both files next to each other. Both are shown then by default. */
  canShowBoth: boolean;
  /** Shown next to the selection of the file. */
  tools: ReactNode;
}) {
  const t = useT();
  const isTranslated = props.document.status === 'translated';
  const [selected, setSelected] = useState<Side | 'both'>(canShowBoth ? 'both' : 'target');
  const shown = isTranslated ? selected : 'source';
  return (
    <div className={styles.preview}>
      <div className={styles.bar}>
        <fieldset className={styles.sides}>
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
      </div>
      <Suspense fallback={<Loading lines={20} />}>
        <div className={styles.files}>
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
