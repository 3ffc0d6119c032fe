import { useT } from '../i18n.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './editor.module.css';
import type { PendingEdit, SegmentSaves } from './segment-saves.ts';
import { plainOf } from './tagged-text.ts';

/** Both texts, if someone else changed the translation while the reviewer edited it. Nothing is overwritten unseen. */
export function SegmentConflict({
  position,
  edit,
  saves,
  language,
}: {
  position: number;
  edit: PendingEdit;
  saves: SegmentSaves;
  language: string;
}) {
  const t = useT();
  if (edit.state.kind !== 'conflict') return null;
  const present = edit.state.present === null ? null : plainOf(edit.state.present, null);
  return (
    <div role="gridcell" tabIndex={-1} className={styles['conflict']}>
      <p role="alert">{t('editor.conflict')}</p>
      <dl>
        <dt>{t('editor.theirs')}</dt>
        <dd>
          {present === null ? (
            t('editor.untranslated')
          ) : (
            <LanguageText as="div" language={language}>
              {present}
            </LanguageText>
          )}
        </dd>
        <dt>{t('editor.mine')}</dt>
        <dd>
          <TextDiff before={present ?? ''} after={plainOf(edit.text, null)} language={language} />
        </dd>
      </dl>
      <div className="actions">
        <button type="button" className="small" onClick={() => saves.replacePresent(position)}>
          {t('editor.keep_mine')}
        </button>
        <button type="button" className="small" onClick={() => saves.drop(position)}>
          {t('editor.take_theirs')}
        </button>
      </div>
    </div>
  );
}
