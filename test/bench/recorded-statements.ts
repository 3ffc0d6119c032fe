import type { Tx } from '#db/client.ts';
import { PreparedQueries } from '#db/transaction.ts';

export interface Statement {
  text: string;
  parameters: unknown[];
}

/**
 * Records the prepared statements that `build` sends with the queries of the service. Each statement returns no rows.
 */
export async function recordStatements(build: (tx: Tx) => Promise<unknown>): Promise<Statement[]> {
  const recorded: Statement[] = [];
  const send = (text: string, parameters: unknown[] = []) => {
    recorded.push({ text, parameters });
    const rows = Promise.resolve([]);
    return Object.assign(rows, { values: () => rows });
  };
  const executePrepared: Tx['executePrepared'] = (query, values) =>
    new PreparedQueries().execute(query, values, send as never);
  await build({ executePrepared } as Tx);
  if (recorded.length === 0) throw new Error('no statement was built');
  return recorded;
}
