import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { FilterFields } from './filter-fields.tsx';
import type { JobFilter } from './search.ts';
import { TextTable } from './text-table.tsx';
import { useJobs } from './use-jobs.ts';

/** `/app/texts`: the workspace's jobs, the most recently changed first. */
export function JobsScreen() {
  const t = useT();
  const { moment } = useFormat();
  const navigate = useNavigate();
  const filter = useSearch({ from: '/workspace/app/texts' });
  const jobs = useJobs(filter);
  const isFiltered = Object.keys(filter).length > 0;
  const searchedTo = jobs.hasNextPage && isFiltered && jobs.data?.pages.at(-1)?.searchedTo;
  const change = (search: JobFilter) =>
    void navigate({ to: '/app/texts', search, replace: true, resetScroll: false });
  return (
    <>
      <title>{`${t('jobs.title')} · LinguaLoop`}</title>
      <PageHead title={t('jobs.title')} />
      <FilterFields filter={filter} onChange={change} />
      <Read from={jobs} lines={12}>
        {({ pages }) => (
          <TextTable
            jobs={pages.flatMap(({ items }) => items)}
            empty={jobs.hasNextPage ? undefined : t(isFiltered ? 'jobs.none_found' : 'jobs.none')}
          />
        )}
      </Read>
      {searchedTo && <p className="hint">{t('jobs.searched_to', { moment: moment(searchedTo) })}</p>}
      <More of={jobs} />
    </>
  );
}
