import { useQuery } from '@tanstack/react-query';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';

/** Documents that the service still works at. */
export function DocumentsUnderWay() {
  const t = useT();
  const { moment } = useFormat();
  const documents = useQuery({
    queryKey: ['documents', 'under_way'],
    queryFn: async () => {
      const { items } = await client.documents.listPage({ limit: 20 });
      return items.filter(({ status }) => status !== 'translated' && status !== 'failed');
    },
    refetchInterval: 10_000,
  });
  if (documents.error) return <Problem error={documents.error} retry={() => void documents.refetch()} />;
  if (!documents.data?.length) return null;
  return (
    <ul className="rows">
      {documents.data.map(({ id, source_file_name, updated_at }) => (
        <li key={id}>
          <a href={`${deployment.basePath}/app/documents/${id}`}>
            <bdi translate="no">{source_file_name}</bdi>
          </a>{' '}
          <span className="hint">
            {t('home.document')} · <time dateTime={updated_at}>{moment(updated_at)}</time>
          </span>
        </li>
      ))}
    </ul>
  );
}
