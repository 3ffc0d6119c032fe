import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Item } from './items.ts';

/** Milliseconds without a keystroke before a text is checked. */
const pause = 400;

/**
 * The issues that the service finds while the reviewer types; no model is used. Until the next result arrives, the
 * previous issues stay.
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
    /** Each missing term is shown by its first target term. */
    missingTerms: check.data?.missing_terms ?? [],
    /** The elements of the source that the text lacks, each only once. The reviewer can insert them. */
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
