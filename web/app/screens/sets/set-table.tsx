import type { ReactNode } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import styles from './sets.module.css';

interface ListedSet {
  id: string;
  source_lang: string | null;
  target_lang: string | null;
  entry_count: number;
  updated_at: string;
}

/**
 * The list of glossaries or TMs.
 * @param size the heading of the column with the number of entries
 * @param children renders the name of a set
 */
export function SetTable<S extends ListedSet>({
  sets,
  size,
  children,
}: {
  sets: readonly S[];
  size: MessageId;
  children: (set: S) => ReactNode;
}) {
  const t = useT();
  const { moment, number } = useFormat();
  return (
    <div className="table-scroll">
      <table className="stacked">
        <thead>
          <tr>
            <th scope="col">{t('sets.name')}</th>
            <th scope="col">{t('sets.languages')}</th>
            <th scope="col" className={styles.number}>
              {t(size)}
            </th>
            <th scope="col">{t('sets.changed')}</th>
          </tr>
        </thead>
        <tbody>
          {sets.map((set) => (
            <tr key={set.id}>
              <th scope="row" className="plain-cell">
                {children(set)}
              </th>
              <td data-label={t('sets.languages')}>
                <PairName source={set.source_lang} target={set.target_lang} />
              </td>
              <td data-label={t(size)} className={styles.number}>
                {number(set.entry_count)}
              </td>
              <td data-label={t('sets.changed')}>
                <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

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
