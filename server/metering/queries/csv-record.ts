import { type SQL, sql } from 'drizzle-orm';
import type { FieldName } from './record-fields.ts';

/** A row of `page`, all of whose records are one tenant's, as a line of csv (RFC 4180) without its end; null is empty. */
export function csvRecord(names: readonly FieldName[], tenantId: string): SQL {
  const values = names.map((name) => csvValue(name, tenantId));
  return sql`concat_ws(',', ${sql.join(values, sql`, `)})`;
}

/**
 * Ids that the service makes, numbers, moments, and words out of its own lists (kinds, languages, statuses) are letters,
 * digits and hyphens, and begin with no hyphen: to look at each would cost an export a fifth of its speed. What is left may
 * hold anything.
 */
function csvValue(name: FieldName, tenantId: string): SQL {
  const column = sql.identifier(name);
  switch (name) {
    case 'tenant_id':
      return sql`${tenantId.startsWith('-') ? `'${tenantId}` : tenantId}::text`;
    case 'fast_path':
      // `concat_ws` would leave a null out, and its comma.
      return sql`case when ${column} is null then '' else ${quoted(harmless(sql`${column}`))} end`;
    case 'models':
      // A JSON array begins with a bracket.
      return quoted(sql`${column}::text`);
    default:
      return sql`${column}`;
  }
}

/** A spreadsheet runs what begins with one of these; behind an apostrophe it shows it. */
function harmless(text: SQL): SQL {
  return sql`case when ${text} ~ '^[=+@\\t\\r-]' then '''' || ${text} else ${text} end`;
}

function quoted(text: SQL): SQL {
  return sql`'"' || replace(${text}, '"', '""') || '"'`;
}
