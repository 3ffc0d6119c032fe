import { clip } from './text.ts';

/*
 * The fields of a term besides its texts and languages. The closed lists are data categories of ISO 12620, as TBX-Basic
 * has them.
 */

export const termStatuses = ['preferred', 'allowed', 'forbidden'] as const;
export const partsOfSpeech = ['noun', 'verb', 'adjective', 'adverb', 'proper_noun', 'other'] as const;
export const genders = ['masculine', 'feminine', 'neuter', 'other'] as const;

/** The fields of a term, by their names in the code. A missing field is as null, false or `preferred`. */
export interface TermFields {
  definition: string | null;
  note: string | null;
  partOfSpeech: (typeof partsOfSpeech)[number] | null;
  gender: (typeof genders)[number] | null;
  /**
   * `preferred` and `allowed` targets are accepted in translations, and `preferred` ones are used first. A `forbidden`
   * target must not be in the translation of a text with the source term.
   */
  status: (typeof termStatuses)[number];
  /** If true, the target term is the source term. */
  doNotTranslate: boolean;
  domain: string | null;
  /** An https URL. */
  picture: string | null;
}

/** The names of the fields in files and in the API, in the order of columns. */
export const fieldNames = {
  definition: 'definition',
  note: 'note',
  part_of_speech: 'partOfSpeech',
  gender: 'gender',
  status: 'status',
  do_not_translate: 'doNotTranslate',
  domain: 'domain',
  picture: 'picture',
} as const satisfies Record<string, keyof TermFields>;

export type FieldName = keyof typeof fieldNames;

export const fieldColumns = Object.keys(fieldNames) as FieldName[];

/** Maximum UTF-16 units of each text. */
export const fieldLimits = { definition: 2000, note: 2000, domain: 200, picture: 2000 } as const;

/**
 * Returns a text on one line, with runs of white space and control characters as one space; null for an empty text. Spaces
 * that prevent a line break stay, because French writes them before a colon.
 */
export function fieldText(written: string): string | null {
  return written.replace(/(?:[^\S\u00a0\u202f]|\p{Cc})+/gu, ' ').trim() || null;
}

/** Returns a picture's URL in its usual form; null if it is not an https URL. */
export function pictureUrl(written: string): string | null {
  const url = URL.parse(written);
  const isUsable = url?.protocol === 'https:' && !url.username && !url.password;
  return isUsable && url.href.length <= fieldLimits.picture ? url.href : null;
}

/** Other names of values in the files of other tools. Spaces, hyphens and underscores are removed first. */
const synonyms = {
  part_of_speech: {
    noun: 'n substantive',
    verb: 'v',
    adjective: 'adj',
    adverb: 'adv',
    proper_noun: 'propernoun name',
    other: '',
  },
  gender: { masculine: 'm masc', feminine: 'f fem', neuter: 'n neut', other: '' },
  status: {
    preferred:
      'preferredterm preferredtermadmnsts standardizedterm approved recommended standard no false 0 n',
    allowed: 'admitted admittedterm admittedtermadmnsts acceptable alternative permitted',
    forbidden:
      'deprecated deprecatedterm deprecatedtermadmnsts supersededterm supersededtermadmnsts superseded notrecommended obsolete rejected prohibited banned donotuse yes true 1 y x',
  },
} as const satisfies { [F in 'part_of_speech' | 'gender' | 'status']: Record<string, string> };

const valuesOf = Object.fromEntries(
  Object.entries(synonyms).map(([field, values]) => [
    field,
    new Map(
      Object.entries(values).flatMap(([value, others]) =>
        [value.replace('_', ''), ...others.split(' ')].map((name) => [name, value]),
      ),
    ),
  ]),
) as Record<keyof typeof synonyms, Map<string, string>>;

/** Parses a value of a closed list; undefined if it is unknown. */
function parseValue(field: keyof typeof synonyms, written: string): string | undefined {
  return valuesOf[field].get(written.toLowerCase().replace(/[\s_.-]+/g, ''));
}

/** Parses a status as files have it: `preferred`, `deprecated`, `yes`; undefined if it is unknown. */
export const parseStatus = (written: string) => parseValue('status', written);

/** Parses one field of a file; undefined for an unknown value. A text that is too long is clipped. */
function parseField(field: FieldName, text: string): string | boolean | undefined {
  if (field === 'do_not_translate') return isYes(text);
  if (field === 'picture') return pictureUrl(text) ?? undefined;
  if (field === 'definition' || field === 'note' || field === 'domain')
    return clip(text, fieldLimits[field]).trimEnd();
  return parseValue(field, text);
}

function isClipped(field: FieldName, text: string): boolean {
  return field in fieldLimits && text.length > fieldLimits[field as keyof typeof fieldLimits];
}

export function isYes(cell: string): boolean {
  return ['1', 'true', 'yes', 'on'].includes(cell.toLowerCase());
}

/**
 * Reads the fields of a term in a file. Fields without a value are left out, so that a term without fields is as it was
 * before the fields existed.
 *
 * @param written the texts of the fields
 * @param ignored is called with each field whose value is unknown or was clipped
 */
export function readFields(
  written: Partial<Record<FieldName, string>>,
  ignored: (field: FieldName) => void,
): Partial<TermFields> {
  const fields: Record<string, string | boolean> = {};
  for (const field of fieldColumns) {
    const text = fieldText((written[field] ?? '').toWellFormed());
    if (text === null) continue;
    const value = parseField(field, text);
    if (value === undefined || isClipped(field, text)) ignored(field);
    if (value !== undefined && value !== false && value !== 'preferred') fields[fieldNames[field]] = value;
  }
  if (fields['status'] === 'forbidden') delete fields['doNotTranslate'];
  return fields;
}

/** The fields that a request sets, as they are stored. */
export function givenFields(
  given: { readonly [F in FieldName]?: FieldView[F] | null | undefined },
): TermFields {
  const fields = Object.entries(fieldNames).map(([name, field]) => [field, given[name as FieldName]]);
  return allFields(Object.fromEntries(fields) as Partial<TermFields>);
}

/** The fields of a term as the API returns them, without those that are empty, false or `preferred`. */
export function fieldView(term: Partial<TermFields>): Partial<FieldView> {
  const view: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fieldNames)) {
    const value = term[field];
    if (value && value !== 'preferred') view[name] = value;
  }
  return view;
}

/** The fields of a term by their names in the API. */
type FieldView = { [F in FieldName]: NonNullable<TermFields[(typeof fieldNames)[F]]> };

/** All fields of a term, as they are stored. */
function allFields(term: Partial<TermFields>): TermFields {
  return {
    definition: term.definition ?? null,
    note: term.note ?? null,
    partOfSpeech: term.partOfSpeech ?? null,
    gender: term.gender ?? null,
    status: term.status ?? 'preferred',
    doNotTranslate: term.doNotTranslate ?? false,
    domain: term.domain ?? null,
    picture: term.picture ?? null,
  };
}
