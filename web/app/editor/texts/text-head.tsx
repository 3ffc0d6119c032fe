import { CheckCheck, CircleSlash } from 'lucide-react';
import { useT } from '../../i18n.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import styles from '../editor.module.css';
import { EditorHead } from '../editor-head.tsx';
import type { Languages } from '../marks.ts';
import type { TextSegment } from './text-list.ts';

/** The head of the editor of texts: their number and languages, and the decisions about all. */
export function TextHead({
  segments,
  languages,
  hasMore,
  others,
  onApprove,
  onReject,
}: {
  segments: readonly TextSegment[];
  /** The languages of all texts; undefined if they differ. */
  languages: Languages | undefined;
  hasMore: boolean;
  /** Names of colleagues who have the open text open. */
  others: readonly string[];
  onApprove: () => void;
  onReject: () => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  return (
    <EditorHead
      format={
        <span className={styles['format']} data-format="text">
          {t('inbox.text')}
        </span>
      }
      title={t('editor.texts', { count: segments.length, more: hasMore ? 'yes' : 'no' })}
      pair={
        languages && t('documents.pair', { from: nameOf(languages.source), to: nameOf(languages.target) })
      }
      others={others}
    >
      <button
        type="button"
        className="ghost"
        aria-label={t('editor.reject_all')}
        onClick={onReject}
        disabled={segments.length === 0}
      >
        <CircleSlash size={16} aria-hidden />
        <span className={styles['label']}>{t('editor.reject_all')}</span>
      </button>
      <button type="button" onClick={onApprove} disabled={segments.length === 0}>
        <CheckCheck size={16} aria-hidden />
        <span className={styles['label']}>{t('editor.approve')}</span>
      </button>
    </EditorHead>
  );
}
