import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Read } from '../../parts/loading.tsx';
import { More } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { DocumentRows } from './document-rows.tsx';
import styles from './documents.module.css';
import { documentStatuses, type KnownDocumentStatus } from './search.ts';

/** `/app/files`: the workspace's documents with their progress, the most recently changed first. */
export function DocumentsScreen() {
  const t = useT();
  const navigate = useNavigate();
  const filter = useSearch({ from: '/workspace/app/files' });
  const documents = useInfiniteQuery({
    queryKey: queryKeys.documents.list(filter),
    queryFn: ({ pageParam }) =>
      client.documents.listPage({ ...filter, limit: 50, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const choose = (status: string) =>
    void navigate({
      to: '/app/files',
      search: status ? { status: status as KnownDocumentStatus } : {},
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <title>{`${t('documents.title')} · LinguaLoop`}</title>
      <h1>{t('documents.title')}</h1>
      <div className={styles.above}>
        <label className={styles.status}>
          {t('documents.status')}
          <select value={filter.status ?? ''} onChange={({ target }) => choose(target.value)}>
            <option value="">{t('documents.any')}</option>
            {documentStatuses.map((status) => (
              <option key={status} value={status}>
                {t(`documents.status_${status}`)}
              </option>
            ))}
          </select>
        </label>
        <Link to="/app/translate" search={{ kind: 'file' }}>
          {t('documents.upload')}
        </Link>
      </div>
      <Read from={documents} lines={12}>
        {({ pages }) => (
          <DocumentRows
            documents={pages.flatMap(({ items }) => items)}
            empty={t(filter.status ? 'documents.none_found' : 'documents.none')}
          />
        )}
      </Read>
      <More of={documents} />
    </>
  );
}
