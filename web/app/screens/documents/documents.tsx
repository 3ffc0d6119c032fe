import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { useT } from '../../i18n.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Badge } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { isVisitor } from '../../session/keeper.ts';
import { useCoverage } from '../../session/use-coverage.ts';
import { DocumentRows } from './document-rows.tsx';
import { FileFilters, FileSearch } from './file-filters.tsx';
import { groupFiles } from './files.ts';
import type { DocumentFilter } from './search.ts';

/** `/app/files`: the workspace's files with their translations and progress, the last changed first. */
export function DocumentsScreen() {
  const t = useT();
  const { number } = useFormat();
  const navigate = useNavigate();
  const { format: wanted, ...search } = useSearch({ from: '/workspace/app/files' });
  const format = layoutKindNames.find((one) => one === wanted);
  const filter: DocumentFilter = { ...search, ...(format && { format }) };
  const files = useFiles(filter);
  const counts = files.data?.pages[0]?.counts ?? undefined;
  const all = counts && counts.translating + counts.needs_review + counts.approved + counts.failed;
  const change = (search: DocumentFilter) =>
    void navigate({ to: '/app/files', search, replace: true, resetScroll: false });
  return (
    <>
      <title>{`${t('documents.title')} · LinguaLoop`}</title>
      <PageHead
        title={t('documents.title')}
        aside={
          all !== undefined && (
            <Badge>
              {number(all)}
              {counts?.more && '+'}
            </Badge>
          )
        }
      >
        <FileSearch filter={filter} onChange={change} />
        {!isVisitor() && (
          <Link to="/app/translate" search={{ kind: 'file' }} className="button primary">
            <Upload size={16} aria-hidden /> {t('documents.upload')}
          </Link>
        )}
      </PageHead>
      <FileFilters filter={filter} counts={counts} onChange={change} />
      <Read from={files} lines={12}>
        {({ pages }) => {
          const groups = groupFiles(pages.flatMap(({ items }) => items));
          if (groups.length > 0) return <DocumentRows groups={groups} />;
          return <Nothing isFiltered={Object.keys(filter).length > 0} hasMore={files.hasNextPage} />;
        }}
      </Read>
      <More of={files} />
    </>
  );
}

function useFiles({ to, ...filter }: DocumentFilter) {
  return useInfiniteQuery({
    queryKey: queryKeys.documents.list({ to, ...filter }),
    queryFn: async ({ pageParam }) => {
      const query = { ...filter, ...(to && { target_lang: to }), ...(pageParam && { cursor: pageParam }) };
      const { files: items, ...page } = await procedures.documents.files.query(query);
      return { ...page, items };
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** @param hasMore whether further pages may have matches */
function Nothing({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  const t = useT();
  const coverage = useCoverage();
  const isCovered = coverage === undefined || coverage === 'all';
  if (hasMore) return <Empty title={t('documents.none_so_far')} />;
  const text = isFiltered
    ? 'documents.none_found'
    : isCovered
      ? 'documents.none'
      : 'translate.files_need_plan';
  return <Empty title={t(text)} />;
}
