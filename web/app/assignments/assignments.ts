import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Assignment } from '#sdk/types.ts';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { useMe } from '../session/use-me.ts';

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
    queryKey: queryKeys.assignments.of({ items }),
    queryFn: async () => {
      const wanted = items.slice(0, maxItems).map(({ kind, id }) => ({ kind, id }));
      const found: Assignment[] = [];
      for (let from = 0; from < wanted.length; from += maxListed) {
        const page = { items: wanted.slice(from, from + maxListed) };
        found.push(...(await procedures.assignments.list.query(page)).items);
      }
      return found;
    },
    enabled: items.length > 0 && !isVisitor(),
    // A dialog must find what has changed since it was opened.
    ...(isLive ? { refetchInterval: readAgain } : { staleTime: Infinity, gcTime: 0 }),
  });
}

/** Whether an item has an assignee or a second review, and another member has the turn. @param item undefined: none */
export function useIsOthersTurn(item: Item | undefined): boolean {
  const me = useMe();
  const { data: [assignment] = [] } = useAssignments(item ? [item] : []);
  if (!assignment || !(assignment.four_eyes || assignment.assignee)) return false;
  const holder = assignment.step === 'second' ? assignment.second : assignment.assignee;
  return me.data !== undefined && holder?.user_id !== me.data.user.user_id;
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
    queryKey: queryKeys.assignments.of({ profile: userId }),
    queryFn: async () => {
      const { members } = await procedures.assignments.profiles.query({ user_id: userId });
      return members[0] ?? null;
    },
    enabled: userId !== '',
  });
}
