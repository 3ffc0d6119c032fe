import { useQuery } from '@tanstack/react-query';
import type { QualityIssue } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { Text } from '../kit/text.tsx';
import { problemText } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { queryKeys } from '../query-keys.ts';
import { isOpen } from './finding-actions.ts';
import type { EditedSegment } from './segment.ts';

/** Maximum number of segments in the list; the filters show all of them. */
const most = 200;

/** All segments of the document with findings that no reviewer has confirmed: critical ones first. */
export function IssuesTab({
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
    <IssueList
      rows={data ?? []}
      otherwise={({ quality }) => t('editor.low_score', { score: quality.score ?? 0 })}
      onOpen={onOpen}
    />
  );
}

/** Rows that need attention, each with its worst open finding. A click opens the row. */
export function IssueList<Row extends EditedSegment>({
  rows,
  otherwise,
  onOpen,
}: {
  rows: readonly Row[];
  /** Returns what is shown for a row without an open finding. */
  otherwise: (row: Row) => string;
  onOpen: (position: number) => void;
}) {
  return (
    <ul className="choices">
      {rows.map((row) => {
        const issues = (row.quality.issues as QualityIssue[]).filter(isOpen);
        const worst = issues.find(({ severity }) => severity === 'critical') ?? issues[0];
        return (
          <li key={row.position}>
            <button type="button" className="ghost" onClick={() => onOpen(row.position)}>
              <Text size="xs" tone="faint">
                {row.position + 1}
              </Text>
              <StatusMark status={row.status} />
              <bdi>{worst?.explanation ?? otherwise(row)}</bdi>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
