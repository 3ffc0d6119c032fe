import type { StoredSection } from '../report.ts';

/**
 * Lists the figures that differ from stored ones, as `page: figure before → after`, for the rows that both have.
 */
export function compareSections(before: StoredSection, after: StoredSection): string[] {
  return after.tables.flatMap((table) => {
    const old = before.tables.find(({ title }) => title === table.title);
    if (!old) return [];
    const rows = new Map(old.rows.map((row) => [row[0], row]));
    return table.rows.flatMap((row) => {
      const earlier = rows.get(row[0]!);
      if (!earlier) return [];
      const changes = table.head.flatMap((name, column) => {
        // A figure that was not measured before has no difference.
        const value = earlier[old.head.indexOf(name)];
        return value === undefined || value === row[column] ? [] : [`${name} ${value} → ${row[column]}`];
      });
      return changes.length === 0 ? [] : [`${table.title}, ${row[0]}: ${changes.join(', ')}`];
    });
  });
}
