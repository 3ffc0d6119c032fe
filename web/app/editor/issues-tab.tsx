import { useQuery } from '@tanstack/react-query';
import type { QualityIssue } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { problemText } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { queryKeys } from '../query-keys.ts';
import styles from './editor.module.css';
import { isOpen } from './finding-actions.ts';
import type { Segment } from './segment-filter.ts';

/** Maximum number of segments in the list; the filters show all of them. */
const most = 200;

/** All segments of the document with findings that no reviewer has confirmed: critical ones first. */
export default function IssuesTab({
  documentId,
  onOpen,
}: {
  documentId: string;
  onOpen: (position: number) => void;
}) {
  const t = useT();
  const { data, error } = useQuery({
    queryKey: queryKeys.documents.issues(documentId),
    queryFn: async ({ signal }) => {
      const [critical, warning] = await Promise.all(
        (['critical', 'warning'] as const).map((status) =>
          client.documents.search({ document_id: documentId, status, limit: most }, { signal }),
        ),
      );
      return [...(critical?.segments ?? []), ...(warning?.segments ?? [])];
    },
  });
  if (error) return <p className="hint">{problemText(error, t)}</p>;
  if (data?.length === 0) return <p className="hint">{t('editor.no_issues')}</p>;
  return (
    <ul className={styles['issues']}>
      {data?.map((segment) => (
        <li key={segment.position}>
          <button type="button" className="ghost" onClick={() => onOpen(segment.position)}>
            <span className={styles['soft']}>{segment.position + 1}</span>
            <Worst segment={segment} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Worst({ segment }: { segment: Segment }) {
  const t = useT();
  const issues = (segment.quality.issues as QualityIssue[]).filter(isOpen);
  const worst = issues.find(({ severity }) => severity === 'critical') ?? issues[0];
  return (
    <>
      <StatusMark status={worst?.severity === 'critical' ? 'critical' : 'warning'} />
      <bdi>{worst?.explanation ?? t('editor.low_score', { score: segment.quality.score ?? 0 })}</bdi>
    </>
  );
}
