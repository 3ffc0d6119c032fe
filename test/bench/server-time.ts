import postgres from 'postgres';
import { setScope } from '#db/client.ts';

/** Executions before the server keeps one plan for all values, as it does for a prepared statement. */
const warmUp = 20;

/**
 * A clock of the database server's own: milliseconds that it takes to run a statement in a tenant's
 * scope, once for each value, which all its parameters get; without the driver, the socket and two processes that share one core.
 */
export async function openServerClock(url: string, statement: string, tenantId: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    create function pg_temp.timed(given text[]) returns float8[] language plpgsql as $timed$
    declare
      one text;
      began timestamptz;
      took float8[] := '{}';
    begin
      foreach one in array given loop
        began := clock_timestamp();
        ${statement.replace(/^\s*select\b/i, 'perform').replaceAll(/\$\d+/g, 'one')};
        took := took || (extract(epoch from clock_timestamp() - began) * 1000)::float8;
      end loop;
      return took;
    end $timed$`);
  let warm = false;
  return {
    time: (values: readonly string[]): Promise<number[]> =>
      sql.begin(async (tx) => {
        await tx.unsafe(setScope, [tenantId]);
        const timed = async (given: readonly string[]) => {
          const [row] = await tx<{ took: number[] }[]>`select pg_temp.timed(${given as string[]}) as took`;
          return row?.took ?? [];
        };
        if (!warm) await timed(values.slice(0, warmUp));
        warm = true;
        return timed(values);
      }),
    close: () => sql.end(),
  };
}
