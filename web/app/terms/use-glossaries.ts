import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';

/** Loads all glossaries, because there are few. */
export function useGlossaries() {
  return useQuery({ queryKey: queryKeys.terminology.sets, queryFn: () => client.terminology.list() });
}
