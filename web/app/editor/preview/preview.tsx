import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Loading } from '../../parts/loading.tsx';
import styles from './preview.module.css';
import type { PreviewProps, Side } from './preview-props.ts';

const PdfPages = lazy(() => import('./pdf-pages.tsx'));
const SheetGrid = lazy(() => import('./sheet-grid.tsx'));
const WordFrame = lazy(() => import('./word-frame.tsx'));

/** A document's file in its format, with the current segment marked. A click opens a segment. */
export default function Preview(props: Omit<PreviewProps, 'side'>) {
  const t = useT();
  const { document } = props;
  const isTranslated = document.status === 'translated';
  const [chosen, setChosen] = useState<Side>('target');
  const side = isTranslated ? chosen : 'source';
  return (
    <div className={styles.preview}>
      <fieldset className={styles.sides}>
        <legend className="visually-hidden">{t('documents.side')}</legend>
        {(['source', 'target'] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="side"
              checked={side === one}
              disabled={one === 'target' && !isTranslated}
              onChange={() => setChosen(one)}
            />
            {t(`documents.side_${one}`)}
          </label>
        ))}
      </fieldset>
      <Suspense fallback={<Loading lines={20} />}>
        {document.source_format === 'pdf' && <PdfPages {...props} side={side} />}
        {document.source_format === 'docx' && <WordFrame {...props} side={side} />}
        {document.source_format === 'xlsx' && <SheetGrid {...props} side={side} />}
      </Suspense>
    </div>
  );
}
