import { useQuery } from '@tanstack/react-query';
import type { ReviewerProfile, ReviewerProfilePage } from '#sdk/types.ts';
import type { Translate } from '../i18n.tsx';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { isolated } from './language-text.tsx';

/** Pages of 200 members whose names are loaded at most. */
const maxPages = 5;

/** Returns the display name of an active member by ID or email address; otherwise the email address or ID. */
export function useMemberNames(): (idOrEmail: string) => string {
  const { data } = useQuery({
    queryKey: queryKeys.assignments.of({ names: true }),
    queryFn: async () => {
      const all: ReviewerProfile[] = [];
      for (let cursor: string | null = ''; cursor !== null && all.length < maxPages * 200; ) {
        const page: ReviewerProfilePage = await procedures.assignments.profiles.query(
          cursor === '' ? {} : { cursor },
        );
        all.push(...page.members);
        cursor = page.next_cursor;
      }
      return new Map(
        all.flatMap(({ user_id, email, name }) => [user_id, email ?? user_id].map((key) => [key, name])),
      );
    },
    staleTime: 60_000,
    enabled: !isVisitor(),
  });
  return (idOrEmail) => data?.get(idOrEmail) ?? idOrEmail;
}

/** A member: the display name, and below it the email address. Without an email address, the ID. */
export function MemberName({ email, id }: { email: string | null; id: string }) {
  const name = useMemberNames()(id);
  const address = email ?? id;
  if (name === id || name === address) return <bdi translate="no">{address}</bdi>;
  return (
    <>
      <bdi translate="no">{name}</bdi>{' '}
      <small className="hint">
        <bdi translate="no">{address}</bdi>
      </small>
    </>
  );
}

/**
 * The name of a reviewer as it was recorded. A name that a client with an API key sent is marked as not verified, because
 * only a session identifies a person.
 * @param via the API key; null or undefined for a signed-in member
 */
export function reviewerName(name: string, via: { name: string | null } | null | undefined, t: Translate) {
  if (!via) return isolated(name);
  return via.name === null
    ? t('common.claimed', { name: isolated(name) })
    : t('common.claimed_with_key', { name: isolated(name), key: isolated(via.name) });
}
