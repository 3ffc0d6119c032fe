import { type SQL, sql } from 'drizzle-orm';
import type { FieldName } from './record-fields.ts';

/**
 * Columns whose text nothing here holds to letters and digits. The others are numbers, moments, ids that the service makes,
 * and words out of its own lists; each look at one costs an export some five per cent.
 */
const free: ReadonlySet<FieldName> = new Set(['tenant_id', 'source_lang', 'target_lang', 'fast_path']);

/** A row of `page` as a line of csv (RFC 4180), without its end; null is empty. */
export function csvRecord(names: readonly FieldName[]): SQL {
  return sql`concat_ws(',', ${sql.join(names.map(csvValue), sql`, `)})`;
}

function csvValue(name: FieldName): SQL {
  const column = sql.identifier(name);
  // A JSON array, so it begins with a bracket; it has quotes in any case.
  if (name === 'models') return quoted(sql`${column}::text`);
  if (!free.has(name)) return sql`${column}`;
  // A spreadsheet runs what begins with one of these; behind an apostrophe it shows it.
  const harmless = sql`case when ${column} ~ '^[=+@\\t\\r-]' then '''' || ${column} else ${column} end`;
  // `concat_ws` would leave a null out, and its comma.
  return sql`case when ${column} is null then '' when ${column} ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]*$' then ${column}
    else ${quoted(harmless)} end`;
}

function quoted(text: SQL): SQL {
  return sql`'"' || replace(${text}, '"', '""') || '"'`;
}
