import { useQuery } from '@tanstack/react-query';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { deployment } from '../deployment.ts';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from './keeper.ts';

/** The work that the workspace may start: everything, only texts (the free trial), or nothing. */
export type Coverage = OutputOf<'billing.coverage'>['covers'];

/**
 * Returns the work that the payments of the workspace cover. Members cannot read the payments, so the service decides.
 * Undefined while this is unknown; the service then checks each request.
 */
export function useCoverage(): Coverage | undefined {
  const { data } = useQuery({
    queryKey: queryKeys.coverage,
    queryFn: () => procedures.billing.coverage.query(),
    enabled: deployment.needsPlan && !isVisitor(),
  });
  return deployment.needsPlan ? data?.covers : 'all';
}
