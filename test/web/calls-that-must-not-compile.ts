import { procedures } from '../../web/app/procedures.ts';

/**
 * Calls of the web application with a wrong name, input or output. Nothing runs this function: `npm run check` fails if
 * the compiler accepts one of the calls, because the line above it then expects an error that does not exist.
 */
export async function callsThatMustNotCompile(): Promise<unknown[]> {
  const { groups } = await procedures.usage.breakdown.query({ by: 'kind' });
  const { covers } = await procedures.billing.coverage.query();
  return [
    // @ts-expect-error: no procedure has this name
    procedures.usage.breakdownz.query({ by: 'kind' }),
    // @ts-expect-error: no router has this name
    procedures.usages.breakdown.query({ by: 'kind' }),
    // @ts-expect-error: a query cannot be called as a mutation
    procedures.usage.breakdown.mutate({ by: 'kind' }),
    // @ts-expect-error: the input has no such field
    procedures.retention.anonymizeMember.mutate({ userId: 'x' }),
    // @ts-expect-error: the field has another type
    procedures.usage.breakdown.query({ by: 'kind', from: 20260203 }),
    // @ts-expect-error: the output has no such field
    groups[0]?.finishedWhen,
    // @ts-expect-error: the field has no such value
    covers === 'documents',
  ];
}
