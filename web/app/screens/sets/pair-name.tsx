import { useT } from '../../i18n.tsx';
import { useLanguages } from '../../parts/languages.tsx';

/**
 * Shows the languages of a set.
 * @param source the language tag of the file; null if each entry has its own language, or if the entries apply to any
 * language
 */
export function PairName({ source, target }: { source: string | null; target: string | null }) {
  const t = useT();
  const { nameOf } = useLanguages();
  if (source === null && target === null) return t('sets.as_in_file');
  const name = (language: string | null) => (language === null ? t('sets.as_in_file') : nameOf(language));
  return t('sets.pair', { from: name(source), to: name(target) });
}
