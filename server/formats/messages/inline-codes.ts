import { type FormatKind, type InlineContent, type InlineTag, joinStrings } from '../inline-content.ts';
import type { TextPlace, TextPlaces } from '../text-file.ts';

/*
 * Markup in strings. The functions for strings and for ICU messages handle only text. So the reader of a format replaces
 * each code of a string by a mark, which is two noncharacters around the number of the code. The finished places have
 * the codes as tags.
 */

/** An element or placeholder in a string. */
interface InlineCode {
  type: InlineTag['type'];
  /** The characters of the file. */
  written: string;
  /** The plain text that a void code represents. */
  text?: string | undefined;
  /** Set for a void code that is a word of the sentence. By default, it is one if it represents a text. */
  isWord?: true | undefined;
  /** Set if the pair only formats its text. */
  format?: FormatKind | undefined;
  /** For a closing code: the mark of its opening code. */
  opening?: string | undefined;
}

/** A mark starts with the first one for a void code, which may stand for a number, and with the second one for others. */
const [voidStart, pairStart, markEnd] = ['\ufdd0', '\ufdd2', '\ufdd1'];
const marks = /[\ufdd0\ufdd2](\d+)\ufdd1/;

/** Returns a text with what its marks stand for. */
export function marksIn<T>(text: string, codes: ReadonlyMap<string, T>): (string | T)[] {
  return text
    .split(/([\ufdd0\ufdd2]\d+\ufdd1)/)
    .map((piece, at) => (at % 2 === 0 ? piece : codes.get(piece)!));
}

/** Whether a text has a code that may stand for a number. */
export function hasVoidCode(text: string): boolean {
  return text.includes(voidStart);
}

/** Removes the noncharacters that marks consist of. Unicode does not allow them in exchanged texts. */
export function withoutMarks(text: string): string {
  return text.replace(/[\ufdd0-\ufdd2]/g, '');
}

/** The codes of a file. */
export class InlineCodes {
  readonly #codes: InlineCode[] = [];

  /** Returns the mark of a new code. */
  add(code: InlineCode): string {
    return this.#mark(this.#codes.push(code) - 1);
  }

  #mark(number: number): string {
    return `${this.#codes[number]!.type === 'void' ? voidStart : pairStart}${number}${markEnd}`;
  }

  plain(text: string): string {
    return this.write(
      text,
      (piece) => piece,
      ({ text: own = '' }) => own,
    );
  }

  #shown(text: string): string {
    return this.write(
      text,
      (piece) => piece,
      ({ type, text: own = type === 'void' ? '…' : '' }) => own,
    );
  }

  /** Writes a text with its codes as they are in the file. */
  write(text: string, writeText: (text: string) => string, writeCode = (code: InlineCode) => code.written) {
    return text
      .split(marks)
      .map((piece, at) => (at % 2 === 0 ? writeText(piece) : writeCode(this.#codes[Number(piece)]!)))
      .join('');
  }

  /** Returns places whose texts have marks as places whose texts have tags. */
  tagged({
    places,
    kept = [],
  }: Pick<TextPlaces, 'places' | 'kept'>): Required<Pick<TextPlaces, 'places' | 'kept'>> {
    return {
      places: places.map((place) => this.#taggedPlace(place)),
      kept: kept.map(({ reason, text }) => ({ reason, text: this.plain(text) })),
    };
  }

  #taggedPlace(place: TextPlace): TextPlace {
    const contents = place.segments.map(({ source }) => this.#contentOf(source.join('')));
    const marked = (target: InlineContent, at: number): InlineContent =>
      joinStrings(
        target.map((item) =>
          typeof item === 'string'
            ? withoutMarks(item)
            : contents[at]!.markOf.get(`${item.type} ${item.tag}`)!,
        ),
      );
    return {
      ...place,
      ...(place.original !== undefined && { original: this.plain(place.original) }),
      segments: place.segments.map((segment, at) => ({
        ...segment,
        // A context can have other texts of the message.
        ...(segment.context !== undefined && { context: this.#shown(segment.context) }),
        source: contents[at]!.content,
      })),
      write: (targets) => place.write(targets.map((one, at) => ({ ...one, target: marked(one.target, at) }))),
    };
  }

  /** Returns the content of a text with marks, and the marks of its tags. */
  #contentOf(text: string): { content: InlineContent; markOf: Map<string, string> } {
    const pieces = text.split(marks);
    const numbers = pieces.flatMap((piece, at) => (at % 2 === 0 ? [] : [Number(piece)]));
    const openings = this.#pairsOf(numbers);
    const paired = new Set([...openings].flat());
    const markOf = new Map<string, string>();
    const tagOf = new Map<number, number>();
    const content = pieces.map((piece, at): string | InlineTag => {
      if (at % 2 === 0) return piece;
      const number = Number(piece);
      const { type: written, text: own, format, isWord = Boolean(own?.trim()) } = this.#codes[number]!;
      const type = paired.has(number) ? written : 'void';
      const tag = tagOf.get(openings.get(number) ?? number) ?? tagOf.size + 1;
      if (type !== 'close') tagOf.set(number, tag);
      markOf.set(`${type} ${tag}`, this.#mark(number));
      if (type === 'void')
        return { tag, type, ...(own && { text: own }), ...(isWord && { isWord: true as const }) };
      return { tag, type, ...(format && { format }) };
    });
    return { content: joinStrings(content), markOf };
  }

  /** Returns the opening code of each closing code. Codes that are not well nested have no partner. */
  #pairsOf(numbers: readonly number[]): Map<number, number> {
    const pairs = new Map<number, number>();
    const open: number[] = [];
    for (const number of numbers) {
      const { type, opening } = this.#codes[number]!;
      if (type === 'open') open.push(number);
      if (type !== 'close') continue;
      const at = open.findLastIndex((one) => this.#mark(one) === opening);
      if (at >= 0 && at === open.length - 1) pairs.set(number, open[at]!);
      if (at >= 0) open.splice(at, 1);
    }
    return pairs;
  }
}
