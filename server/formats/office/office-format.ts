import type {
  Finding,
  LayoutFormat,
  RebuildOptions,
  Segment,
  SegmentKey,
  SegmentTranslation,
} from '../document.ts';
import { FileError, limits, overLimit } from '../file-error.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import { leftShare, proposedKinds } from '../left-share.ts';
import { SegmentBudget } from '../segment-budget.ts';
import type { Selection } from '../selection.ts';
import { countCharacters, TextTally } from '../text-tally.ts';
import { emptyFinding, signatureFinding, withShares } from './kept-finding.ts';
import { type OfficePackage, openPackage, type Relationship, withFileErrors } from './package.ts';
import { encodePart, type PartText } from './part-text.ts';
import { type PartContent, rejectUnsafeEntries, rewritePackage } from './rewrite-package.ts';
import { type Edit, splice } from './splice.ts';

/*
 * The common part of Word files, workbooks and presentations, whose texts are in several XML parts. Texts and places of
 * a large file would not fit into memory together. So a format does not list them as a text file does (`text-file.ts`):
 * it passes segments while it reads, and reads the file again to write translations.
 */

/** A format of files with several XML parts. */
interface OfficeReader {
  /**
   * Reads the selected texts of a file.
   *
   * @param add receives each segment, in reading order
   * @param tally receives the texts that are in no segment; undefined if they need not be counted
   * @throws {FileError} `unreadable`, `protected`, `empty`, `too_large` or `selection`
   */
  read(
    bytes: Uint8Array,
    selection: Selection,
    add: (segment: Segment) => void,
    tally?: TextTally,
  ): Promise<{ pageCount: number; findings: Finding[]; isSigned: boolean; excludeColumns?: string[] }>;
  /**
   * Returns the new contents of the parts that change. Texts without a translation, and those whose translation equals
   * their source, stay unchanged.
   *
   * @returns `lateFindings` returns the findings that are known only after the parts have been written
   * @throws {FileError} as `read` does
   */
  write(
    bytes: Uint8Array,
    targets: Targets,
    options: RebuildOptions,
  ): Promise<{
    parts: ReadonlyMap<string, PartContent>;
    findings: readonly Finding[];
    lateFindings?: () => readonly Finding[];
  }>;
  /** The message about a file without a text to translate. */
  emptyMessage?: string;
}

/**
 * Makes a format of a reader and writer of parts. Parts in which nothing changes are copied byte for byte. `rebuild`
 * throws a RangeError if a translation has the key of no segment of the file.
 */
export function officeFormat({
  read,
  write,
  emptyMessage = emptyFinding.message,
}: OfficeReader): LayoutFormat {
  return {
    check(bytes, take = () => false, selection = {}) {
      const budget = new SegmentBudget();
      let wanted = true;
      return withFileErrors(async () => {
        await read(bytes, selection, ({ source }) => {
          const text = budget.addText(source);
          wanted = wanted && take(text);
        });
      });
    },

    extract(bytes, selection = {}) {
      const segments: Segment[] = [];
      const budget = new SegmentBudget();
      const tally = new TextTally();
      const add = (segment: Segment): void => {
        budget.add(segment.source);
        segments.push(segment);
      };
      return withFileErrors(async () => {
        const { pageCount, findings, isSigned, excludeColumns } = await read(bytes, selection, add, tally);
        if (isSigned) findings.push(signatureFinding);
        if (segments.length === 0) findings.push({ ...emptyFinding, message: emptyMessage });
        const outcome = tally.outcome();
        const characters = segments.reduce((sum, { source }) => sum + countCharacters(plainText(source)), 0);
        const left = leftShare(outcome, characters);
        const include = proposedKinds(left);
        return {
          ...{ segments, pageCount, findings: withShares(findings, left), outcome },
          ...(include.length > 0 && { include }),
          ...(excludeColumns && { excludeColumns }),
        };
      });
    },

    rebuild(bytes, translations, options) {
      return withFileErrors(async () => {
        const targets = new Targets(translations);
        const { parts, findings, lateFindings = () => [] } = await write(bytes, targets, options);
        targets.requireAllUsed();
        const written = parts.size === 0 ? bytes : await rewritePackage(bytes, parts);
        return { bytes: written, findings: [...findings, ...lateFindings()] };
      });
    },
  };
}

/** The translations of a file, by the keys of their segments. */
export class Targets {
  readonly #targets: ReadonlyMap<string, InlineContent>;
  readonly #unused: Set<string>;

  constructor(translations: readonly SegmentTranslation[]) {
    this.#targets = new Map(translations.map((translation) => [nameOf(translation), translation.target]));
    this.#unused = new Set(this.#targets.keys());
  }

  /** Returns the translation of a segment of the file; undefined if it has none. */
  of(key: SegmentKey): InlineContent | undefined {
    const name = nameOf(key);
    this.#unused.delete(name);
    return this.#targets.get(name);
  }

  /** @throws {RangeError} if a translation belongs to no segment that was read */
  requireAllUsed(): void {
    for (const name of this.#unused) throw new RangeError(`the file has no segment ${name}`);
  }
}

function nameOf({ regionId, cellId }: SegmentKey): string {
  return `${regionId} ${cellId ?? ''}`;
}

/** An opened Office file, with its main part, which refers to the others. */
export interface OfficeFile {
  office: OfficePackage;
  /** The path of the main part. */
  main: string;
  relationships: Relationship[];
  isSigned: boolean;
}

/**
 * Opens a file of a kind that can be translated.
 *
 * @param name the name of the kind with its article, such as `a presentation`
 * @throws {FileError} `empty`, `unreadable`, `protected` or `too_large`
 */
export async function openOfficeFile(bytes: Uint8Array, name: string): Promise<OfficeFile> {
  if (bytes.length === 0) throw new FileError('empty', 'the file is empty');
  const office = await openPackage(bytes);
  await rejectUnsafeEntries(bytes);
  const ofPackage = await office.relationships('');
  const main = ofPackage.find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new FileError('unreadable', `the file is not ${name}`);
  const isSigned = ofPackage.some(({ type }) => type === 'origin');
  return { office, main, relationships: await office.relationships(main), isSigned };
}

/** Reads whole parts. Their changes are in memory at the same time, so all of them have common limits. */
export interface WholeParts {
  /** @throws {FileError} `too_large`, and as `OfficePackage.readWhole` does */
  read(path: string): Promise<PartText>;
  /** Counts an XML element of the file, and rejects the file if it has too many. */
  countElement(): void;
}

/**
 * @param file the name of the file in messages, such as `Word file`
 * @param parts the name of the parts in messages
 */
export function wholeParts(office: OfficePackage, file: string, parts: string): WholeParts {
  let [size, elements] = [0, 0];
  return {
    async read(path) {
      size += office.sizeOf(path);
      if (size > limits.docxStories)
        throw overLimit(`the size in bytes of ${parts} together`, limits.docxStories);
      return office.readWhole(path);
    },
    countElement() {
      if (++elements > limits.docxElements)
        throw overLimit(`the number of XML elements of the ${file}`, limits.docxElements);
    },
  };
}

/**
 * Adds the new content of a part, if it has edits.
 *
 * @param source the XML to which the edits apply, if it differs from that of the part
 * @throws {FileError} `too_large` if the edits are too long
 */
export function changePart(
  parts: Map<string, PartContent>,
  { path, text, source = text.source }: { path: string; text: PartText; source?: string },
  edits: readonly Edit[],
): void {
  if (edits.length === 0 && source === text.source) return;
  const length = edits.reduce((sum, edit) => sum + edit.text.length, 0);
  if (length > 2 * limits.docxWritten)
    throw overLimit('the length of the translated paragraphs of one part', 2 * limits.docxWritten);
  const sorted = edits.toSorted((one, other) => one.start - other.start);
  parts.set(path, () => encodePart(text, splice(source, sorted)));
}
