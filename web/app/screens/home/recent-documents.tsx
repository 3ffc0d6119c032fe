import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { queryKeys } from '../../query-keys.ts';

/** The number of recently changed documents among which this screen looks. */
const examined = 20;

/** Recently changed documents that are in progress, or that failed. Hidden if no document qualifies. */
export function RecentDocuments({ which }: { which: 'under_way' | 'failed' }) {
  const t = useT();
  const { moment } = useFormat();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.documents.latest,
    queryFn: async () => (await client.documents.listPage({ limit: examined })).items,
    refetchInterval: 10_000,
  });
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  const documents = data?.filter(({ status }) =>
    which === 'failed' ? status === 'failed' : status !== 'failed' && status !== 'translated',
  );
  if (!documents?.length) return null;
  return (
    <ul className="rows">
      {documents.map(({ id, source_file_name, updated_at }) => (
        <li key={id}>
          <Link to="/app/edit/documents/$documentId" params={{ documentId: id }}>
            <bdi translate="no">{source_file_name}</bdi>
          </Link>{' '}
          <span className="hint">
            {t('home.document')} · <time dateTime={updated_at}>{moment(updated_at)}</time>
          </span>
        </li>
      ))}
    </ul>
  );
}
