import { useQuery } from '@tanstack/react-query';
import { client, readMe } from '../client.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from './keeper.ts';

/** The signed-in member and the workspace. They are loaded once, and all screens share them. */
export function useMe() {
  return useQuery({
    queryKey: queryKeys.me,
    queryFn: () => readMe(),
    enabled: !isVisitor(),
  });
}

/** The signed-in member, and the workspace of the session. */
export type Me = NonNullable<ReturnType<typeof useMe>['data']>;

/**
 * Whether the member may use the screens of administrators. The service checks each request; this only determines what is
 * shown.
 */
export function isAdministrator({ user }: Me): boolean {
  return user.role === 'global_administrator';
}

/**
 * Whether the member is a platform operator. `data` is undefined while this is unknown, and if it could not be loaded.
 * The only sign of an operator is in the usage report, which is the sum over all tenants. The report is loaded only for
 * administrators with an authenticator, here or perhaps at the identity provider.
 */
export function useOperatorStanding(me: Me | undefined) {
  const mayBe =
    me !== undefined && isAdministrator(me) && (me.user.totp_enrolled || me.user.provider !== 'email');
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
