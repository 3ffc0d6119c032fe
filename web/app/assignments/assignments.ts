import { useQuery, useQueryClient } from '@tanstack/react-query';
import { assignments } from '#sdk/assignments.ts';
import type { Assignment, MemberLoad, ReviewerProfile } from '#sdk/types.ts';
import { bound } from '../client.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';

/** The methods of assignments. */
export const service = bound(assignments);

/** An item that can be assigned: a document, or one text. */
export type Item = Pick<Assignment, 'kind' | 'id'>;

export const itemKey = ({ kind, id }: Item): string => `${kind} ${id}`;

/** Maximum number of items of one request. */
export const maxItems = 500;

/** Maximum number of items in the URL of a request. */
const maxListed = 100;

/** Milliseconds between refreshes of lists. */
export const readAgain = 15_000;

/** The assignments of those of some items that await review. */
export function useAssignments(items: readonly Item[], { isLive = true }: { isLive?: boolean } = {}) {
  return useQuery({
    queryKey: queryKeys.assignments.list({ items }),
    queryFn: async () => {
      const wanted = items.slice(0, maxItems).map(({ kind, id }) => ({ kind, id }));
      const found: Assignment[] = [];
      for (let from = 0; from < wanted.length; from += maxListed)
        found.push(...(await service.listPage({ items: wanted.slice(from, from + maxListed) })).items);
      return found;
    },
    enabled: items.length > 0 && !isVisitor(),
    // A dialog must find what has changed since it was opened.
    ...(isLive ? { refetchInterval: readAgain } : { staleTime: Infinity, gcTime: 0 }),
  });
}

/** Loads assignments, and the lists that show them, again. */
export function useReload(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: queryKeys.assignments.all }),
      queries.invalidateQueries({ queryKey: queryKeys.reviews.inbox }),
    ]);
}

/** The signed-in member's own languages, name, time zone and absence. */
export function useOwnProfile() {
  const me = useMe();
  const userId = me.data?.user.user_id ?? '';
  return useQuery({
    queryKey: queryKeys.assignments.profile(userId),
    queryFn: async () => (await service.profiles({ user_id: userId })).members[0] ?? null,
    enabled: userId !== '',
  });
}

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
    queryKey: queryKeys.assignments.members(isAdmin),
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
