import type postgres from 'postgres';
import type { RecordedStatement } from '#test/setup/statement-recorder.ts';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  Plans?: PlanNode[];
  [field: string]: unknown;
}

/** The fields of a plan's node that contain conditions. */
const conditions = ['Index Cond', 'Recheck Cond', 'Filter', 'Hash Cond', 'Merge Cond', 'Join Filter'];

/**
 * Returns the scans of `tables` that read rows of any tenant: neither the scan nor a join above it compares
 * `tenant_id` for equality. PostgreSQL moves conditions to the scans and derives conditions from others, so a
 * statement may name the tenant in any clause.
 * @param sql a superuser's connection, to whose plans row-level security adds no conditions
 */
export async function scansOfAnyTenant(
  sql: postgres.ReservedSql,
  { text, types }: Pick<RecordedStatement, 'text' | 'types'>,
  tables: ReadonlySet<string>,
): Promise<string[]> {
  const found: string[] = [];
  const plan = await explain(sql, text, types);
  const visit = (node: PlanNode, above: string[], inside: string[]) => {
    const own = conditions.flatMap((field) => (typeof node[field] === 'string' ? [node[field]] : []));
    const all = [...above, ...own];
    const aliases = node.Alias === undefined ? inside : [...inside, node.Alias];
    if (tables.has(node['Relation Name'] ?? '') && node['Node Type'].endsWith('Scan')) {
      const isBound = all.some((condition) => aliases.some((alias) => comparesTenant(condition, alias)));
      if (!isBound) found.push(`${node['Relation Name']} as ${node.Alias}`);
    }
    for (const child of node.Plans ?? [])
      visit(child, all, node['Node Type'] === 'Subquery Scan' ? aliases : inside);
  };
  visit(plan, [], []);
  return found;
}

/** Whether a condition of a plan compares the tenant of the alias by `=`; `===` is the operator of the policies. */
function comparesTenant(condition: string, alias: string): boolean {
  const name = /^[a-z_][a-z0-9_]*$/.test(alias) ? alias : `"${alias}"`;
  const column = `${name}.tenant_id`;
  return [`(${column} = `, ` = ${column})`].some((part) => condition.includes(part));
}

/** The plan of a statement for all values of its parameters. */
async function explain(sql: postgres.ReservedSql, text: string, types: number[]): Promise<PlanNode> {
  const [named] = await sql.unsafe(
    `select string_agg(case oid when 0 then 'unknown' else format_type(oid, null) end, ', ' order by at) as types
     from unnest($1::oid[]) with ordinality t (oid, at)`,
    [`{${types.join()}}`] as never[],
  );
  await sql.unsafe(`prepare checked ${types.length > 0 ? `(${named?.['types']})` : ''} as ${text}`);
  try {
    const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    const values =
      numbers.length > 0
        ? `(${Array(Math.max(...numbers))
            .fill('null')
            .join()})`
        : '';
    const [row] = await sql.unsafe<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(
      `explain (verbose, format json) execute checked ${values}`,
    );
    return row['QUERY PLAN'][0].Plan;
  } finally {
    await sql.unsafe('deallocate checked');
  }
}
