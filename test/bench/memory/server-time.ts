import postgres from 'postgres';
import { setScope } from '#db/client.ts';

/**
 * The number of executions after which the server uses one generic plan for all values, as for a prepared statement.
 */
const warmUp = 20;

/**
 * Measures statements with the clock of the database server. Returns the milliseconds for one execution per value; all
 * parameters of the statement have this value. The statement runs in the tenant's scope. The driver and the socket are
 * not included, and neither is the effect of two processes on one core.
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
