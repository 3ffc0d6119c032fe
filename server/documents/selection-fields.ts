import { AppError } from '#server/errors.ts';
import { type LayoutKind, layoutKindNames, layoutKinds } from '#server/formats/layout-kinds.ts';
import { PageRangeError, readPageRanges, writePageRanges } from '#server/formats/page-ranges.ts';
import {
  type Includable,
  includable,
  outputs,
  type Selection,
  sourceFields,
} from '#server/formats/selection.ts';
import type { TextRules } from '#server/language/text-rules/schema.ts';
import type { DocumentForm, DocumentTranslationRequest } from './schema.ts';

/** The fields of a form that select what is translated. */
type SelectionField =
  | 'pages'
  | 'include'
  | 'exclude_columns'
  | 'output'
  | 'source_field'
  | 'line_length'
  | 'reading_speed';
type SelectionForm = Pick<DocumentForm, SelectionField>;
type SelectionRequest = Pick<DocumentTranslationRequest, SelectionField | 'text_names'>;

/** The allowed lengths of a subtitle's line, in characters, and its allowed characters for each second. */
const numberRanges = { line_length: [10, 200], reading_speed: [5, 100] } as const;

/**
 * Reads the fields that select what is translated. A blank field counts as missing.
 *
 * @returns only the fields that were sent, in a form that is equal for requests with the same meaning
 * @throws AppError 400 for a value that is invalid, or that does not fit the format; the message has the allowed values
 */
export function readSelection(form: SelectionForm, format: LayoutKind): SelectionRequest {
  const read = {
    pages: readPages(listOf('pages', form.pages), format),
    include: readInclude(listOf('include', form.include), format),
    exclude_columns: readColumns(listOf('exclude_columns', form.exclude_columns), format),
    output: readOutput(form.output?.trim().toLowerCase() ?? '', format),
    source_field: readSourceField(optionOf(form, 'source_field', format)),
    line_length: readNumber('line_length', optionOf(form, 'line_length', format)),
    reading_speed: readNumber('reading_speed', optionOf(form, 'reading_speed', format)),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

/** The formats in which names of keys and attributes decide what is a text. */
const namedFormats: readonly LayoutKind[] = ['html', 'md', 'mdx'];

/** Returns the names of a workspace as a request stores them, so that a job keeps those with which it was sent. */
export function namesFor(
  format: LayoutKind,
  { keys, attributes }: TextRules,
): Pick<SelectionRequest, 'text_names'> {
  const isNamed = keys.length + attributes.length > 0 && namedFormats.includes(format);
  return isNamed ? { text_names: { keys, attributes } } : {};
}

/** Returns the selection of a stored request. */
export function selectionOf({
  pages,
  include,
  exclude_columns: excludeColumns,
  output,
  source_field: sourceField,
  line_length: lineLength,
  reading_speed: readingSpeed,
  text_names: ownNames,
}: SelectionRequest): Selection {
  return { pages, include, excludeColumns, output, sourceField, lineLength, readingSpeed, ownNames };
}

function readPages(given: Listed | undefined, format: LayoutKind): string[] | undefined {
  if (!given) return undefined;
  const { values, isSplit } = given;
  // An empty list would otherwise select, and bill, the whole file.
  if (values.length === 0)
    throw invalid('pages', 'the list is empty; leave the field out to select everything');
  const kind = layoutKinds[format].pages;
  if (kind === null)
    throw invalid(
      'pages',
      `a ${named(format)} file has no pages to select; ${formatsWith(({ pages }) => pages)}`,
    );
  if (kind === 'sheets') {
    const names = values.map((name) => (isSplit ? name.trim() : name));
    if (names.includes('')) throw invalid('pages', 'the name of a sheet is missing');
    return [...new Set(names)].sort();
  }
  try {
    return writePageRanges(readPageRanges(values.flatMap((value) => value.split(','))));
  } catch (error) {
    if (!(error instanceof PageRangeError)) throw error;
    throw invalid('pages', `${error.message}; send pages and ranges such as 1-3,7 or 5-`);
  }
}

function readInclude(given: Listed | undefined, format: LayoutKind): Includable[] | undefined {
  const names = (given?.values ?? []).map((name) => name.trim().toLowerCase());
  for (const name of names) {
    if (!isOneOf(includable, name))
      throw invalid('include', `${shown(name)} is unknown; allowed: ${includable.join(', ')}`);
    if (!layoutKinds[format].include.includes(name))
      throw invalid(
        'include',
        `${name} is not available for a ${named(format)} file; ${formatsWith(({ include }) => include.includes(name))}`,
      );
  }
  const wanted = includable.filter((name) => names.includes(name));
  return wanted.length > 0 ? wanted : undefined;
}

function readColumns(given: Listed | undefined, format: LayoutKind): string[] | undefined {
  const names = (given?.values ?? []).map((name) => name.trim()).filter((name) => name !== '');
  if (names.length > 0 && layoutKinds[format].places !== 'sheet')
    throw invalid(
      'exclude_columns',
      `a ${named(format)} file has no columns; ${formatsWith(({ places }) => places === 'sheet')}`,
    );
  return names.length > 0 ? [...new Set(names)].sort() : undefined;
}

function readOutput(output: string, format: LayoutKind): Selection['output'] {
  if (output === '') return undefined;
  if (!isOneOf(outputs, output))
    throw invalid('output', `${shown(output)} is unknown; allowed: ${outputs.join(', ')}`);
  if (!layoutKinds[format].output.includes(output))
    throw invalid(
      'output',
      `${output} is not available for a ${named(format)} file; ${formatsWith((one) => one.output.includes(output))}`,
    );
  return output === 'translated' ? undefined : output;
}

/** Returns the value of an option that only some formats have; an empty string if it was not sent. */
function optionOf(
  form: SelectionForm,
  field: keyof typeof numberRanges | 'source_field',
  format: LayoutKind,
) {
  const value = form[field]?.trim() ?? '';
  if (value !== '' && !layoutKinds[format].options.includes(field))
    throw invalid(
      field,
      `not available for a ${named(format)} file; ${formatsWith(({ options }) => options.some((one) => one === field))}`,
    );
  return value;
}

function readSourceField(value: string): Selection['sourceField'] {
  if (value === '') return undefined;
  if (!isOneOf(sourceFields, value))
    throw invalid('source_field', `${shown(value)} is unknown; allowed: ${sourceFields.join(', ')}`);
  return value;
}

function readNumber(field: keyof typeof numberRanges, value: string): number | undefined {
  if (value === '') return undefined;
  const [least, most] = numberRanges[field];
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number < least || number > most)
    throw invalid(field, `${shown(value)} is not a whole number from ${least} to ${most}`);
  return number;
}

/** The values of a field, and whether they were separated by commas. */
interface Listed {
  values: string[];
  isSplit: boolean;
}

/**
 * Returns the values of a field that is sent several times, or once with a JSON list or with values that are separated
 * by commas; undefined for a blank field. The name of a sheet cannot contain a bracket, so a JSON list is never the name
 * of a sheet.
 */
function listOf(
  field: 'pages' | 'include' | 'exclude_columns',
  given: string | string[] | undefined,
): Listed | undefined {
  if (given === undefined || (typeof given === 'string' && given.trim() === '')) return undefined;
  if (Array.isArray(given)) return { values: given, isSplit: false };
  if (!given.trimStart().startsWith('[')) return { values: given.split(','), isSplit: true };
  let values: unknown;
  try {
    values = JSON.parse(given);
  } catch {
    throw invalid(field, 'the value begins with [ but is not a JSON list');
  }
  if (!Array.isArray(values) || values.some((value) => typeof value !== 'string'))
    throw invalid(field, 'the JSON list must have only strings');
  return { values, isSplit: false };
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}

/** Names the formats that have a feature. */
function formatsWith(has: (support: (typeof layoutKinds)[LayoutKind]) => unknown): string {
  const formats = layoutKindNames.flatMap((format) => (has(layoutKinds[format]) ? [named(format)] : []));
  return formats.length === 0 ? 'no format has it' : `only for ${formats.join(', ')}`;
}

/** Returns the extension of a format with its dot, as a name in messages. */
function named(format: LayoutKind): string {
  return `.${layoutKinds[format].extensions[0]}`;
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 40));
}

function invalid(field: keyof SelectionForm, problem: string): AppError {
  return new AppError('validation_error', `${field}: ${problem}`);
}
