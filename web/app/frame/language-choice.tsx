import { type Locale, locales } from '#web/server/locale.ts';
import { useInterface } from '../i18n.tsx';

/** The name of each language, in that language. */
const localeNames: Record<Locale, string> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  ar: 'العربية',
  ja: '日本語',
};

/** Selects the interface language. */
export function LanguageChoice() {
  const { t, locale, choose } = useInterface();
  return (
    <select
      className="language-choice"
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
