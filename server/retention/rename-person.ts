/** The fields that contain the name of a person, in the JSON of jobs, documents, golden records and audit events. */
const nameFields: ReadonlySet<string> = new Set([
  'actor',
  'approved_by',
  'by',
  'claimed_reviewer',
  'completed_by',
  'confirmedBy',
  'confirmed_by',
  'email',
  'reviewer',
]);

/**
 * Replaces the name of a person in a JSON value. Texts of customers do not change, even if they are equal to the name.
 * @returns a copy
 */
export function renamePerson(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamePerson(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      field === from && nameFields.has(name) ? to : renamePerson(field, from, to),
    ]),
  );
}
