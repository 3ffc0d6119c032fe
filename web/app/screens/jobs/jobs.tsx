import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { useT } from '../../i18n.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Empty } from '../../kit/empty.tsx';
import { useFormat } from '../../parts/format.ts';
import { JobStatus } from '../../parts/job-status.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { More } from '../../parts/more.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { queryKeys } from '../../query-keys.ts';
import { translationService } from '../../translation-service.ts';
import { FilterFields } from './filter-fields.tsx';
import { type JobFilter, startOfDay } from './search.ts';

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

/** Texts as a table, each with its translation and status. @param empty the text shown without jobs */
function TextTable({ jobs, empty }: { jobs: readonly JobSummary[]; empty: string | undefined }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { moment } = useFormat();
  if (jobs.length === 0) return empty === undefined ? null : <Empty title={empty} />;
  return (
    <DataTable
      rows={jobs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('jobs.source_text'),
          wraps: true,
          least: 14,
          cell: (job) => (
            <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
              <LanguageText as="span" language={job.source_lang} className="excerpt short">
                {job.source_excerpt}
              </LanguageText>
            </Link>
          ),
        },
        {
          title: t('jobs.translation'),
          wraps: true,
          least: 14,
          cell: (job) =>
            job.translation_excerpt && (
              <LanguageText as="span" language={job.target_lang} className="excerpt short">
                {job.translation_excerpt}
              </LanguageText>
            ),
        },
        {
          title: t('jobs.languages'),
          cell: (job) => {
            const [from, to] = [nameOf(job.source_lang), nameOf(job.target_lang)];
            return (
              <span>
                <span className="visually-hidden">{t('jobs.pair', { from, to })}</span>
                <span aria-hidden>
                  {from} <ArrowRight size={12} className="mirrored" /> {to}
                </span>
              </span>
            );
          },
        },
        { title: t('jobs.status'), cell: ({ status }) => <JobStatus status={status} /> },
        {
          title: t('jobs.changed'),
          cell: ({ updated_at }) => <time dateTime={updated_at}>{moment(updated_at)}</time>,
        },
      ]}
    />
  );
}

/** A job in a list. */
interface JobSummary {
  id: string;
  status: string;
  source_lang: string;
  target_lang: string;
  /** At most 300 characters of each text. */
  source_excerpt: string;
  translation_excerpt: string | null;
  triggers: string[];
  updated_at: string;
}

/** Minimum number of jobs on a page of the list, unless there are no more. */
const pageSize = 25;

/**
 * Maximum number of requests for one page: the service examines a limited number of jobs in each request, and may find
 * no match among them.
 */
const maxRequests = 5;

interface JobPage {
  items: JobSummary[];
  nextCursor: string | null;
  /** The `updated_at` of the last job that was examined; null if all jobs were examined. */
  searchedTo: string | null;
}

/**
 * The jobs that match a filter, page by page. After the filter changes, the previous list stays until the new one
 * arrives.
 */
function useJobs(filter: JobFilter) {
  return useInfiniteQuery({
    queryKey: queryKeys.jobs.list(filter),
    queryFn: ({ pageParam }) => readPage(filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    // The list is refreshed only while it has a single page: with several pages, a refresh would move the rows that the
    // member looks at.
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? 10_000 : false),
  });
}

async function readPage(filter: JobFilter, cursor: string | null): Promise<JobPage> {
  const found: JobPage = { items: [], nextCursor: cursor, searchedTo: null };
  for (let requests = 0; requests < maxRequests; requests += 1) {
    const input = { ...inputOf(filter), ...(found.nextCursor && { cursor: found.nextCursor }) };
    const page = await translationService.searchPage(input);
    found.items.push(...page.items);
    found.nextCursor = page.nextCursor;
    found.searchedTo = page.searchedTo;
    if (found.nextCursor === null || found.items.length >= pageSize) break;
  }
  return found;
}

function inputOf({ status, from, to, trigger, since, until, text }: JobFilter) {
  return {
    ...(status && { statuses: [status] }),
    ...(from && { source_lang: from }),
    ...(to && { target_lang: to }),
    ...(trigger && { trigger }),
    ...(since && { updated_from: startOfDay(since) }),
    ...(until && { updated_to: startOfDay(until, 1) }),
    ...(text && { text }),
  };
}
