import { useQueries } from '@tanstack/react-query';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Progress } from '../documents/search.ts';
import { useProgress } from '../documents/use-progress.ts';
import type { ListedFile } from './file-queue.ts';

/** A document as it is now. */
export interface DocumentState {
  document: TenantDocumentJob;
  progress: Progress | undefined;
}

/** The documents of the listed files by their IDs. Their progress is polled until they are translated. */
export function useDocumentStates(files: readonly ListedFile[]): ReadonlyMap<string, DocumentState> {
  const sent = files.flatMap(({ tasks }) => tasks.flatMap(({ document }) => document ?? []));
  const documents = useQueries({
    queries: sent.map((document) => ({
      queryKey: queryKeys.documents.document(document.id),
      queryFn: () => client.documents.get(document.id),
      initialData: document,
      // `useProgress` reloads it when its status changes.
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const progress = useProgress(documents);
  return new Map(
    documents.map((document) => [document.id, { document, progress: progress.get(document.id) }]),
  );
}
