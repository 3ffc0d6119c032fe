import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { Stack } from '../kit/box.tsx';
import { Text } from '../kit/text.tsx';
import { useFormat } from '../parts/format.ts';
import { reviewerName } from '../parts/member-name.tsx';
import { problemText } from '../parts/problem.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import { queryKeys } from '../query-keys.ts';
import type { Segment } from './segment-filter.ts';

/** The events of the open segment, with author, time and reason. The latest is first. */
export function HistoryTab({
  documentId,
  segment,
  language,
}: {
  documentId: string;
  segment: Segment;
  language: string;
}) {
  const t = useT();
  const { moment } = useFormat();
  const { position } = segment;
  const { data, error } = useQuery({
    queryKey: queryKeys.documents.history(documentId, position),
    queryFn: ({ signal }) => client.documents.history({ document_id: documentId, position }, { signal }),
  });
  if (error) return <p className="hint">{problemText(error, t)}</p>;
  const events = data?.events ?? [];
  return (
    <ol className="rows">
      {events.map((event) => (
        <Stack as="li" key={event.event_id} gap={1}>
          <div>
            <b>{t(`editor.event_${event.kind}`)}</b>{' '}
            <bdi translate="no">
              {event.by === null
                ? t('editor.api_key')
                : reviewerName(event.by, event.user_id === null ? { name: null } : null, t)}
            </bdi>
          </div>
          <Text size="xs" tone="faint">
            <time dateTime={event.created_at}>{moment(event.created_at)}</time>
            {event.undone_at !== null && ` · ${t('editor.undone')}`}
          </Text>
          {event.kind !== 'confirmed' && event.target_text !== null && (
            <TextDiff before={event.previous_text ?? ''} after={event.target_text} language={language} />
          )}
          {event.reason && (
            <div>
              {t(`editor.reason_${event.reason.code}`)}: <bdi>{event.reason.note}</bdi>
            </div>
          )}
        </Stack>
      ))}
      <li>
        <b>{t('editor.machine_translation')}</b>
        {segment.pipeline_text !== null && events.length === 0 && (
          <TextDiff before={segment.pipeline_text} after={segment.target_text ?? ''} language={language} />
        )}
      </li>
    </ol>
  );
}
