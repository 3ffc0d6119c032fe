import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { TerminologySet } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import type { ContentFilter, SearchedSide } from './search.ts';
import styles from './terms.module.css';
import { maxSorted } from './use-terms.ts';

/** The header of a column by which the terms can be sorted. A second click reverses the order. */
export function SortHeader({
  by,
  set,
  filter: { sort = 'source', descending, ...filter },
}: {
  by: SearchedSide;
  set: TerminologySet;
  filter: Omit<ContentFilter, 'sort'> & { sort?: SearchedSide };
}) {
  const t = useT();
  const navigate = useNavigate();
  if (set.entry_count > maxSorted) return <th scope="col">{t(`sets.${by}`)}</th>;
  const isSorted = sort === by;
  const choose = () =>
    void navigate({
      to: '/app/glossaries/$setId',
      params: { setId: set.id },
      search: {
        ...filter,
        ...(by === 'target' && { sort: by }),
        ...(isSorted && !descending && { descending: true }),
      },
      replace: true,
      resetScroll: false,
    });
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <th scope="col" aria-sort={isSorted ? (descending ? 'descending' : 'ascending') : undefined}>
      <button type="button" className={`ghost ${styles.sort}`} onClick={choose}>
        {t(`sets.${by}`)} {isSorted && <Arrow size={13} aria-hidden />}
      </button>
    </th>
  );
}
