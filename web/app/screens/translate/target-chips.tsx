import { X } from 'lucide-react';
import type { LanguageCode } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { LanguagePicker } from './language-picker.tsx';
import styles from './panes.module.css';

/** The selected target languages as chips that can be removed, and a button to add others. */
export function TargetChips({
  codes,
  onChange,
}: {
  codes: readonly string[];
  onChange: (codes: LanguageCode[]) => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row in all browsers
    <div className={styles.chips} role="group" aria-label={t('translate.target_languages')}>
      <span className="hint">{t('translate.into')}</span>
      {codes.map((code) => (
        <button
          key={code}
          type="button"
          className={styles.chip}
          aria-label={t('languages.remove', { name: nameOf(code) })}
          title={t('languages.remove', { name: nameOf(code) })}
          onClick={() => onChange(codes.filter((one): one is LanguageCode => one !== code))}
        >
          {nameOf(code)}
          <X size={12} aria-hidden />
        </button>
      ))}
      <LanguagePicker
        chosen={codes}
        className={styles.addChip}
        text={t('translate.add')}
        onChange={onChange}
      />
    </div>
  );
}
