import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';

/** Loads all glossaries, because there are few. */
export function useGlossaries() {
  return useQuery({ queryKey: ['terminology', 'sets'], queryFn: () => client.terminology.list() });
}
