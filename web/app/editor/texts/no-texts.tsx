import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n.tsx';
import styles from '../editor.module.css';
import type { TextSearch } from './filters.ts';

/** Shown if no text awaits review, or none matches the filters. @param onMore null if all texts were searched */
export function NoTexts({
  search: { item: _, ...filters },
  onMore,
}: {
  search: TextSearch;
  onMore: (() => void) | null;
}) {
  const t = useT();
  if (onMore)
    return (
      <p className={styles['empty']}>
        {t('editor.none_so_far')}{' '}
        <button type="button" onClick={onMore}>
          {t('editor.search_on')}
        </button>
      </p>
    );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <p className={styles['empty']}>
      {t(isFiltered ? 'review.none_found' : 'review.nothing_waits')}{' '}
      {isFiltered ? (
        <Link to="/app/edit/texts" search={{}}>
          {t('review.clear_filters')}
        </Link>
      ) : (
        <Link to="/app">{t('editor.back')}</Link>
      )}
    </p>
  );
}
