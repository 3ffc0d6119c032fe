import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';

/** Reads all glossaries; there are few. */
export function useGlossaries() {
  return useQuery({ queryKey: ['terminology', 'sets'], queryFn: () => client.terminology.list() });
}
