import type { TranslationJob } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { LanguageSelect, useLanguages } from './languages.tsx';

/** The option for texts whose language the service detects. */
export const detected = 'auto';

/** A field to select the source language, or its detection. */
export function SourceLanguageSelect({
  value,
  onChange,
}: {
  value: string;
  onChange: (code: string) => void;
}) {
  const t = useT();
  return (
    <LanguageSelect
      label={t('translate.source_language')}
      value={value}
      first={{ value: detected, name: t('translate.detect') }}
      onChange={onChange}
    />
  );
}

/** The name of a job's source language, and whether it was detected. */
export function SourceLanguage({
  request: { source_lang: code, metadata },
}: {
  request: Pick<TranslationJob['request'], 'source_lang' | 'metadata'>;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const name = nameOf(code);
  return metadata?.['source_lang_detection'] ? t('jobs.detected', { language: name }) : name;
}
