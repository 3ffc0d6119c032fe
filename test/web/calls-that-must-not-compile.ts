import { procedures } from '../../web/app/procedures.ts';

/**
 * Calls of the web application with a wrong name, input or output. Nothing runs this function: `npm run check` fails if
 * the compiler accepts one of the calls, because the line above it then expects an error that does not exist.
 */
export async function callsThatMustNotCompile(): Promise<unknown[]> {
  const { deletions } = await procedures.retention.listDeletions.query();
  const { covers } = await procedures.billing.coverage.query();
  return [
    // @ts-expect-error: no procedure has this name
    procedures.retention.listDeletionz.query(),
    // @ts-expect-error: no router has this name
    procedures.retentions.listDeletions.query(),
    // @ts-expect-error: a query cannot be called as a mutation
    procedures.retention.listDeletions.mutate(),
    // @ts-expect-error: the input has no such field
    procedures.retention.cancelDeletion.mutate({ tenantId: 'x' }),
    // @ts-expect-error: the field has another type
    procedures.operations.setAllowance.mutate({ tenant_id: 'x', monthly_char_limit: '100' }),
    // @ts-expect-error: the output has no such field
    deletions[0]?.finishedWhen,
    // @ts-expect-error: the field has no such value
    covers === 'documents',
  ];
}
