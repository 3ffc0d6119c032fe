import { z } from 'zod';

/*
 * Readable messages for invalid fields, by the kind of problem. If the schema has a message, that one is used. Each
 * message follows the name of the field. Messages never contain the value, which may be a secret.
 */

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  bigint: 'a whole number',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  set: 'an array',
  date: 'a date',
  null: 'null',
  file: 'a file',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'a date and time with a time zone, such as 2026-11-22T08:00:00Z',
  date: 'a date, such as 2026-11-22',
  time: 'a time, such as 08:00:00',
  base64: 'base64',
  base64url: 'base64url',
  json_string: 'JSON',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};

/** The unit of a length, by the type of the value. */
const counted: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'entries',
  set: 'entries',
  map: 'entries',
  record: 'entries',
  file: 'bytes',
};

type Issue = z.core.$ZodRawIssue;

/** Maximum names that a message lists. */
const maxListed = 20;

/** Returns the message for any issue of zod. */
function describeIssue(issue: Issue): string {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_union'))
    return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, issue.input);
    case 'invalid_value':
      return `${issue.input === undefined ? 'is required: ' : 'must be '}${oneOf(issue.values)}`;
    case 'too_big':
      return `must ${sized(issue.origin, issue.exact ? 'exactly' : issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'too_small':
      if (Number(issue.minimum) === 1 && issue.inclusive !== false && !issue.exact && counted[issue.origin])
        return 'must not be empty';
      return `must ${sized(issue.origin, issue.exact ? 'exactly' : issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.slice(0, maxListed).join(', ')}`;
    case 'invalid_union':
      return describeUnion(issue.errors);
    case 'invalid_key':
      return `has a key that ${issue.issues[0]?.message ?? 'is not accepted'}`;
    case 'invalid_element':
      return `has a value that ${issue.issues[0]?.message ?? 'is not accepted'}`;
    default:
      return 'is not accepted';
  }
}

function describeType(expected: string, input: unknown): string {
  if (expected === 'never' || expected === 'undefined') return 'must be omitted';
  if (expected === 'nonoptional') return 'is required';
  if (typeof input === 'number' && !Number.isFinite(input)) return 'must be a finite number';
  return `must be ${kinds[expected] ?? 'of another type'}`;
}

function oneOf(values: readonly unknown[]): string {
  const listed = values.slice(0, maxListed).map(String);
  if (values.length > maxListed) listed.push('…');
  return listed.length === 1 ? String(listed[0]) : `one of ${listed.join(', ')}`;
}

function sized(origin: string, bound: string, value: number | bigint): string {
  const noun = counted[origin];
  if (!noun)
    return `be ${bound === 'exactly' ? '' : `${bound} `}${origin === 'date' ? new Date(Number(value)).toISOString() : value}`;
  return `have ${bound} ${value} ${Number(value) === 1 ? singular[noun] : noun}`;
}

const singular: Readonly<Record<string, string>> = {
  characters: 'character',
  entries: 'entry',
  bytes: 'byte',
};

function describeFormat(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  const { prefix, suffix, includes } = issue as { prefix?: string; suffix?: string; includes?: string };
  if (issue.format === 'starts_with') return `must start with ${prefix}`;
  if (issue.format === 'ends_with') return `must end with ${suffix}`;
  if (issue.format === 'includes') return `must contain ${includes}`;
  const format = formats[issue.format];
  return format ? `must be ${format}` : 'does not have the right format';
}

/** Describes what each accepted form requires, with missing fields first. */
function describeUnion(errors: readonly (readonly z.core.$ZodIssue[])[] = []): string {
  const first = errors.flatMap(([one]) => (one ? [one] : []));
  const forms = new Set(
    first.map(({ path, message }) => (path.length > 0 ? `${path.join('.')} ${message}` : message)),
  );
  return forms.size === 0 ? 'is not accepted' : [...forms].join(', or ');
}

z.config({ localeError: describeIssue });
