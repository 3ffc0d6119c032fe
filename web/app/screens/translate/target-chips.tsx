import { X } from 'lucide-react';
import type { LanguageCode } from '#server/languages.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { LanguagePicker } from './language-picker.tsx';

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
    <Row role="group" aria-label={t('translate.target_languages')}>
      <span className="hint">{t('translate.into')}</span>
      {codes.map((code) => (
        <button
          key={code}
          type="button"
          className="chip"
          data-chosen
          aria-label={t('languages.remove', { name: nameOf(code) })}
          title={t('languages.remove', { name: nameOf(code) })}
          onClick={() => onChange(codes.filter((one): one is LanguageCode => one !== code))}
        >
          {nameOf(code)}
          <X size={12} aria-hidden />
        </button>
      ))}
      <LanguagePicker chosen={codes} className="chip" text={t('translate.add')} onChange={onChange} />
    </Row>
  );
}
