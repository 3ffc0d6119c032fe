import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { QualityIssue } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Segment } from './search.ts';

/** Milliseconds without a keystroke before a text is checked. */
const pause = 400;

/**
 * The issues of a segment's translation: the stored issues, or those of the reviewer's text.
 * @param text the reviewer's text; undefined without a correction
 */
export function useSegmentCheck(
  documentId: string,
  { position, quality }: Segment,
  text: string | undefined,
): QualityIssue[] {
  const [checked, setChecked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  const check = useQuery({
    queryKey: queryKeys.documents.check(documentId, position, checked),
    queryFn: ({ signal }) =>
      client.documents.check({ document_id: documentId, position, text: checked ?? '' }, { signal }),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: checked !== undefined && checked.trim() !== '',
  });
  return text === undefined ? (quality.issues as QualityIssue[]) : (check.data?.issues ?? []);
}
