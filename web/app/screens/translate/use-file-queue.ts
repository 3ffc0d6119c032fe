import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { allExcept, queryKeys } from '../../query-keys.ts';
import { FileQueue } from './file-queue.ts';
import type { SentRecords } from './sent-record.ts';
import { useSeriesPolling } from './use-series.ts';

/** The files of the screen; the component is rendered again when they change. */
export function useFileQueue(sent: SentRecords) {
  const t = useT();
  const queries = useQueryClient();
  const [queue] = useState(() => new FileQueue(client, sent, deployment.maxUploadBytes));
  const files = useSyncExternalStore(queue.subscribe, () => queue.files);
  useEffect(() => {
    void queue.restore();
  }, [queue]);
  useEffect(() => {
    queue.onEnd = (isDone, keepsLayout) => {
      if (isDone) announce(t(keepsLayout ? 'translate.document_queued' : 'translate.file_done'));
      void queries.invalidateQueries(allExcept(queryKeys.jobs.all, queryKeys.jobs.allSeries));
      void queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    };
  }, [queue, queries, t]);
  useSeriesPolling(files.flatMap(({ tasks }) => tasks.flatMap(({ series }) => series ?? [])));
  return { queue, files };
}
