import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { readArtifact } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Side } from './preview-props.ts';

/** The query of a file of a document: the source, or the latest translated file. */
export function fileQuery({ id, artifacts }: TenantDocumentJob, side: Side) {
  const kind = side === 'source' ? 'source' : 'translated';
  const artifact = artifacts
    .filter((one) => one.kind === kind)
    .reduce((newest, one) => (one.revision > newest.revision ? one : newest));
  return {
    queryKey: queryKeys.documents.file(id, artifact.id),
    queryFn: async () => ({ artifactId: artifact.id, bytes: await readArtifact(id, artifact) }),
    // A file never changes: each correction creates a new file.
    staleTime: Number.POSITIVE_INFINITY,
    // A file may be large, so it is soon removed from memory.
    gcTime: 30_000,
  };
}

/** Loads a file. Until it is loaded, the previous file is shown. */
export function useFile(document: TenantDocumentJob, side: Side) {
  return useQuery({ ...fileQuery(document, side), placeholderData: keepPreviousData });
}

/** Scrolls only the container until an element in it is visible, and not the page around the container. */
export function scrollWithin(container: Element | null, element: Element): void {
  if (!container) return;
  const outer = container.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    container.scrollTop += inner.top - outer.top - outer.height / 3;
  if (inner.left < outer.left || inner.right > outer.right)
    container.scrollLeft += inner.left - outer.left - outer.width / 3;
}
