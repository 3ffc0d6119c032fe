import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Item } from './items.ts';

/** Milliseconds without a keystroke before a text is checked. */
const pause = 400;

/**
 * What the service's own checks find in the text as it is typed. The findings of the text before stay until the next ones are here.
 */
export function useTextCheck({ id, source }: Item, text: string) {
  const [checked, setChecked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  const check = useQuery({
    queryKey: queryKeys.jobs.check(id, checked),
    queryFn: ({ signal }) => client.translations.check({ job_id: id, text: checked }, { signal }),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: checked.trim() !== '',
  });
  const issues = check.data?.issues ?? [];
  return {
    error: check.error,
    issues,
    /** Each by its first target term. */
    missingTerms: check.data?.missing_terms ?? [],
    /** What the source has and the text lacks as it is now, each once: it may be put back. */
    lost: [
      ...new Set(
        issues.flatMap(({ span, missing }) =>
          missing && span && timesIn(source, span) > timesIn(text, span) ? [span] : [],
        ),
      ),
    ],
  };
}

function timesIn(text: string, span: string): number {
  return text.split(span).length - 1;
}
