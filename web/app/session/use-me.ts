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

/** The signed-in member and the workspace. */
export type Me = NonNullable<ReturnType<typeof useMe>['data']>;

/**
 * Whether the member may use the screens of administrators. The service checks each request; this only determines what is
 * shown.
 */
export function isAdministrator({ user }: Me): boolean {
  return user.role === 'global_administrator';
}

/**
 * Whether the member is a platform operator; `data` is undefined while that is unknown, and if it could not be loaded. Only
 * the usage report shows it: an operator's is the sum over all tenants. It is requested only for administrators with an
 * authenticator, because others cannot be operators.
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
