import { addedCode } from './added-code.ts';
import type {
  Finding,
  Languages,
  LayoutFormat,
  RebuiltDocument,
  Segment,
  SegmentKey,
  SegmentTranslation,
} from './document.ts';
import type { FileTexts, KeptTexts } from './existing-target.ts';
import { FileError } from './file-error.ts';
import { formatTagged, type InlineContent, isSameContent, plainText } from './inline-content.ts';
import { describeLength, type LengthLimit, lengthIn, limitInNotes } from './length-limit.ts';
import { emptyFinding } from './office/kept-finding.ts';
import { type Edit, splice } from './office/splice.ts';
import { requireCharacters, SegmentBudget } from './segment-budget.ts';
import type { Selection } from './selection.ts';
import { clip } from './text.ts';
import { countCharacters, type TextOutcome, TextTally } from './text-tally.ts';

/*
 * The common part of the formats that consist of text. A format has one function, which finds the translatable texts of
 * a file with their positions. Translations replace only these texts, so all other characters stay.
 */

/** A text to translate, without the key that this file gives it. Most text files have no pages and no cells. */
export type TextSegment = Omit<Segment, 'page' | keyof SegmentKey> & { page?: number; cellId?: string };

/** A translation, and whether no reviewer has settled its issues. */
export interface TextTarget {
  target: InlineContent;
  needsReview: boolean;
}

/** Texts of a file that are written together. This is one text, or the plural forms of a message. */
export interface TextPlace {
  segments: readonly TextSegment[];
  /** Returns the changes that write translations, in the order of `segments`. They do not overlap those of other places. */
  write(targets: readonly TextTarget[]): readonly Edit[];
  /** The limit of all texts together, or of each one if they are alternatives. By default, that of a comment. */
  limit?: LengthLimit | undefined;
  /** Returns what is wrong with translations that can be written. */
  check?(targets: readonly TextTarget[]): readonly Omit<Finding, 'unitId'>[];
  /** Signs that a translation is written with so that no program sees code in them, such as `&#123;`. */
  shown?: string;
  /**
   * Set if the file has the source and a place for the translation. Then a translation is also written if it equals
   * the source.
   */
  isBilingual?: true;
  /** The text of the file, if `segments` have other texts than the file, such as more plural forms. */
  original?: string;
}

/** A change that is made if a text in a range changes. The change is outside of all texts. */
export interface Dependent {
  /** The range, from `start` to `end`. */
  start: number;
  end: number;
  edit: Edit;
}

export interface TextPlaces {
  /** In the order of the file. */
  places: readonly TextPlace[];
  /** Texts that stay, each with the name of the reason. */
  kept?: readonly { reason: string; text: string }[];
  /** Visible characters of all texts (`countCharacters`), counted when the file was parsed. */
  characters: number;
  /** Changes that every translation needs, such as the declared language. */
  always?: readonly Edit[];
  dependent?: readonly Dependent[];
  findings?: readonly Finding[];
  /** The columns of sheets that look like keys. */
  excludeColumns?: string[];
  /** Returns all texts, also those that are not translated. Absent if the format cannot keep an existing translation. */
  texts?(): FileTexts;
}

/** `kept` are texts of an existing translation. They are written, and are in no place. */
export type TextOptions = Selection & Partial<Languages> & { kept?: KeptTexts | undefined };

/**
 * Makes a format of a function that finds the texts of a file.
 *
 * @param find receives the text of the file with its own line ends and without a byte order mark
 * @param open decodes the file; by default UTF-8, or UTF-16 with a byte order mark
 */
export function textFormat(
  find: (text: string, options: TextOptions) => TextPlaces | Promise<TextPlaces>,
  open: (bytes: Uint8Array) => TextFile | Promise<TextFile> = openTextFile,
): LayoutFormat & Required<Pick<LayoutFormat, 'texts'>> {
  return {
    async check(bytes, take = () => false, selection = {}) {
      const { places } = await find((await open(bytes)).text, selection);
      const budget = new SegmentBudget();
      let wanted = true;
      for (const segment of places.flatMap(({ segments }) => segments)) {
        requireText(segment);
        const text = budget.addText(segment.source);
        wanted = wanted && take(text);
      }
    },

    async extract(bytes, options = {}) {
      const file = await open(bytes);
      const found = await find(file.text, options);
      const segments = withKeys(found).flatMap((place) => place.segments);
      const budget = new SegmentBudget();
      for (const segment of segments) {
        requireText(segment);
        budget.add(segment.source);
      }
      const findings = [...(found.findings ?? []), ...(file.findings ?? [])];
      if (segments.length === 0 && !options.kept) findings.push(emptyFinding);
      const { excludeColumns } = found;
      return {
        ...{ segments, pageCount: null, findings, outcome: outcomeOf(found) },
        ...(excludeColumns && { excludeColumns }),
      };
    },

    async texts(bytes, options) {
      return (await find((await open(bytes)).text, options)).texts?.();
    },

    async rebuild(bytes, translations, options): Promise<RebuiltDocument> {
      const file = await open(bytes);
      const found = await find(file.text, options);
      const targets = new Map(translations.map((one) => [nameOf(one), one]));
      const edits: Edit[] = [];
      const findings: Finding[] = [];
      for (const { place, segments } of withKeys(found)) {
        const own = withoutAddedCode(
          place,
          segments,
          segments.map((segment) => targets.get(nameOf(segment))),
          findings,
        );
        if (own.every((one) => one === undefined)) continue;
        const isChanged = segments.some(
          ({ source }, at) => own[at] && !isSameContent(own[at].target, source),
        );
        if (!isChanged && !place.isBilingual) continue;
        const written = segments.map(({ source }, at) => targetOf(own[at], source));
        edits.push(...place.write(written));
        for (const problem of [...(place.check?.(written) ?? []), ...(await tooLong(place, written))])
          findings.push({ ...problem, unitId: segments[0]!.regionId });
      }
      edits.push(...dependentEdits(found.dependent ?? [], edits), ...(found.always ?? []));
      edits.sort(byPosition);
      return { bytes: await file.encode([...splice(file.text, edits)].join('')), findings };
    },
  };
}

/** @throws {FileError} `not_text` with the line, if the key, the context or the text cannot be stored */
function requireText({ place, context = '', source }: Pick<Segment, 'place' | 'context' | 'source'>): void {
  const [, line] = /^(line \d+)/.exec(place) ?? [];
  requireCharacters(`${place} ${context} ${formatTagged(source)} ${plainText(source)}`, line);
}

const byPosition = (one: Edit, other: Edit): number => one.start - other.start || one.end - other.end;

function dependentEdits(ranges: readonly Dependent[], changed: readonly Edit[]): Edit[] {
  const sorted = ranges.length === 0 ? [] : changed.toSorted(byPosition);
  let at = 0;
  const ordered = ranges.toSorted((one, other) => one.start - other.start);
  return ordered.flatMap(({ start, end, edit }) => {
    while (at < sorted.length && sorted[at]!.start < start) at++;
    return at < sorted.length && sorted[at]!.start < end ? [edit] : [];
  });
}

/**
 * Leaves out the translations of a place that have code which its sources lack, whoever wrote them: their texts stay as
 * they are in the file.
 */
function withoutAddedCode(
  { shown = '' }: TextPlace,
  segments: readonly Segment[],
  translations: readonly (SegmentTranslation | undefined)[],
  findings: Finding[],
): (SegmentTranslation | undefined)[] {
  // One form of a plural may have a placeholder that another form lacks.
  const textOf = (content: InlineContent): string => {
    const text = withoutTags(content);
    return shown === '' ? text : [...text].map((sign) => (shown.includes(sign) ? '\ufffc' : sign)).join('');
  };
  const source = segments.map((segment) => textOf(segment.source)).join('\n');
  return translations.map((translation, at) => {
    const added = translation ? addedCode(source, textOf(translation.target)) : [];
    if (added.length === 0) return translation;
    findings.push({
      severity: 'error',
      code: 'added_code_not_written',
      message: `the translation has ${clip(added[0]!, 60)}, which a page or program may run as code and which the source lacks, so the text stays as it is`,
      unitId: segments[at]!.regionId,
      unwritten: countCharacters(plainText(segments[at]!.source)),
    });
    return undefined;
  });
}

/** Returns the text of a segment with a character in place of each tag, so that no sign consists of the texts around it. */
function withoutTags(content: InlineContent): string {
  return content.map((item) => (typeof item === 'string' ? item : (item.text ?? '\ufffc'))).join('');
}

function targetOf(translation: SegmentTranslation | undefined, source: InlineContent): TextTarget {
  return translation
    ? { target: translation.target, needsReview: translation.needsReview ?? false }
    : { target: source, needsReview: true };
}

const nameOf = ({ regionId, cellId }: SegmentKey): string => `${regionId} ${cellId ?? ''}`;

/** The texts of a message are alternatives; those of a unit of XLIFF follow each other. */
const areAlternatives = ({ segments }: TextPlace): boolean =>
  segments.length === 1 || segments.some(({ variant }) => variant !== undefined);

function limitOf({ limit, segments }: TextPlace): LengthLimit | undefined {
  if (limit || segments[0]?.context === undefined) return limit;
  return limitInNotes(
    segments[0].context,
    segments.map(({ source }) => plainText(source)),
  );
}

async function tooLong(
  place: TextPlace,
  targets: readonly TextTarget[],
): Promise<Pick<Finding, 'severity' | 'code' | 'message'>[]> {
  const limit = limitOf(place);
  if (!limit) return [];
  const lengths = await Promise.all(targets.map(({ target }) => lengthIn(limit.unit, plainText(target))));
  const length = areAlternatives(place) ? Math.max(...lengths) : lengths.reduce((sum, one) => sum + one, 0);
  if (length <= limit.most) return [];
  const message = `the translation has ${describeLength(length, limit.unit)}; the file allows ${limit.most}`;
  return [{ severity: 'warning', code: 'text_too_long', message }];
}

/** Numbers the places of a file, and gives their segments keys and limits. */
function withKeys({ places }: TextPlaces): { place: TextPlace; segments: Segment[] }[] {
  return places.map((place, index) => ({
    place,
    segments: place.segments.map((segment, form) => ({
      ...(areAlternatives(place) && segmentLimit(limitOf(place))),
      ...segment,
      regionId: `t${index + 1}`,
      cellId: place.segments.length === 1 ? (segment.cellId ?? null) : `f${form + 1}`,
      page: segment.page ?? null,
    })),
  }));
}

const segmentLimit = (limit: LengthLimit | undefined) =>
  limit && { maxLength: limit.most, lengthUnit: limit.unit };

function outcomeOf({ places, kept = [], characters }: TextPlaces): TextOutcome {
  const tally = new TextTally();
  let accounted = 0;
  for (const { segments, original } of places)
    accounted += countCharacters(original ?? segments.map(({ source }) => plainText(source)).join(''));
  for (const { reason, text } of kept) {
    const own = countCharacters(text);
    accounted += own;
    if (own > 0) tally.keep('kept', reason, own);
  }
  tally.check(characters, accounted);
  return tally.outcome();
}

export interface TextFile {
  /** The text without a byte order mark, with its own line ends. */
  text: string;
  /** The findings about the file as a whole, such as its signature. */
  findings?: readonly Finding[];
  encode(text: string): Uint8Array | Promise<Uint8Array>;
}

/**
 * Opens a file in UTF-8, or in UTF-16 with a byte order mark.
 *
 * @throws {FileError} `not_text` or `too_large`
 */
export function openTextFile(bytes: Uint8Array): TextFile {
  return decodeFile(bytes, markOf(bytes));
}

/** A byte order mark, and the encoding of a file. */
interface Encoding {
  name: 'utf-8' | 'utf-16le' | 'utf-16be';
  mark: readonly number[];
}

const marks: readonly Encoding[] = [
  { name: 'utf-8', mark: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', mark: [0xff, 0xfe] },
  { name: 'utf-16be', mark: [0xfe, 0xff] },
];

/** Returns the byte order mark at the start of a file, and its encoding: UTF-8 without a mark. */
export function markOf(bytes: Uint8Array): Encoding {
  return (
    marks.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte)) ?? { name: 'utf-8', mark: [] }
  );
}

/** @throws {FileError} `not_text` or `too_large` */
function decodeFile(bytes: Uint8Array, { name, mark }: Encoding): TextFile {
  let text: string;
  try {
    text = new TextDecoder(name, { fatal: true }).decode(bytes.subarray(mark.length));
  } catch (error) {
    const problem = `the file must be text in UTF-8, or in UTF-16 with a byte order mark; this is not valid ${name.toUpperCase()}`;
    throw new FileError('not_text', problem, { cause: error });
  }
  requireNoNul(text);
  return { text, encode: (changed) => joinBytes(mark, encode(changed, name)) };
}

/** @throws {FileError} `not_text` with the line */
export function requireNoNul(text: string): void {
  const nul = text.indexOf('\0');
  if (nul < 0) return;
  // Every second byte of ASCII in UTF-16 is NUL.
  const isUtf16 = nul < 4 && text.split('\0', 1000).length - 1 > Math.min(text.length, 2000) / 3;
  throw new FileError(
    'not_text',
    isUtf16
      ? 'the file is in UTF-16 or UTF-32 without a byte order mark; save it in UTF-8'
      : `line ${lineAt(text, nul)}: the text has a NUL character`,
  );
}

function encode(text: string, name: Encoding['name']): Uint8Array {
  if (name === 'utf-8') return new TextEncoder().encode(text);
  const bytes = Buffer.from(text, 'utf16le');
  return name === 'utf-16be' ? bytes.swap16() : bytes;
}

function joinBytes(mark: readonly number[], bytes: Uint8Array): Uint8Array {
  if (mark.length === 0) return bytes;
  const joined = new Uint8Array(mark.length + bytes.length);
  joined.set(mark);
  joined.set(bytes, mark.length);
  return joined;
}

/** Returns the line end of a file: that of its first line. */
export function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n';
}

/** Returns the number of the line at an offset, from 1. Line ends are `\n`, `\r\n` and `\r`. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) line++;
  }
  return line;
}

/** Returns a function that does the same as `lineAt`, for ascending offsets and in linear time together. */
export function lineCounter(text: string): (offset: number) => number {
  let [at, line] = [0, 1];
  return (offset) => {
    if (offset < at) [at, line] = [0, 1];
    line += lineAt(text.slice(at, offset + 1), offset - at) - 1;
    at = offset;
    return line;
  };
}

/** Returns the place of a segment in a text file: its line, and its key if it has one. */
export function placeOfLine(line: number, key = ''): string {
  if (key === '') return `line ${line}`;
  return `line ${line}, ${key.length > maxKey ? `${clip(key, maxKey)}…` : key}`;
}

/** The longest key in a place, in UTF-16 units. A long key of an object is a part of the key of each text in it. */
const maxKey = 1_000;
