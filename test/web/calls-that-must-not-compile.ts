import { procedures } from '../../web/app/procedures.ts';

/**
 * Calls of the web application with a wrong name, input or output. Nothing runs this function: `npm run check` fails if
 * the compiler accepts one of the calls, because the line above it then expects an error that does not exist.
 */
export async function callsThatMustNotCompile(): Promise<unknown[]> {
  const { exports } = await procedures.exports.list.query();
  const { covers } = await procedures.billing.coverage.query();
  return [
    // @ts-expect-error: no procedure has this name
    procedures.exports.lists.query(),
    // @ts-expect-error: no router has this name
    procedures.export.list.query(),
    // @ts-expect-error: a query cannot be called as a mutation
    procedures.exports.list.mutate(),
    // @ts-expect-error: the input has no such field
    procedures.auth.endSession.mutate({ sessionId: 'x' }),
    // @ts-expect-error: the field has another type
    procedures.quality.checks.query({ origin: 'spot_check', limit: '100' }),
    // @ts-expect-error: the output has no such field
    exports[0]?.finishedWhen,
    // @ts-expect-error: the field has no such value
    covers === 'documents',
  ];
}
