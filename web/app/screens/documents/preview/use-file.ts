import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { readArtifact } from '../../../client.ts';
import { queryKeys } from '../../../query-keys.ts';
import type { Side } from './preview-props.ts';

/** A document's file: the source, or the latest translated one. The previous file is shown until the next one is loaded. */
export function useFile({ id, artifacts }: TenantDocumentJob, side: Side) {
  const kind = side === 'source' ? 'source' : 'translated';
  const artifact = artifacts
    .filter((one) => one.kind === kind)
    .reduce((newest, one) => (one.revision > newest.revision ? one : newest));
  return useQuery({
    queryKey: queryKeys.documents.file(id, artifact.id),
    queryFn: async () => ({ artifactId: artifact.id, bytes: await readArtifact(id, artifact) }),
    // A file never changes; a correction creates another one.
    staleTime: Number.POSITIVE_INFINITY,
    // The file may be large.
    gcTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

/** Scrolls only the container, so that an element in it is visible. */
export function scrollWithin(container: Element | null, element: Element): void {
  if (!container) return;
  const outer = container.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    container.scrollTop += inner.top - outer.top - outer.height / 3;
  if (inner.left < outer.left || inner.right > outer.right)
    container.scrollLeft += inner.left - outer.left - outer.width / 3;
}
