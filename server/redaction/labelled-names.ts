import { isCommonWord } from './common-words.ts';
import { isGivenName } from './names.ts';
import type { Entity } from './numbers.ts';

/** Words before “name” in keys of persons: `customerName`, `first_name`. Others are of things: `file_name`. */
const persons =
  `full|first|last|given|family|middle|maiden|sur|fore|nick|user|display|legal|real|contact|customer|client|patient|employee|account|tenant|applicant|
sender|recipient|author|owner|member|guest|student|teacher|parent|child|spouse|partner|passenger|driver|holder|cardholder|insured|beneficiary|payee|signer|
signatory|reviewer|assignee|reporter|manager|doctor|agent|buyer|seller|billing|shipping|person|people|your|my`.replaceAll(
    /\s/g,
    '',
  );

const labelWord = `(?:(?:(?:${persons})[ _-]?){0,3}names?|vorname|nachname|familienname|zuname|nom(?: de famille)?|prénom|prenom|nombres?(?: y apellidos)?|apellidos?|nome(?: completo)?|cognome|sobrenome|apelido|voornaam|achternaam|naam|имя|фамилия|отчество|фио|imię|nazwisko|jméno|příjmení|namn|förnamn|efternamn|navn|fornavn|etternavn|nimi|isim|soyad[ıi]|姓名|名前|氏名|성명|이름|الاسم|नाम)`;

/** Keys of JSON, YAML, XML, settings and addresses whose value is a name, up to the value. */
const keys = new RegExp(
  [
    String.raw`["']${labelWord}["'] ?(?:[:：]|=>|,) ?\n? ?["'“„«]?`,
    String.raw`(?:^|[\n{,;(&?.])[ >#*•|-]{0,20}(?:\d{1,3}[.)] )?${labelWord} ?(?:[:：=]|=>) ?\n? ?["'“„«]?`,
    `<${labelWord}>`,
  ].join('|'),
  'giu',
);

/** Lowercase names behind titles: “dear mr quarnby”. */
const smallNames = /(?<!\p{L}|\d|\d )(?:[Mm](?:rs?|s)|dr)\.? (?<name>\p{Ll}[\p{L}'-]{2,30})/gu;

const label = new RegExp(`^["'*_ ]*${labelWord}["'*_ :]*$`, 'iu');
const valueUnits = /[^"”“„«»\n,;|}\])<>&\t{[]{1,80}/y;
const wordUnits = /\p{L}[\p{L}\p{M}'’.-]*/gu;

/** Returns the name that begins at a place, or null: a value of one to five words that are not all usual words or labels. */
function valueAt(text: string, from: number, until = text.length): Entity | null {
  valueUnits.lastIndex = from;
  const [written = ''] = valueUnits.exec(text.slice(0, until)) ?? [];
  const words = [...written.matchAll(wordUnits)];
  const [first] = words;
  if (!first || words.length > 5 || !/^[\p{L}\p{M}\s'’.*_~\x60-]+$/u.test(written)) return null;
  if (words.every(([word]) => isCommonWord(word) || label.test(word))) return null;
  // Identifiers of programs: my-app, app.js
  if (!/\p{Lu}|\p{Lo}/u.test(written) && /[._-]\p{Ll}/u.test(written)) return null;
  const last = words.at(-1)!;
  const start = from + first.index;
  return { kind: 'names', start, end: from + last.index + last[0].replace(/[.'’-]+$/, '').length };
}

/** Yields the names behind keys and below headers that say that they are names, in any case. */
export function* findLabelledNames(text: string): Generator<Entity> {
  for (const { index, 0: key } of text.matchAll(keys)) {
    const found = valueAt(text, index + key.length);
    if (found) yield found;
  }
  for (const { index, 0: titled, groups } of text.matchAll(smallNames))
    if (!isCommonWord(groups!['name']!))
      yield {
        kind: 'names',
        start: index + titled.length - groups!['name']!.length,
        end: index + titled.length,
      };
  yield* namesInColumns(text);
  yield* surnamesFirst(text);
}

interface Line {
  text: string;
  start: number;
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  for (const line of text.split('\n')) {
    yield { text: line, start };
    start += line.length + 1;
  }
}

/** The cells of a line of a table of Markdown or CSV. */
const cellsOf = (line: string, separator: string): string[] =>
  separator === '|'
    ? line.split('|')
    : line
        .match(new RegExp(`(?:^|${separator})(?: ?"(?:[^"]|"")*"|[^${separator}]*)`, 'g'))!
        .map((cell, index) => (index > 0 ? cell.slice(1) : cell));

/** Maximum UTF-16 units of a line of a table. */
const maxLine = 2000;

/** Yields the cells of columns whose header is a label, in tables of Markdown, CSV and TSV. */
function* namesInColumns(text: string): Generator<Entity> {
  let table: { separator: string; count: number; columns: number[] } | null = null;
  for (const line of linesOf(text)) {
    if (line.text.length > maxLine) table = null;
    else if (table) {
      const cells: string[] = cellsOf(line.text, table.separator);
      if (cells.length !== table.count) table = null;
      else yield* namesInCells(text, line, cells, table.columns);
    }
    if (table || line.text.length > maxLine) continue;
    for (const separator of ['|', '\t', ';', ','])
      if (!table && line.text.includes(separator)) {
        const cells: string[] = cellsOf(line.text, separator);
        const columns = cells.flatMap((cell, index) => (label.test(cell.trim()) ? [index] : []));
        if (columns.length > 0 && cells.length > 1 && cells.every((cell) => cell.length < 40))
          table = { separator, count: cells.length, columns };
      }
  }
}

function* namesInCells(
  text: string,
  line: Line,
  cells: readonly string[],
  columns: readonly number[],
): Generator<Entity> {
  let start = line.start;
  for (const [index, cell] of cells.entries()) {
    const opening = /^[ "'*_~]*/.exec(cell)![0].length;
    const found = columns.includes(index) && valueAt(text, start + opening, start + cell.length);
    if (found) yield found;
    start += cell.length + 1;
  }
}

const inverted =
  /(?<![\p{L}\p{N}.])(?<surname>\p{Lu}[\p{L}'-]{2,30}(?:[ -]\p{Lu}[\p{L}'-]{1,30})?), (?<given>\p{Lu}[\p{L}'-]{1,30}|\p{Lu}\.)(?: (?:\p{Lu}[\p{L}'-]{1,30}|\p{Lu}\.)){0,2}(?![\p{L}\p{N}])/gu;

/** Yields names with the surname first: “DOE, John”, and in lists “Doe, John”. */
function* surnamesFirst(text: string): Generator<Entity> {
  for (const { index: start, 0: written, groups } of text.matchAll(inverted)) {
    const { surname, given } = groups as { surname: string; given: string };
    if (surname.split(/[ -]/).every(isCommonWord)) continue;
    const end = start + written.length;
    const isLast = /^[ *_"”]*(?:$|[\n;)|.\t])/.test(text.slice(end, end + 8));
    const hasEmail = /^["”]? ?<[^\s<>@]{1,64}@/.test(text.slice(end, end + 70));
    const isFirst = /(?:^|[\n|;:(>•\t"“]|- )[ *_]*$/.test(text.slice(Math.max(0, start - 8), start));
    const isLoud = surname === surname.toUpperCase() && surname.length > 3;
    const isGiven = given.endsWith('.') || isGivenName(given);
    // “MERCHANTABILITY, FITNESS” in a text in capitals
    const isShouted = given.length > 1 && given === given.toUpperCase() && (isCommonWord(given) || !isGiven);
    const isSure = isLoud
      ? (isGiven || isLast) && !isShouted
      : isFirst && isLast && isGiven && !isCommonWord(given);
    if (isSure || hasEmail) yield { kind: 'names', start, end };
  }
}
