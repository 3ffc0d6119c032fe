import { useQuery } from '@tanstack/react-query';
import { terminology } from '#sdk/terminology.ts';
import { bound } from '../client.ts';
import { queryKeys } from '../query-keys.ts';

/** The methods of glossaries. */
export const glossaryService = bound(terminology);

/** Loads all glossaries, because there are few. */
export function useGlossaries() {
  return useQuery({ queryKey: queryKeys.terminology.sets, queryFn: () => glossaryService.list() });
}
