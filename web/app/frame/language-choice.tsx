import { type Locale, localeNames, locales } from '#web/server/locale.ts';
import { useInterface } from '../i18n.tsx';

/** Selects the interface language. */
export function LanguageChoice() {
  const { t, locale, choose } = useInterface();
  return (
    <select
      style={{ inlineSize: 'auto' }}
      aria-label={t('common.language')}
      value={locale}
      onChange={({ target }) => void choose(target.value as Locale)}
    >
      {locales.map((one) => (
        <option key={one} value={one} lang={one}>
          {localeNames[one]}
        </option>
      ))}
    </select>
  );
}
