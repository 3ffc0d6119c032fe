import { useQuery } from '@tanstack/react-query';
import { assignments } from '#sdk/assignments.ts';
import type { MemberLoad, ReviewerProfile } from '#sdk/types.ts';
import { bound } from '../client.ts';
import { queryKeys } from '../query-keys.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';

/** The methods of assignments. */
export const service = bound(assignments);

/** A member with the load, which only administrators see. */
export interface Colleague extends ReviewerProfile {
  load: MemberLoad | undefined;
}

/** Pages of 200 members that are loaded at most. */
const maxPages = 5;

/** The active members, at most 1000. */
export function useColleagues() {
  const me = useMe();
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  return useQuery({
    queryKey: queryKeys.assignments.of({ members: isAdmin }),
    queryFn: async () => {
      const members = await readPages((page) => service.profiles(page));
      const loads = isAdmin ? await readPages((page) => service.load(page)) : [];
      const byId = new Map(loads.map((load) => [load.user_id, load]));
      return members.map((member): Colleague => ({ ...member, load: byId.get(member.user_id) }));
    },
    enabled: me.data !== undefined,
  });
}

async function readPages<T>(
  read: (page: { cursor?: string }) => PromiseLike<{ members: T[]; next_cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let [page, cursor] = [0, '']; page < maxPages; page++) {
    const { members, next_cursor } = await read(cursor === '' ? {} : { cursor });
    all.push(...members);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return all;
}
