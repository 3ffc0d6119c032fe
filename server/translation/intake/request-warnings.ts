import { clip } from '#server/formats/text.ts';
import { type Warning, warningOf } from '#server/http/warnings.ts';
import { languageName } from '#server/languages.ts';
import { detectLanguage, sampleOf } from '../plausibility/detect-language.ts';
import { isInOtherLanguage } from '../plausibility/source-language.ts';
import type { TextRequest } from '../request.ts';

/** Names of the language fields in warnings, if they differ from the usual names: `inputs[0].Language`. */
export interface LanguageFields {
  source_lang: string;
  target_lang: string;
}

const ownNames: LanguageFields = { source_lang: 'source_lang', target_lang: 'target_lang' };

/** Maximum number of UTF-16 units of a field name in a warning. */
const maxNameLength = 100;

/** Maximum number of warnings of a job: they are stored and listed with the job. */
const maxWarnings = 20;

/**
 * Returns the warnings for a text request.
 * @param unknownFields paths of fields that the API does not have; `fields` lists the allowed ones
 * @param ofText result of `textWarnings` for the same text, if another target language has already needed it
 */
export function warningsOf(
  request: TextRequest,
  {
    unknownFields,
    fields = Object.keys(request),
    names = ownNames,
    ofText = textWarnings(request, names.source_lang),
  }: {
    unknownFields: readonly string[];
    fields?: readonly string[];
    names?: LanguageFields;
    ofText?: readonly Warning[];
  },
): Warning[] {
  return [
    ...unknownFieldWarnings(unknownFields, fields),
    ...optionWarnings(request.metadata),
    ...domainWarnings(request.domain),
    ...languageWarnings({ ...request, isDetected: isDetected(request) }, names.target_lang),
    ...ofText,
  ].slice(0, maxWarnings);
}

/** Returns a warning if the text is clearly not in the stated language. */
export function textWarnings(request: TextRequest, field: string): Warning[] {
  return isDetected(request) ? [] : mismatchWarnings(request.source_text, request.source_lang, field);
}

function isDetected({ metadata }: TextRequest): boolean {
  return metadata['source_lang_detection'] !== undefined;
}

/** @param fields the allowed fields */
export function unknownFieldWarnings(unknown: readonly string[], fields: readonly string[]): Warning[] {
  return unknown.map((path) => {
    const name = path.slice(path.lastIndexOf('.') + 1);
    const meant = similarKey(name, fields);
    const hint = meant ? `; did you mean ${meant}?` : isOption(name) ? '; options are sent in metadata' : '';
    return warningOf(
      'unknown_field',
      clip(path, maxNameLength),
      `${quoted(path)} is not a field of this request and is ignored${hint}`,
    );
  });
}

/** Returns a warning if source and target are the same language. */
export function languageWarnings(
  { source_lang, target_lang, isDetected }: { source_lang: string; target_lang: string; isDetected: boolean },
  field = ownNames.target_lang,
): Warning[] {
  if (source_lang !== target_lang) return [];
  const how = isDetected ? ', which was detected' : '';
  return [warningOf('same_language', field, `source and target are both ${named(target_lang)}${how}`)];
}

/**
 * Returns a warning if a text is clearly not in its stated language. Reads only a few thousand characters, because the
 * text is not paid for yet.
 */
export function mismatchWarnings(text: string, stated: string, field = ownNames.source_lang): Warning[] {
  if (!isInOtherLanguage({ sourceText: sampleOf(text), sourceLang: stated })) return [];
  const found = detectLanguage(text);
  if (found.language === stated) return [];
  const reads = found.language ? ` and looks like ${named(found.language)}` : '';
  const hint = found.language ? `"${found.language}" or "auto"` : 'its language or "auto"';
  return [
    warningOf(
      'source_language_mismatch',
      field,
      `the text does not look like ${named(stated)}${reads}; send ${hint} as ${field}`,
    ),
  ];
}

function domainWarnings(domain: string | null): Warning[] {
  const meant = domain === null ? undefined : regulatedLike(domain);
  return meant === undefined
    ? []
    : [
        warningOf(
          'unregulated_domain',
          'domain',
          `the domain ${quoted(domain ?? '')} does not require a review; ${quoted(meant)} does, and so does metadata.requires_human_review`,
        ),
      ];
}

/** Checks the value of an option. Returns a description of the problem, or undefined if the value is valid. */
type Check = (value: unknown) => string | undefined;

const inRange =
  (kind: 'a number' | 'an integer', least: number, most: number): Check =>
  (value) => {
    const range = `must be ${kind} from ${least} to ${most}`;
    if (typeof value !== 'number') return `${range}; ${typeOf(value)} is ignored`;
    if (value < least || value > most)
      return `${range}; ${value} counts as ${Math.min(most, Math.max(least, value))}`;
    if (kind === 'an integer' && !Number.isInteger(value))
      return `${range}; ${value} counts as ${Math.trunc(value)}`;
    return undefined;
  };

const maxCandidates = 2;

const candidates: Check = (value) => {
  const names = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string'))
    return `must be names separated by commas, or an array of names; it is ${typeOf(value)}, and anything except names is ignored`;
  const given = names.filter((name: string) => name.trim() !== '').length;
  return given > maxCandidates ? `names ${given} models; at most ${maxCandidates} are used` : undefined;
};

/** Strings that mean "no", but count as true because they are not empty. */
const negative: ReadonlySet<string> = new Set(['false', 'no', 'off', '0', 'null', 'none']);

const flag: Check = (value) =>
  typeof value === 'string' && negative.has(value.trim().toLowerCase())
    ? `the string ${quoted(value)} counts as true and requires a review; send false, or omit it`
    : undefined;

const document: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : `must be an object; ${typeOf(value)} is ignored`;

/** The known options of a request, with the check of each value. */
const options: Readonly<Record<string, Check>> = {
  min_quality_score: inRange('a number', 0, 100),
  max_quality_loop_retries: inRange('an integer', 1, 5),
  candidate_models: candidates,
  debate_rounds: inRange('an integer', 1, 3),
  sensitive: flag,
  regulated: flag,
  requires_human_review: flag,
  source_document: document,
};

const optionNames = Object.keys(options);

function isOption(name: string): boolean {
  return Object.hasOwn(options, name);
}

function optionWarnings(metadata: Record<string, unknown>): Warning[] {
  return Object.entries(metadata).flatMap(([key, value]) => {
    const field = `metadata.${clip(key, maxNameLength)}`;
    if (isOption(key)) {
      const problem = value === null || value === undefined ? undefined : options[key]!(value);
      return problem === undefined ? [] : [warningOf('invalid_option', field, `${field} ${problem}`)];
    }
    const meant = similarKey(key, optionNames);
    return meant === undefined
      ? []
      : [warningOf('unknown_option', field, `${field} has no effect; did you mean ${meant}?`)];
  });
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function named(code: string): string {
  return `${languageName(code)} (${code})`;
}

function quoted(text: string): string {
  return JSON.stringify(clip(text, maxNameLength));
}

/** With fewer letters, a typo cannot be distinguished from another word. */
const minLetters = 6;

/**
 * Returns the key that a caller may have meant: a key with one typo (one character more, one fewer, one different, or
 * two exchanged), or in another spelling (`minQualityScore`). Undefined if the key is exact, or resembles none.
 */
function similarKey(key: string, keys: readonly string[]): string | undefined {
  if (key.length < minLetters || keys.includes(key)) return undefined;
  const plain = spelled(key);
  return keys.find((one) => spelled(one) === plain || isOneTypoAway(key, one));
}

function spelled(key: string): string {
  return key
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z\d]/g, '');
}

function isOneTypoAway(one: string, other: string): boolean {
  const difference = one.length - other.length;
  if (Math.abs(difference) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  if (difference > 0) return one.slice(at + 1) === other.slice(at);
  if (difference < 0) return one.slice(at) === other.slice(at + 1);
  return (
    one.slice(at + 1) === other.slice(at + 1) ||
    (one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2))
  );
}

/** Domains that always require a review, each with synonyms that callers use. A synonym does not require a review. */
const words: Readonly<Record<string, string>> = {
  legal:
    'legals law laws lawyer lawyers attorney juridical juridic judicial jurisprudence litigation legislation contract contracts',
  medical: 'medicine medicinal medic medics biomedical biomedicine clinical clinic hospital surgery',
  healthcare: 'health ehealth',
  pharma: 'pharmaceutical pharmaceuticals pharmacy pharmacology pharmacological',
  finance: 'finances financing banking bank fintech',
  financial: 'financials',
};

/** Whether a domain always requires a review. */
export function isRegulated(domain: string): boolean {
  return Object.hasOwn(words, domain.trim().toLowerCase());
}

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries(words).flatMap(([regulated, others]) =>
    [regulated, ...others.split(' ')].map((word): [string, string] => [word, regulated]),
  ),
);

/** Maximum number of UTF-16 units of the domain that are compared. */
const longest = 200;

/**
 * Returns the regulated domain that another domain resembles, for example for `law`, `Health Care` and
 * `legal/contracts`. Undefined if the domain is itself regulated or resembles none.
 */
function regulatedLike(domain: string): string | undefined {
  if (isRegulated(domain)) return undefined;
  const tokens =
    domain
      .slice(0, longest)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  // A word of the list may be written as two words: `health care`.
  const joined = tokens.slice(1).map((token, index) => `${tokens[index]}${token}`);
  return [...joined, ...tokens].map((token) => meanings.get(token)).find((meaning) => meaning !== undefined);
}
