import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';

/** The signed-in member with its workspace, read once and shared by all screens. */
export function useMe() {
  return useQuery({
    queryKey: queryKeys.me,
    queryFn: () => client.auth.me(),
  });
}

/** What the service says of the signed-in member and the workspace. */
export type Me = NonNullable<ReturnType<typeof useMe>['data']>;

/** Whether the member may use the screens of administrators. The service decides at each request; this decides what is shown. */
export function isAdministrator({ user }: Me): boolean {
  return user.role === 'global_administrator';
}

/**
 * Whether the member is an operator of the platform; `data` is undefined while that is not known, and if it could not be read. Only the report of usage tells: an operator's is
 * the sum over all tenants. Nobody is asked about who cannot be one: an operator is an administrator with an authenticator (A 5.1 rule 8).
 */
export function useOperatorStanding(me: Me | undefined) {
  const mayBe = me !== undefined && isAdministrator(me) && me.user.totp_enrolled;
  const today = new Date().toISOString().slice(0, 10);
  const report = useQuery({
    queryKey: queryKeys.operator.standing,
    queryFn: () => client.usage.daily({ from: today, to: today }),
    enabled: mayBe,
    staleTime: 300_000,
  });
  const { data, error, refetch } = report;
  if (me !== undefined && !mayBe) return { data: false, error: null, refetch };
  return { data: data && data.tenant_id === null, error, refetch };
}
